"""torch_np.distributed.nn: collectives through which gradients flow. Their results are new tensors.
"""
from torch_np._absent import absent_class
from torch_np.distributed.nn.functional import (
    all_gather as all_gather, all_reduce as all_reduce, all_to_all as all_to_all, all_to_all_single as all_to_all_single,
    broadcast as broadcast, gather as gather, reduce as reduce, reduce_scatter as reduce_scatter, scatter as scatter,
)

RemoteModule = absent_class("RemoteModule", "modules of other processes cannot be called; each process has modules of its own", __name__)
