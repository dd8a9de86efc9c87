"""Labels."""
from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Any

from torch_np import _C


class record_function(contextlib.ContextDecorator):  # noqa: N801  (PyTorch's name)
    """A label in the profile that is being recorded, if one is: around what a `with` statement has, or around each call of a function that it decorates.

    `name` (str). What a compiled function has labelled is in the profile when it is recorded, not when it is replayed.
    Errors: TypeError for a name that is no str."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"record_function(): name must be a str, got {type(name).__name__}")
        self.name = name
        self._tickets: list[int] = []  # of several: the same object may be entered again before it is left

    def _recreate_cm(self) -> record_function:
        return record_function(self.name)  # threads may be in the same function

    def __enter__(self) -> record_function:
        self._tickets.append(_C._profiler_begin(self.name))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _C._profiler_end(self._tickets.pop())

    def __reduce__(self) -> Any:
        return record_function, (self.name,)
