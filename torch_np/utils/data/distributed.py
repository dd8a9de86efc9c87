"""DistributedSampler: distributes a dataset over processes."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import torch_np
from torch_np.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Indices of the samples that this process reads: every `num_replicas`-th, starting at `rank`.

    All processes get equally many. The shuffled order is PyTorch's for the seed `seed` plus the
    epoch. Call `set_epoch` before each epoch.

    Args:
      dataset: dataset with a length
      num_replicas: number of processes; by default the size of the process group
      rank: this process's rank; by default its rank in the process group
      shuffle: whether to shuffle
      seed: seed of the order
      drop_last: omit samples that cannot be distributed evenly, instead of repeating samples from
        the beginning

    Errors: ValueError if there is no process group and either of `num_replicas` and `rank` is
    missing, and for a `rank` out of range.
    """

    def __init__(self, dataset: Sized, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0,
                 drop_last: bool = False) -> None:
        from torch_np import distributed
        self.num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
        self.rank = distributed.get_rank() if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(f"Invalid rank {self.rank}, rank should be in the interval [0, {self.num_replicas - 1}]")
        self.dataset, self.shuffle, self.seed, self.drop_last, self.epoch = dataset, shuffle, seed, drop_last, 0
        count = len(dataset)
        self.num_samples = count // self.num_replicas if drop_last else math.ceil(count / self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            order: Any = torch_np.randperm(count, generator=torch_np.Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            order = list(range(count))
        order = (order * math.ceil(self.total_size / count) if count else order)[:self.total_size]
        return iter(order[self.rank::self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which selects the shuffled order."""
        self.epoch = epoch
