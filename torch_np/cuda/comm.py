"""torch_np.cuda.comm: copies of tensors among several GPUs of one process, by PyTorch's names."""
from torch_np._absent import absent_names

__all__ = absent_names(globals(), "a process uses one GPU; start one process for each (torch_np.distributed)",
                       functions="broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter")
