"""torch_np.utils.data._utils.worker: the description of a worker process."""
from __future__ import annotations

import numpy

from torch_np.utils.data._worker import WorkerInfo as WorkerInfo, get_worker_info as get_worker_info


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Returns four integers of 32 bits, which seed NumPy's generators in a worker.

    Args:
      base_seed: Seed of the data loader, not negative.
      worker_id: Number of the worker.
    """
    return numpy.random.SeedSequence((worker_id, base_seed)).generate_state(4).tolist()
