"""torch_np._functorch.utils: a setting of PyTorch's transforms."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["enable_single_level_autograd_function"]


@contextlib.contextmanager
def enable_single_level_autograd_function() -> Iterator[None]:
    """A context without effect: functions of users run within one transformation in any case."""
    yield
