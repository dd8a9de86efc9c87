"""Measures the parts of a training step in several processes on this machine, as input for
docs/scaling.md.

    python -m torch_np.distributed.run -n 2 benchmarks/processes.py [--json PATH] [--seconds S]

Measured are the memory bandwidth and all-reduces of 4 bytes to 64 MiB between the processes. For
two networks (that of examples/digits.py, and one of ten million parameters) also the forward pass,
the backward pass, the optimiser, one all-reduce of all gradients, and a whole step with
DistributedDataParallel. Minima, in seconds, of as many repetitions as fit into `--seconds` each.
Each process has a share of the processors.
"""
import argparse
import json
import time

import torch_np as torch
from torch_np import distributed as dist, nn
from torch_np.nn.parallel import DistributedDataParallel

BATCH = 64  # rows per process


def fastest(call, seconds):
    """The minimum time of a call in any process. All processes make equally many calls: the first
    one decides when to stop."""
    enough = torch.zeros(1)
    best, begin = float("inf"), time.perf_counter()
    while not enough.item():
        for _ in range(5):
            dist.barrier()
            start = time.perf_counter()
            call()
            best = min(best, time.perf_counter() - start)
        enough.fill_(time.perf_counter() - begin > seconds)
        dist.broadcast(enough, 0)
    slowest = torch.tensor([best], dtype=torch.float64)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item()


def measure_memory(seconds):
    """Bytes per second of copying 128 MiB, read and written, by all processes at once."""
    source, target = torch.ones(1 << 25), torch.ones(1 << 25)
    return dist.get_world_size() * 2 * source.nbytes / fastest(lambda: target.copy_(source), seconds)


def measure_all_reduce(seconds):
    times = {}
    for count in [4 ** k for k in range(0, 13)]:
        x = torch.ones(count)
        times[x.nbytes] = fastest(lambda: dist.all_reduce(x, dist.ReduceOp.MAX), seconds)
    return times


def measure_network(net, inputs, classes, seconds):
    x, y = torch.randn(BATCH, inputs), torch.randint(0, classes, (BATCH,))
    optimizer = torch.optim.SGD(net.parameters(), 1e-4, momentum=0.9)
    loss_of = nn.functional.cross_entropy
    loss = loss_of(net(x), y)

    def forward():
        nonlocal loss
        loss = loss_of(net(x), y)

    def forward_and_backward():
        optimizer.zero_grad()
        loss_of(net(x), y).backward()

    result = {"parameters": sum(p.numel() for p in net.parameters()), "forward": fastest(forward, seconds)}
    result["backward"] = fastest(forward_and_backward, seconds) - result["forward"]
    result["optimizer"] = fastest(optimizer.step, seconds)
    flat = torch.zeros(result["parameters"])
    result["all_reduce"] = fastest(lambda: dist.all_reduce(flat), seconds)
    ours = DistributedDataParallel(net, broadcast_buffers=False, gradient_as_bucket_view=True)

    def step():
        optimizer.zero_grad()
        loss_of(ours(x), y).backward()
        optimizer.step()
    result["step"] = fastest(step, seconds)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", help="where to write the figures")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    options = parser.parse_args()
    dist.init_process_group("mpi")
    digits = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    large = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 1792), nn.ReLU(), nn.Linear(1792, 10))
    figures = {"processes": dist.get_world_size(), "threads": torch.get_num_threads(), "memory": measure_memory(options.seconds),
               "all_reduce": measure_all_reduce(options.seconds / 2), "digits": measure_network(digits, 64, 10, options.seconds),
               "ten million": measure_network(large, 1024, 10, options.seconds * 2)}
    if dist.get_rank() == 0:
        print(f"{figures['processes']} processes of {figures['threads']} threads; memory {figures['memory'] / 1e9:.1f} GB/s")
        for size, seconds in figures["all_reduce"].items():
            print(f"all_reduce of {size:>9} bytes: {seconds * 1e6:9.1f} us, {size / seconds / 1e9:6.2f} GB/s")
        for name in ("digits", "ten million"):
            print(name, ", ".join(f"{key} {value if key == 'parameters' else f'{value * 1e3:.3f} ms'}" for key, value in figures[name].items()))
        if options.json:
            with open(options.json, "w") as file:
                json.dump(figures, file, indent=1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
