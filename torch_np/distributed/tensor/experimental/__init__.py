"""torch_np.distributed.tensor.experimental: experiments with distributed tensors, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "distributed tensors are not implemented; each process has tensors of its own",
    functions="context_parallel implicit_replication local_map register_sharding")
