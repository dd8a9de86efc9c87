"""Experimental names of PyTorch's distributed tensors, which are not implemented."""
from torch_np._absent import absent_names

__all__ = absent_names(globals(), "distributed tensors are not implemented; each process has tensors of its own",
                       functions="context_parallel implicit_replication local_map register_sharding")
