"""Processes that call different collectives, with comparison of calls
(TORCH_NP_DISTRIBUTED_DEBUG=DETAIL)."""
import torch_np as torch
from checks import raises, run
from torch_np import distributed as dist


def check_shapes(rank, size):
    raises(RuntimeError, "rank 1: all_reduce(shape=(4,)", dist.all_reduce, torch.ones(3 + rank))


def check_dtypes(rank, size):
    raises(RuntimeError, "dtype=torch_np.int32", dist.all_reduce, torch.ones(3, dtype=torch.int32 if rank else torch.float32))


def check_operations(rank, size):
    raises(RuntimeError, "rank 0: barrier()", dist.barrier if rank == 0 else lambda: dist.broadcast(torch.ones(3), 0))


def check_what_agrees(rank, size):
    x = torch.ones(3)
    dist.all_reduce(x)
    assert x.tolist() == [size] * 3


dist.init_process_group()
run(globals())
