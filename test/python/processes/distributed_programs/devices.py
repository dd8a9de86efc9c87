"""The backend "nccl" on the emulated device, with the library of nccl_over_mpi.c."""
import torch_np as torch
from checks import equal, raises, run
from torch_np import distributed as dist, nn
from torch_np.distributed import ReduceOp
from torch_np.nn.parallel import DistributedDataParallel

DTYPES = [torch.uint8, torch.int8, torch.int32, torch.uint32, torch.int64, torch.uint64, torch.float32, torch.float64, torch.complex64,
          torch.complex128, torch.bool]


def of_rank(rank, dtype):
    return ((torch.arange(6).reshape(2, 3) + rank) % (2 if dtype == torch.bool else 7)).to(dtype)


def check_reductions(rank, size):
    for dtype in DTYPES:
        x, total = of_rank(rank, dtype).cuda(), of_rank(0, dtype)
        for other in range(1, size):
            total = total | of_rank(other, dtype) if dtype == torch.bool else total + of_rank(other, dtype)
        dist.all_reduce(x)
        equal(x.cpu(), total)
        x = of_rank(rank, dtype).cuda()
        dist.reduce(x, 1)
        equal(x.cpu(), total if rank == 1 else of_rank(rank, dtype))
        whole = torch.stack([of_rank(rank + other, dtype) for other in range(size)]).cuda()
        part = torch.empty(2, 3, dtype=dtype, device="cuda")
        dist.reduce_scatter_tensor(part, whole)
        total = of_rank(rank, dtype)
        for other in range(1, size):
            total = total | of_rank(rank + other, dtype) if dtype == torch.bool else total + of_rank(rank + other, dtype)
        equal(part.cpu(), total)
    for op, wanted in ((ReduceOp.AVG, 1.5), (ReduceOp.PRODUCT, 2), (ReduceOp.MAX, 2), (ReduceOp.MIN, 1)):
        x = torch.full((3,), rank + 1.0, device="cuda")
        dist.all_reduce(x, op)
        assert x.tolist() == [wanted] * 3


def check_copies_of_every_dtype_and_layout(rank, size):
    for dtype in DTYPES + [torch.int16, torch.uint16, torch.float16, torch.bfloat16]:
        everyone = [of_rank(other, dtype) for other in range(size)]
        x = of_rank(rank, dtype).cuda()
        dist.broadcast(x, 1)
        equal(x.cpu(), everyone[1])
        parts = [torch.empty(3, 2, dtype=dtype, device="cuda").t() for _ in range(size)]
        dist.all_gather(parts, everyone[rank].cuda())
        for part, wanted in zip(parts, everyone):
            equal(part.cpu(), wanted)
        gathered = [torch.empty(2, 3, dtype=dtype, device="cuda") for _ in range(size)]
        dist.gather(everyone[rank].cuda(), gathered if rank == 0 else None)
        for part, wanted in zip(gathered, everyone):
            assert rank != 0 or torch.equal(part.cpu(), wanted)
        x = torch.empty(2, 3, dtype=dtype, device="cuda")
        dist.scatter(x, [t.cuda() for t in everyone] if rank == 1 else None, src=1)
        equal(x.cpu(), everyone[rank])
        if rank == 0:
            dist.send(everyone[0].cuda(), 1)
        else:
            assert dist.recv(x, 0) == 0
            equal(x.cpu(), everyone[0])


def check_asynchronous(rank, size):
    x = torch.full((4,), rank + 1.0, device="cuda")
    work = dist.all_reduce(x, async_op=True)
    assert work.wait() and work.is_completed() and x.tolist() == [3] * 4
    dist.barrier()


def check_averages_of_gradients(rank, size):
    torch.manual_seed(rank)
    net = nn.Linear(4, 2).cuda()
    ours = DistributedDataParallel(net, device_ids=[0], bucket_cap_mb=1e-6)
    batch = torch.arange(8.0).reshape(2, 4)
    (ours((batch + rank).cuda()) ** 2).mean().backward()
    wanted = [sum(torch.autograd.grad((net((batch + other).cuda()) ** 2).mean(), p)[0] for other in range(size)) / size for p in net.parameters()]
    for p, g in zip(net.parameters(), wanted):
        assert torch.allclose(p.grad, g, rtol=1e-5)


def check_both_backends(rank, size):
    both = dist.new_group(backend="cpu:mpi,cuda:nccl")
    for device in ("cpu", "cuda"):
        x = torch.ones(2, device=device)
        dist.all_reduce(x, group=both)
        assert x.tolist() == [2, 2]


def check_errors(rank, size):
    raises(RuntimeError, "takes tensors on cuda; take the backend 'mpi'", dist.all_reduce, torch.ones(2))
    raises(TypeError, "BAND of torch_np.int32", dist.all_reduce, torch.ones(2, dtype=torch.int32, device="cuda"), ReduceOp.BAND)
    raises(RuntimeError, "the process group was made on cuda:0", dist.all_reduce, torch.ones(2, device="cuda:1"))
    raises(ValueError, "needs src", dist.recv, torch.ones(2, device="cuda"))


dist.init_process_group("nccl", device_id=0)
run(globals())
