"""torch_np.nn.parallel: trains one module in several processes. PyTorch's DataParallel and its parts
are accepted for one device.
"""
from torch_np.nn.parallel import scatter_gather as scatter_gather
from torch_np.nn.parallel._parts import gather, parallel_apply, replicate, scatter
from torch_np.nn.parallel.data_parallel import DataParallel, data_parallel
from torch_np.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply", "replicate", "scatter"]
