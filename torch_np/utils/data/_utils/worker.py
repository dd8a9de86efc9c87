"""torch_np.utils.data._utils.worker: the description of a worker process, and its seeds."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy


@dataclass(frozen=True)
class WorkerInfo:
    """Describes a worker process: its index, the number of workers, its seed, and its copy of the
    dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """The WorkerInfo of the current DataLoader worker process; None in other processes."""
    return _worker_info


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Returns four integers of 32 bits, which seed NumPy's generators in a worker.

    Args:
      base_seed: Seed of the data loader, not negative.
      worker_id: Number of the worker.
    """
    return numpy.random.SeedSequence((worker_id, base_seed)).generate_state(4).tolist()
