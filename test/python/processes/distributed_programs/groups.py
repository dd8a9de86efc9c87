"""Groups, and the behaviour without one, before init and after destroy; three processes."""
import datetime

import torch_np as torch
from checks import raises, run
from torch_np import distributed as dist


def check_a_group_of_some(rank, size):
    some = dist.new_group([2, 0])
    x = torch.tensor([float(rank)])
    if rank == 1:
        assert some is dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(some) == dist.get_world_size(some) == -1
        assert dist.all_reduce(x, group=some) is None and x.item() == 1
        raises(ValueError, "not in the group", dist.get_backend, some)
        raises(ValueError, "get_group_rank(): this process is not in the group", dist.get_group_rank, some, 0)
        raises(ValueError, "get_global_rank(): this process is not in the group", dist.get_global_rank, some, 0)
        return
    assert (dist.get_rank(some), dist.get_world_size(some)) == ([0, None, 1][rank], 2)
    assert dist.get_process_group_ranks(some) == [0, 2] and dist.get_global_rank(some, 1) == 2 and dist.get_group_rank(some, 2) == 1
    dist.all_reduce(x, group=some)
    assert x.item() == 2
    x.fill_(rank)
    dist.broadcast(x, 2, group=some)
    assert x.item() == 2
    dist.broadcast(x.fill_(rank), group=some, group_src=0)
    assert x.item() == 0
    raises(ValueError, "ranks are [0, 2]", dist.broadcast, x, 1, some)
    raises(ValueError, "has 2 processes", dist.get_global_rank, some, 2)
    if rank == 0:
        dist.send(torch.tensor([7.0]), 2, some)
    else:
        assert dist.recv(x, group=some) == 0 and x.item() == 7
    dist.destroy_process_group(some)
    raises(ValueError, "destroyed", dist.all_reduce, x, group=some)


def check_wrong_groups(rank, size):
    raises(ValueError, "different numbers", dist.new_group, [0, 0])
    raises(ValueError, "different numbers", dist.new_group, [3])
    raises(ValueError, "'mpi' (host memory)", dist.new_group, [0], backend="ucc")
    raises(TypeError, "ProcessGroup", dist.get_rank, 5)


def check_a_limit_of_time_ends_a_wait(rank, size):
    hasty = dist.new_group(timeout=0.3)
    if rank == 0:
        raises(RuntimeError, "not complete after 0.3 s", dist.recv, torch.ones(1), 1, hasty)
        dist.send(torch.ones(1), 1)
    elif rank == 1:
        dist.recv(torch.ones(1), 0)
        dist.send(torch.ones(1), 0, hasty)  # so that no message remains
    x = torch.ones(2)
    dist.all_reduce(x)
    patient = dist.new_group(timeout=datetime.timedelta(minutes=5))
    dist.all_reduce(x, group=patient)
    assert x.tolist() == [9, 9]


assert dist.is_available() and not dist.is_initialized()
for call in (dist.get_rank, dist.get_world_size, dist.barrier, lambda: dist.all_reduce(torch.ones(1)), dist.destroy_process_group):
    raises(ValueError, "call init_process_group() first", call)
raises(ValueError, "'ucc'", dist.init_process_group, "ucc")
raises(ValueError, "world_size is 7, and MPI's is 3", dist.init_process_group, world_size=7)
raises(NotImplementedError, "init_method", dist.init_process_group, init_method="tcp://127.0.0.1:1")
raises(ValueError, "positive", dist.init_process_group, timeout=-1)
dist.init_process_group(world_size=3, init_method="env://")
assert dist.is_initialized() and dist.get_world_size() == 3 and dist.get_backend() == "mpi"
first = torch.ones(1)
dist.all_reduce(first)
dist.destroy_process_group()
assert first.item() == 3 and not dist.is_initialized()
dist.init_process_group("cpu:mpi")
run(globals())
assert not dist.is_initialized()
