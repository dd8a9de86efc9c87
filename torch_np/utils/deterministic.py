"""torch_np.utils.deterministic: settings of `use_deterministic_algorithms`."""
from __future__ import annotations

import sys
import types

from torch_np._torch import settings

__all__ = ["fill_uninitialized_memory"]

fill_uninitialized_memory: bool


class _Module(types.ModuleType):
    """The class of this module, whose attribute is a setting of the process."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether `empty` and `resize_` fill new memory, with NaN or the largest integer, while
        `use_deterministic_algorithms` is on. True at first."""
        return settings.fills_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        settings.set_fill_uninitialized_memory(mode)


sys.modules[__name__].__class__ = _Module
