"""DistributedDataParallel: its gradients are the averages over the processes, for every size of
buckets."""
import gc
import time
import weakref

import torch_np as torch
import torch_np.numpy as np
from checks import equal, raises, run
from torch_np import distributed as dist, nn
from torch_np.nn.parallel import DistributedDataParallel
from torch_np.utils.data import DistributedSampler


class Branches(nn.Module):
    """Uses one of two layers, or none."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, x, which):
        return {"y": [self.last([x, self.first(x), self.second(x)][which])]}


def network(seed=0, dtype=torch.float32):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 40), nn.BatchNorm1d(40), nn.ReLU(), nn.Linear(40, 3)).to(dtype)


def batch(rank, dtype=torch.float32):
    return torch.randn(8, 6, generator=torch.Generator().manual_seed(100 + rank)).to(dtype)


def loss_of(net, x):
    return net(x).square().mean()


def averages(net, size, dtype=torch.float32):
    """Expected values, computed by one process: the sum of the gradients of each part, divided by
    the number of processes."""
    total = None
    for other in range(size):
        parts = [g / size for g in torch.autograd.grad(loss_of(net, batch(other, dtype)), list(net.parameters()))]
        total = parts if total is None else [a + b for a, b in zip(total, parts)]
    return total


def check_averages_to_the_bit(rank, size):
    for dtype in (torch.float32, torch.float64):
        for cap in (None, 5e-4, 1e-6):  # MiB: all parameters in one bucket, some, each parameter alone
            for views in (False, True):
                net = network(dtype=dtype)
                ours = DistributedDataParallel(net, bucket_cap_mb=cap, gradient_as_bucket_view=views)
                assert len(ours._reducer.buckets) == {None: 1, 5e-4: 2 if dtype == torch.float32 else 3, 1e-6: 6}[cap]
                for _ in range(3):
                    ours.zero_grad()
                    loss_of(ours, batch(rank, dtype)).backward()
                    for p, wanted in zip(net.parameters(), averages(network(dtype=dtype), size, dtype)):
                        equal(p.grad, wanted)  # two summands: their order does not matter


def check_averages_travel_while_backward_goes_on(rank, size):
    """Gradients of the last layer are averaged before those of the first layer are computed."""
    net = nn.Sequential(nn.Linear(6, 40), nn.ReLU(), nn.Linear(40, 3))
    ours = DistributedDataParallel(net, bucket_cap_mb=1e-6)  # each parameter alone
    reducer, seen = ours._reducer, []

    def on_the_way(_):
        first = reducer.buckets[0]
        assert reducer.buckets[-1].work is None and list(first.indices) == [3]
        give_up = time.monotonic() + 60
        while not first.work.is_completed() and time.monotonic() < give_up:
            pass
        seen.append((reducer._begun, first.work.is_completed(), first.flat.clone()))

    net[0].register_forward_hook(lambda module, args, output: output.register_hook(on_the_way) and None)
    loss_of(ours, batch(rank)).backward()
    (begun, completed, average), = seen
    assert begun == 2 and completed  # the last layer's weight and bias; two buckets are still missing
    equal(average, net[2].bias.grad)


def check_half_precision(rank, size):
    net = nn.Linear(6, 3).to(torch.bfloat16)
    ours = DistributedDataParallel(net)
    loss_of(ours, batch(rank, torch.bfloat16)).backward()
    for p, wanted in zip(net.parameters(), averages(net, size, torch.bfloat16)):
        equal(p.grad, wanted)


def check_parameters_and_buffers_begin_as_those_of_the_first(rank, size):
    net = network(seed=rank)
    net[1].running_mean.fill_(rank)
    DistributedDataParallel(net)
    for a, b in zip(net.state_dict().values(), network(seed=0).state_dict().values()):
        assert torch.equal(a, b)
    net = network(seed=rank)
    DistributedDataParallel(net, init_sync=False)
    equal(net[0].weight.detach(), network(seed=rank)[0].weight.detach())


def check_buffers_follow_the_first(rank, size):
    for follow in (True, False):
        net = network()
        ours = DistributedDataParallel(net, broadcast_buffers=follow)
        for _ in range(2):
            loss_of(ours, batch(rank)).backward()
        alone = network()
        for other in range(2):
            alone(batch(0 if other == 0 and follow else rank))
        equal(net[1].running_mean, alone[1].running_mean)
        with torch.no_grad():
            if rank == 0:  # no collective
                ours(batch(rank))


def check_names_of_the_state(rank, size):
    ours = DistributedDataParallel(network())
    assert list(ours.state_dict()) == ["module." + name for name in network().state_dict()]
    ours.load_state_dict({"module." + name: t for name, t in network(5).state_dict().items()})
    equal(ours.module[0].weight.detach(), network(5)[0].weight.detach())


def check_no_sync(rank, size):
    net = network()
    ours = DistributedDataParallel(net, broadcast_buffers=False)
    with ours.no_sync():
        loss_of(ours, batch(rank)).backward()
    alone = torch.autograd.grad(loss_of(network(), batch(rank)), list(network().parameters()), allow_unused=True)
    assert all(g is None for g in alone)  # the gradients of another network
    other = network()
    loss_of(other, batch(rank)).backward()
    for p, wanted in zip(net.parameters(), other.parameters()):
        equal(p.grad, wanted.grad)
    loss_of(ours, batch(rank)).backward()
    for p, wanted in zip(net.parameters(), averages(network(), size)):
        assert torch.allclose(p.grad, 2 * wanted, rtol=1e-5, atol=1e-6)


def check_training_keeps_the_processes_together(rank, size):
    net = network()
    ours = DistributedDataParallel(net, bucket_cap_mb=5e-4)
    optimizer = torch.optim.Adam(ours.parameters(), 1e-2)
    for step in range(10):
        optimizer.zero_grad()
        loss_of(ours, batch(rank + 10 * step)).backward()
        optimizer.step()
    weights = torch.cat([p.detach().flatten() for p in net.parameters()])
    everyone = torch.empty(size, weights.numel())
    dist.all_gather_into_tensor(everyone, weights)
    assert all(torch.equal(w, weights) for w in everyone)


def check_unused_parameters(rank, size):
    net = Branches()
    ours = DistributedDataParallel(net, find_unused_parameters=True)
    x = torch.ones(2, 3)
    ours(x, 1 if rank == 0 else 2)["y"][0].sum().backward()  # a different branch on each process
    sums = [t.clone() for t in (net.first.weight.grad, net.second.weight.grad)]
    alone = [torch.autograd.grad(net(x, which)["y"][0].sum(), layer.weight)[0] for which, layer in ((1, net.first), (2, net.second))]
    equal(sums[0], alone[0] / size)
    equal(sums[1], alone[1] / size)
    ours(x, 0)["y"][0].sum().backward()  # unused by all processes: unchanged
    equal(net.first.weight.grad, sums[0])
    fresh = DistributedDataParallel(Branches(), find_unused_parameters=True)
    fresh(x, 0)["y"][0].sum().backward()
    assert fresh.module.first.weight.grad is None and fresh.module.last.weight.grad is not None


def check_passes_without_backward_are_forgotten(rank, size):
    net = Branches()
    ours = DistributedDataParallel(net, find_unused_parameters=True)
    x = torch.ones(2, 3)
    for which in (1, 0, 1 + rank):
        ours(x, which)
    ours(x, 2)["y"][0].sum().backward()
    equal(net.second.weight.grad, torch.autograd.grad(net(x, 2)["y"][0].sum(), net.second.weight)[0])
    assert net.first.weight.grad is None


def check_one_backward_through_two_forwards(rank, size):
    net = nn.Linear(6, 3)
    ours = DistributedDataParallel(net)
    (loss_of(ours, batch(rank)) + loss_of(ours, batch(rank))).backward()
    for p, wanted in zip(net.parameters(), averages(net, size)):
        assert torch.allclose(p.grad, 2 * wanted, rtol=1e-5, atol=1e-6)


def check_unused_parameters_are_noticed(rank, size):
    ours = DistributedDataParallel(Branches())
    ours(torch.ones(2, 3), 1)["y"][0].sum().backward()
    raises(RuntimeError, "second.weight", ours, torch.ones(2, 3), 1)


def check_arrays_of_the_other_face(rank, size):
    net = network()
    ours = DistributedDataParallel(net)
    y = ours(np.asarray(batch(rank).numpy()))
    assert isinstance(y, np.ndarray)
    (y * y).mean()._backward()
    for p, wanted in zip(net.parameters(), averages(network(), size)):
        assert torch.allclose(p.grad, wanted, rtol=1e-5, atol=1e-6)


def check_frozen_and_shared_parameters(rank, size):
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4))
    net[1].weight = net[0].weight
    net[2].weight.requires_grad = False
    ours = DistributedDataParallel(net)
    x = torch.full((2, 4), rank + 1.0)
    loss_of(ours, x).backward()
    wanted = sum(torch.autograd.grad(loss_of(net, torch.full((2, 4), other + 1.0)), net[0].weight)[0] for other in range(size)) / size
    assert torch.allclose(net[0].weight.grad, wanted, rtol=1e-5) and net[2].weight.grad is None


def check_it_goes_when_nobody_holds_it(rank, size):
    net = network()
    ours = DistributedDataParallel(net)
    known = weakref.ref(ours._reducer)
    del ours
    gc.collect()
    assert known() is None
    loss_of(net, batch(rank)).backward()  # nothing is averaged any more
    other = network()
    loss_of(other, batch(rank)).backward()
    equal(net[0].weight.grad, other[0].weight.grad)


def check_errors(rank, size):
    raises(ValueError, "no parameter", DistributedDataParallel, nn.ReLU())
    raises(RuntimeError, "of ranks 0 and 1 of the group differ", DistributedDataParallel, nn.Linear(3, 3 + rank))
    raises(RuntimeError, "of ranks 0 and 1 of the group differ", DistributedDataParallel, nn.Linear(3, 3, bias=rank == 0))
    raises(NotImplementedError, "device_ids", DistributedDataParallel, nn.Linear(3, 3), device_ids=[0, 1])
    raises(NotImplementedError, "static_graph", DistributedDataParallel, nn.Linear(3, 3), static_graph=True)
    raises(NotImplementedError, "device_mesh", DistributedDataParallel, nn.Linear(3, 3), device_mesh=1)
    raises(ValueError, "bucket_cap_mb", DistributedDataParallel, nn.Linear(3, 3), bucket_cap_mb=0)


def check_samplers_share_a_dataset_out(rank, size):
    mine = list(DistributedSampler(range(11)))
    everyone = [None] * size
    dist.all_gather_object(everyone, mine)
    assert sorted(set(sum(everyone, []))) == list(range(11)) and {len(m) for m in everyone} == {-(-11 // size)}


dist.init_process_group("mpi")
run(globals())
