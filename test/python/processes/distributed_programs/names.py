"""PyTorch's further names of torch_np.distributed: exchanges between all pairs, objects, groups and
meshes."""
import os

import torch_np as torch
from checks import equal, raises, run
from torch_np import distributed as dist


def check_all_to_all(rank, size):
    inputs = [torch.full((r + 1,), 10.0 * rank + r) for r in range(size)]
    outputs = [torch.empty(rank + 1) for _ in range(size)]
    dist.all_to_all(outputs, inputs)
    for r, t in enumerate(outputs):
        equal(t, torch.full((rank + 1,), 10.0 * r + rank))
    work = dist.all_to_all(outputs, inputs, async_op=True)
    assert work.wait() and work.is_completed()
    whole = torch.arange(size * 2.0).reshape(size, 2) + 100 * rank
    room = torch.empty(2, size).t()  # not contiguous
    dist.all_to_all_single(room, whole)
    equal(room.contiguous(), torch.stack([torch.arange(2.0) + 2 * rank + 100 * r for r in range(size)]))
    sizes = [r + 1 for r in range(size)]
    parts = torch.cat([torch.full((n,), float(rank)) for n in sizes])
    room = torch.empty(size * (rank + 1))
    dist.all_to_all_single(room, parts, [rank + 1] * size, sizes)
    equal(room, torch.cat([torch.full((rank + 1,), float(r)) for r in range(size)]))
    raises(ValueError, "no multiple", dist.all_to_all_single, torch.empty(size + 1), whole[:, 0].contiguous()) if size > 1 else None
    raises(ValueError, "processes", dist.all_to_all, outputs[:-1], inputs)


def check_several_at_once(rank, size):
    right, left = (rank + 1) % size, (rank - 1) % size
    got = torch.empty(1)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, torch.tensor([float(rank)]), right), dist.P2POp(dist.irecv, got, left)])
    for work in works:
        work.wait()
    assert got.item() == left
    raises(ValueError, "isend or", dist.P2POp, print, got, 0)
    a, b = torch.ones(2), torch.full((3,), float(rank))
    dist.all_reduce_coalesced([a, b])
    assert a[0] == size and b[0] == sum(range(size))
    lists = [[torch.empty(2), torch.empty(3)] for _ in range(size)]
    dist.all_gather_coalesced(lists, [a + rank, b + rank])
    assert [pair[0][0].item() for pair in lists] == [size + r for r in range(size)]
    room = torch.empty(size, 2) if rank == 0 else None
    dist.gather_into_tensor(torch.full((1, 2), float(rank)), room)
    if rank == 0:
        assert room[:, 0].tolist() == list(range(size))
    dist.monitored_barrier(timeout=60)


def check_objects(rank, size):
    found = [None] * size if rank == 1 else None
    dist.gather_object({"rank": rank}, found, dst=1)
    assert found is None or found == [{"rank": r} for r in range(size)]
    mine = [None]
    dist.scatter_object_list(mine, [str(r) for r in range(size)] if rank == 0 else None)
    assert mine == [str(rank)]
    if rank == 0:
        dist.send_object_list(["a", {1}], 1)
    elif rank == 1:
        got = [None, None]
        assert dist.recv_object_list(got, 0) == 0 and got == ["a", {1}]


def check_groups(rank, size):
    mine, groups = dist.new_subgroups(1)
    assert len(groups) == size and dist.get_process_group_ranks(mine) == [rank]
    mine, _ = dist.new_subgroups_by_enumeration([[0, 1]])
    assert (mine is None) == (rank > 1)
    assert dist.get_world_size(dist.split_group(split_ranks=[list(range(size))])) == size
    raises(ValueError, "does not divide", dist.new_subgroups, size + 1)
    dist.set_timeout(100)
    assert dist.get_pg_count() >= 3 and dist.get_backend() == "gloo" and dist.get_backend_config() == "cpu:gloo"
    assert dist.get_node_local_rank(7) == int(os.environ.get("LOCAL_RANK", 7))


def check_meshes(rank, size):
    mesh = dist.init_device_mesh("cpu", (1, size), mesh_dim_names=("outer", "inner"))
    assert mesh.shape == (1, size) and mesh.get_coordinate() == (0, rank) and mesh.get_local_rank("inner") == rank and mesh.ndim == 2
    assert dist.get_process_group_ranks(mesh.get_group("inner")) == list(range(size)) and dist.get_world_size(mesh.get_group(0)) == 1
    inner = mesh["inner"]
    assert inner.mesh.tolist() == list(range(size)) and inner.get_group() is mesh.get_group(1) and inner.size() == size
    assert mesh == dist.DeviceMesh("cpu", [list(range(size))], mesh_dim_names=("outer", "inner"))
    raises(RuntimeError, "has", dist.init_device_mesh, "cpu", (size + 1,))
    raises(KeyError, "no axis", mesh.get_group, "none")
    raises(ValueError, "twice", dist.DeviceMesh, "cpu", [0, 0])


def check_gradients_through_collectives(rank, size):
    from torch_np.distributed import nn

    x = torch.tensor([1.0 + rank], requires_grad=True)
    y = nn.all_reduce(x)
    assert y.item() == sum(1.0 + r for r in range(size)) and x.item() == 1 + rank
    (y * (rank + 1)).sum().backward()
    assert x.grad.item() == sum(r + 1 for r in range(size))
    x.grad = None
    sum(part * (10 ** i) * (rank + 1) for i, part in enumerate(nn.all_gather(x))).backward()
    assert x.grad.item() == 10 ** rank * sum(r + 1 for r in range(size))
    x.grad = None
    parts = nn.reduce_scatter(torch.empty(1), [x * (r + 1) for r in range(size)])
    assert parts.item() == (rank + 1) * sum(1.0 + r for r in range(size))
    parts.sum().backward()
    assert x.grad.item() == sum(r + 1 for r in range(size))
    rows = torch.arange(float(size), requires_grad=True)
    (nn.all_to_all_single(torch.empty(size), rows) * (rank + 1)).sum().backward()
    assert rows.grad.tolist() == [r + 1.0 for r in range(size)]
    raises(NotImplementedError, "SUM", nn.all_reduce, x, dist.ReduceOp.MAX)


dist.init_process_group("gloo")
run(globals())
