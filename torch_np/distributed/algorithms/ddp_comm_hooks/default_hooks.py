"""torch_np.distributed.algorithms.ddp_comm_hooks.default_hooks: hooks, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "hooks of the communication of gradients are not implemented; DistributedDataParallel averages gradients",
    functions="allreduce_hook bf16_compress_hook bf16_compress_wrapper fp16_compress_hook fp16_compress_wrapper")
