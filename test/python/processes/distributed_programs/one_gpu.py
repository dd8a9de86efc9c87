"""The backend "nccl" with NCCL itself: one process, since two cannot share a GPU. devices.py tests
transfers between processes."""
import torch_np as torch
from checks import equal, run
from torch_np import distributed as dist, nn
from torch_np.distributed import ReduceOp
from torch_np.nn.parallel import DistributedDataParallel

COPIED = [torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64, torch.uint64, torch.float16,
          torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bool]
SUMMED = [d for d in COPIED if d not in (torch.int16, torch.uint16)]


def of(dtype):
    return ((torch.arange(6).reshape(2, 3)) % (2 if dtype == torch.bool else 7)).to(dtype)


def check_reductions(rank, size):
    for dtype in SUMMED:
        x = of(dtype).cuda()
        dist.all_reduce(x)
        equal(x.cpu(), of(dtype))
        dist.reduce(x, 0)
        equal(x.cpu(), of(dtype))
        part = torch.empty(2, 3, dtype=dtype, device="cuda")
        dist.reduce_scatter_tensor(part, of(dtype).cuda().unsqueeze(0))
        equal(part.cpu(), of(dtype))
    for op in (ReduceOp.AVG, ReduceOp.PRODUCT, ReduceOp.MAX, ReduceOp.MIN):
        x = torch.full((3,), 2.5, device="cuda")
        dist.all_reduce(x, op)
        assert x.tolist() == [2.5] * 3


def check_copies(rank, size):
    for dtype in COPIED:
        x = of(dtype).cuda()
        dist.broadcast(x, 0)
        equal(x.cpu(), of(dtype))
        parts = [torch.empty(3, 2, dtype=dtype, device="cuda").t()]
        dist.all_gather(parts, of(dtype).cuda())
        equal(parts[0].cpu(), of(dtype))


def check_order_with_other_streams(rank, size):
    """A reduction waits for the kernels that write its tensor, and later kernels wait for the
    reduction."""
    x = torch.zeros(1 << 24, device="cuda")
    for step in range(20):
        x += 1
        work = dist.all_reduce(x, async_op=True)
        work.wait()
    x *= 2
    assert work.is_completed() in (True, False) and float(x.min()) == float(x.max()) == 40


def check_gradients(rank, size):
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(40, 30), nn.Tanh(), nn.Linear(30, 2)).cuda()
    ours = DistributedDataParallel(net, device_ids=[0], bucket_cap_mb=1e-3)
    batch = torch.arange(400.0, device="cuda").reshape(10, 40) / 400
    wanted = torch.autograd.grad((net(batch) ** 2).mean(), list(net.parameters()))
    (ours(batch) ** 2).mean().backward()
    for p, g in zip(net.parameters(), wanted):
        equal(p.grad, g)


dist.init_process_group("nccl", device_id=0)
run(globals())
