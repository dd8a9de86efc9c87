"""Labels in a profile."""
from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Any

from torch_np import _C


class record_function(contextlib.ContextDecorator):  # noqa: N801  (PyTorch's name)
    """A label in the current profile, for the body of a `with` statement or for each call of a
    decorated function.

    In a compiled function, the label appears when the function is recorded, but not when it is
    replayed.

    Args:
      name: the label
      args: PyTorch's text beside the label; it is kept, and not recorded

    Errors: TypeError if `name` is not a str.
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        if not isinstance(name, str):
            raise TypeError(f"record_function(): name must be a str, got {type(name).__name__}")
        self.name, self.args = name, args
        self._tickets: list[int] = []  # a stack: the object may be entered again before it exits

    def _recreate_cm(self) -> record_function:
        return record_function(self.name, self.args)  # several threads may call the function at once

    def __enter__(self) -> record_function:
        self._tickets.append(_C._profiler_begin(self.name))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _C._profiler_end(self._tickets.pop())

    def __reduce__(self) -> Any:
        return record_function, (self.name, self.args)
