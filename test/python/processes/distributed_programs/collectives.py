"""Collectives of all dtypes and layouts."""
import os

import torch_np as torch
import torch_np.numpy as np
from checks import equal, raises, run
from torch_np import distributed as dist
from torch_np.distributed import ReduceOp

INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64, torch.uint64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
NUMBERS = INTEGERS + FLOATS + [torch.complex64, torch.complex128]
DTYPES = NUMBERS + [torch.bool]
COMBINE = {ReduceOp.SUM: torch.add, ReduceOp.PRODUCT: torch.mul, ReduceOp.MIN: torch.minimum, ReduceOp.MAX: torch.maximum,
           ReduceOp.BAND: torch.bitwise_and, ReduceOp.BOR: torch.bitwise_or, ReduceOp.BXOR: torch.bitwise_xor}


def of_rank(rank, dtype, shape=(2, 3)):
    """Different values on each process: a few small integers, half of them negative if the dtype is
    signed, and complex if the dtype is."""
    count = 1
    for s in shape:
        count *= s
    values = (torch.arange(count) * 7 + 3 * rank + 1) % 5
    values = values % 2 if dtype == torch.bool else values
    values = values.to(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        values = values - 2
    return (values * (1 - 2j) if dtype.is_complex else values).to(dtype).reshape(shape)


def check_sums_of_every_dtype(rank, size):
    for dtype in DTYPES:
        wanted = of_rank(0, dtype)
        for other in range(1, size):
            wanted = wanted | of_rank(other, dtype) if dtype == torch.bool else wanted + of_rank(other, dtype)
        x = of_rank(rank, dtype)
        assert dist.all_reduce(x) is None
        equal(x, wanted)


def check_other_reductions(rank, size):
    for op, combine in COMBINE.items():
        bitwise = op.name.startswith("B")
        for dtype in INTEGERS + [torch.bool] if bitwise else INTEGERS + FLOATS + ([torch.complex64, torch.complex128] if op is ReduceOp.PRODUCT else []):
            wanted = of_rank(0, dtype)
            for other in range(1, size):
                wanted = combine(wanted, of_rank(other, dtype))
            x = of_rank(rank, dtype)
            dist.all_reduce(x, op)
            equal(x, wanted)


def check_averages_do_not_overflow(rank, size):
    for dtype in FLOATS + [torch.complex128]:
        x = torch.full((3,), 40000.0 if dtype == torch.float16 else 3.0 + rank).to(dtype)
        dist.all_reduce(x, ReduceOp.AVG)
        wanted = 40000 if dtype == torch.float16 else 3 + (size - 1) / 2
        assert torch.allclose(x, torch.full((3,), wanted).to(dtype), rtol=1e-2 if dtype.itemsize == 2 else 1e-6), x
    total = torch.tensor([2.0 + rank])
    dist.reduce(total, 1, ReduceOp.AVG)
    assert abs(total.item() - (2 + (size - 1) / 2 if rank == 1 else 2 + rank)) < 1e-6


def check_every_layout(rank, size):
    for dtype in (torch.float32, torch.bfloat16, torch.complex128):
        wanted = sum(of_rank(other, dtype, (4, 6)) for other in range(size)).to(dtype)
        for make in (lambda t: t, lambda t: t.t().contiguous().t(), lambda t: torch.stack([t, t], 2)[:, :, 0]):
            x = make(of_rank(rank, dtype, (4, 6)))
            dist.all_reduce(x)
            equal(x, wanted)
        whole = of_rank(rank, dtype, (4, 6))
        dist.all_reduce(whole[1:3, ::2])
        equal(whole[1:3, ::2], wanted[1:3, ::2])
        equal(whole[0], of_rank(rank, dtype, (4, 6))[0])
    for shape in ((), (0,), (0, 3)):
        x = torch.ones(shape)
        dist.all_reduce(x)
        assert x.shape == shape and bool((x == size).all())


def check_broadcast_and_gathers(rank, size):
    for dtype in DTYPES:
        x = of_rank(rank, dtype)
        dist.broadcast(x, size - 1)
        equal(x, of_rank(size - 1, dtype))
        whole = torch.empty(size * 2, 3, dtype=dtype)
        dist.all_gather_into_tensor(whole, of_rank(rank, dtype))
        wanted = [of_rank(other, dtype) for other in range(size)]
        equal(whole, torch.cat(wanted))
        parts = [torch.empty(3, 2, dtype=dtype).t() for _ in range(size)]
        dist.all_gather(parts, of_rank(rank, dtype))
        for part, one in zip(parts, wanted):
            equal(part, one)
        parts = [torch.empty(2, 3, dtype=dtype) for _ in range(size)] if rank == 1 else None
        dist.gather(of_rank(rank, dtype), parts, dst=1)
        for part, one in zip(parts or (), wanted):
            equal(part, one)
        x = torch.empty(2, 3, dtype=dtype)
        dist.scatter(x, wanted if rank == 0 else None)
        equal(x, of_rank(rank, dtype))


def check_a_part_of_the_output_may_be_the_input(rank, size):
    whole = torch.zeros(size, 4)
    whole[rank] = rank + 1
    dist.all_gather_into_tensor(whole, whole[rank])
    equal(whole, (torch.arange(size) + 1.0)[:, None].expand(size, 4))
    x = torch.arange(4.0 * size) + rank
    dist.reduce_scatter_tensor(x[4 * rank:4 * rank + 4], x)
    equal(x[4 * rank:4 * rank + 4], size * (torch.arange(4.0) + 4 * rank) + size * (size - 1) / 2)


def check_reduce_and_reduce_scatter(rank, size):
    for dtype in DTYPES:
        x = of_rank(rank, dtype)
        dist.reduce(x, 1)
        total = of_rank(0, dtype)
        for other in range(1, size):
            total = total | of_rank(other, dtype) if dtype == torch.bool else total + of_rank(other, dtype)
        equal(x, total if rank == 1 else of_rank(rank, dtype))
        one, two = torch.empty(3, dtype=dtype), torch.empty(3, dtype=dtype)
        mine = of_rank(rank, dtype, (size, 3))
        dist.reduce_scatter_tensor(one, mine)
        dist.reduce_scatter(two, list(mine))
        total = of_rank(0, dtype, (size, 3))
        for other in range(1, size):
            total = total | of_rank(other, dtype, (size, 3)) if dtype == torch.bool else total + of_rank(other, dtype, (size, 3))
        equal(one, total[rank])
        equal(two, total[rank])
        equal(mine, of_rank(rank, dtype, (size, 3)))


def check_asynchronous(rank, size):
    works, tensors = [], []
    for i in range(20):
        tensors.append(torch.full((1000, 3), float(rank + i)).t() if i % 2 else torch.full((1000, 3), rank + i, dtype=torch.bfloat16))
        works.append(dist.all_reduce(tensors[-1], async_op=True))
    for i, (work, x) in enumerate(zip(works, tensors)):
        if i % 3 == 0:
            while not work.is_completed():
                pass
        assert work.wait() and work.is_completed() and work.wait()
        assert bool((x == size * i + size * (size - 1) / 2).all())
    for i in range(5):  # these are not waited for
        dist.all_reduce(torch.ones(100_000), async_op=True)
    work = dist.barrier(async_op=True)
    work.wait()


def check_from_one_to_another(rank, size):
    for dtype in DTYPES:
        x = torch.empty(3, 2, dtype=dtype).t()
        if rank == 0:
            dist.send(of_rank(5, dtype), 1, tag=3)
            assert dist.recv(x, tag=4) == 1
            equal(x, of_rank(1, dtype))
        elif rank == 1:
            assert dist.recv(x, 0, tag=3) == 0
            equal(x, of_rank(5, dtype))
            dist.send(of_rank(1, dtype), 0, tag=4)
    x = torch.zeros(4)
    works = [dist.irecv(x, (rank - 1) % size), dist.isend(torch.full((4,), float(rank)), (rank + 1) % size)]
    assert all(work.wait() for work in works)
    assert x.tolist() == [(rank - 1) % size] * 4


def check_objects(rank, size):
    everyone = [None] * size
    dist.all_gather_object(everyone, {"rank": rank})
    assert everyone == [{"rank": other} for other in range(size)]
    texts = [rank, "a" * rank]
    dist.broadcast_object_list(texts, 1)
    assert texts == [1, "a"]
    raises(ValueError, "places", dist.all_gather_object, [None] * (size + 1), 0)


def check_arrays_of_the_other_face(rank, size):
    a = np.arange(6.0).reshape(2, 3) + rank
    dist.all_reduce(a)
    assert a.tolist() == (size * np.arange(6.0).reshape(2, 3) + size * (size - 1) / 2).tolist()
    pending = torch.ones(300_000) * 2 + rank
    reader = pending + 1  # computed before the memory changes, at any time
    dist.all_reduce(pending)
    assert bool((reader == 3 + rank).all()) and bool((pending == 2 * size + size * (size - 1) / 2).all())


def check_gradients_are_not_lost_in_silence(rank, size):
    w = torch.ones(3, requires_grad=True)
    loss = (w * (rank + 1)).sum()
    raises(RuntimeError, "detach()", dist.all_reduce, loss)
    dist.all_reduce(loss.detach())
    y = w * w
    saved = w.detach()
    dist.all_reduce(saved)  # overwrites memory that the product's derivative needs
    raises(RuntimeError, "modified", y.sum().backward)


def check_errors(rank, size):
    x = torch.ones(3)
    raises(TypeError, "AVG", dist.all_reduce, torch.ones(3, dtype=torch.int32), ReduceOp.AVG)
    raises(TypeError, "MIN", dist.all_reduce, torch.ones(3, dtype=torch.complex64), ReduceOp.MIN)
    raises(TypeError, "BAND", dist.all_reduce, x, ReduceOp.BAND)
    raises(TypeError, "ReduceOp", dist.all_reduce, x, "sum")
    raises(TypeError, "must be a Tensor, got list", dist.all_reduce, [1, 2])
    raises(ValueError, f"{size + 1} tensors", dist.all_gather, [x] * (size + 1), x)
    raises(ValueError, "tensor_list[0] is of shape (2,)", dist.all_gather, [torch.ones(2)] * size, x)
    raises(ValueError, "torch_np.float64", dist.all_gather, [torch.ones(3, dtype=torch.float64)] * size, x)
    raises(ValueError, f"{size} times the 3 elements", dist.all_gather_into_tensor, torch.ones(5), x)
    raises(ValueError, "float64", dist.reduce_scatter_tensor, torch.ones(1, dtype=torch.float64), torch.ones(size))
    raises(ValueError, "src is 99", dist.broadcast, x, 99)
    raises(ValueError, "either src or group_src", dist.broadcast, x)
    raises(ValueError, "scatter_list must be", dist.scatter, x, None if rank == 0 else [x] * size)
    raises(ValueError, "the process itself", dist.send, x, rank)
    raises(ValueError, "there is a process group already", dist.init_process_group)
    raises(RuntimeError, "takes tensors on cpu", dist.all_reduce, torch.ones(3, device="meta"))


dist.init_process_group("mpi")
assert (os.environ["RANK"], os.environ["WORLD_SIZE"]) == (str(dist.get_rank()), str(dist.get_world_size()))
run(globals())
