"""torch_np.nn.parallel: one module trained by several processes; and PyTorch's DataParallel, here on one device."""
from torch_np.nn.parallel.data_parallel import DataParallel, data_parallel
from torch_np.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]
