"""Which items of a dataset a process takes."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import torch_np
from torch_np.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """The items of a dataset that this process takes: every `num_replicas`-th, from `rank` on; all processes get equally many.

    Shuffled by PyTorch's numbers for `seed` plus the epoch, which `set_epoch` says before each. What can't be shared out evenly is left out with
    `drop_last`; without it, items from the beginning come twice. `num_replicas` and `rank` are by default those of the process group.

    Errors: ValueError without both if there is no process group, and for a `rank` that is not one of `num_replicas`.
    """

    def __init__(self, dataset: Sized, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0,
                 drop_last: bool = False) -> None:
        from torch_np import distributed
        self.num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
        self.rank = distributed.get_rank() if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(f"DistributedSampler(): rank must be from 0 to {self.num_replicas - 1}, got {self.rank}")
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
        """Says which epoch comes: each has an order of its own."""
        self.epoch = epoch
