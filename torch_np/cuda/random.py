"""torch_np.cuda.random: functions of torch_np.cuda, by the name of PyTorch's file."""
from __future__ import annotations

from torch_np.cuda import *  # noqa: F403
