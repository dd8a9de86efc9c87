"""torch_np.nn.parallel: trains one module in several processes. PyTorch's DataParallel is accepted
for one device.
"""
from torch_np.nn.parallel.data_parallel import DataParallel, data_parallel
from torch_np.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]
