"""Trains the network of digits.py in several processes, each with its part of every batch.

    python -m torch_np.distributed.run -n 2 examples/data_parallel.py [--epochs N] [--die RANK]

All processes hold the whole network; `DistributedDataParallel` averages their gradients during the
backward pass (docs/distributed.md). In each of the first steps, the result is checked against two
computations in a single process: the gradients of each part of the batch, added in the order of
ranks, which must agree to the bit, and those of the joint batch, whose sums are rounded in another
order. `--die RANK` kills a process in the middle: the job ends with an error message.
"""
import argparse
import os
import signal
import time

import torch_np as torch
from torch_np import distributed, nn
from torch_np.nn.parallel import DistributedDataParallel
from torch_np.utils.data import DataLoader, DistributedSampler, TensorDataset

from digits import BATCH, HIDDEN, MOMENTUM, RATE, load

CHECKED = 20  # number of steps whose gradients are compared


def network():
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(64, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 10))


def gradients(net, images, labels):
    """The gradients of the mean cross-entropy; does not modify `net`'s own."""
    return torch.autograd.grad(nn.functional.cross_entropy(net(images), labels), list(net.parameters()))


def compare(net, images, labels):
    """Whether the averaged gradients equal, to the bit, the sum of the parts' gradients computed
    here; and the largest difference from those of the joint batch."""
    size = distributed.get_world_size()
    parts = {name: [torch.empty_like(t) for _ in range(size)] for name, t in (("images", images), ("labels", labels))}
    distributed.all_gather(parts["images"], images)
    distributed.all_gather(parts["labels"], labels)
    alone = [gradients(net, *part) for part in zip(parts["images"], parts["labels"])]
    averages = [g / size for g in alone[0]]
    for others in alone[1:]:
        averages = [a + g / size for a, g in zip(averages, others)]
    joint = gradients(net, torch.cat(parts["images"]), torch.cat(parts["labels"]))
    ours = [p.grad for p in net.parameters()]
    return all(torch.equal(a, b) for a, b in zip(ours, averages)), max(float((a - b).abs().max()) for a, b in zip(ours, joint))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--die", type=int, default=-1, metavar="RANK", help="this process is killed after the first epoch")
    options = parser.parse_args()

    distributed.init_process_group("mpi")
    rank, size = distributed.get_rank(), distributed.get_world_size()
    images, labels, test_images, test_labels = (torch.from_numpy(a.copy()) for a in load())
    data = TensorDataset(images, labels)
    sampler = DistributedSampler(data, drop_last=True, seed=1)
    loader = DataLoader(data, batch_size=BATCH // size, sampler=sampler, drop_last=True)
    net = DistributedDataParallel(network())
    optimizer = torch.optim.SGD(net.parameters(), RATE, momentum=MOMENTUM)

    same, difference, checked, begin = True, 0.0, 0, time.perf_counter()
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(())
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            if checked < CHECKED:
                bits, largest = compare(net.module, x, y)
                same, difference, checked = same and bits, max(difference, largest), checked + 1
            optimizer.step()
            total += loss.detach() / len(loader)
        distributed.all_reduce(total, distributed.ReduceOp.AVG)
        if rank == 0 and (epoch + 1) % 5 == 0:
            print(f"epoch {epoch + 1}: loss {float(total):.4f}", flush=True)
        if rank == options.die:
            os.kill(os.getpid(), signal.SIGKILL)

    weights = torch.cat([p.detach().flatten() for p in net.parameters()])
    everyone = torch.empty(size, weights.numel())
    distributed.all_gather_into_tensor(everyone, weights)
    with torch.no_grad():
        accuracy = float((net(test_images).argmax(1) == test_labels).float().mean())
    if rank == 0:
        print(f"{size} processes, {(time.perf_counter() - begin) / options.epochs:.3f} s an epoch")
        print(f"gradients of the parts of {checked} batches, added up by one process: {'the same bits' if same else 'DIFFERENT BITS'}")
        print(f"gradients of the joint batches: largest difference {difference:.1e}")
        print(f"weights of all processes are the same: {all(torch.equal(w, weights) for w in everyone)}")
        print(f"accuracy on {len(test_labels)} held-out digits: {accuracy:.2%}")
        # With three or more processes, MPI may not add in the order of ranks.
        if (size <= 2 and not same) or difference > 1e-6 or accuracy < 0.95:
            raise SystemExit("the gradients should be those of one process, and the accuracy at least 95 %")
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
