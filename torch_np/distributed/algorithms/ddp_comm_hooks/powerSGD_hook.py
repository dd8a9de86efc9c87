"""torch_np.distributed.algorithms.ddp_comm_hooks.powerSGD_hook: hooks, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "hooks of the communication of gradients are not implemented; DistributedDataParallel averages gradients",
    functions="batched_powerSGD_hook powerSGD_hook",
    classes="PowerSGDState")
