"""torch_np.futures: results that become available later."""
from __future__ import annotations

from torch_np._torch.future import Future as Future, collect_all as collect_all, wait_all as wait_all

__all__ = ["Future", "collect_all", "wait_all"]
