"""torch_np.cuda.nvtx: names of parts of a program. The profiler of torch_np shows them, on every device."""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from torch_np.autograd.profiler import record_function

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_open = threading.local()


def range_push(msg: str) -> int:
    """Begins a part. Returns the number of parts that are open in this thread, before it.

    Args:
      msg: Name of the part.
    """
    stack = _open.__dict__.setdefault("stack", [])
    part = record_function(msg)
    part.__enter__()
    stack.append(part)
    return len(stack) - 1


def range_pop() -> int:
    """Ends the part that was begun last. Returns the number of parts that are open in this thread, after it; -1 if there was none."""
    stack = _open.__dict__.setdefault("stack", [])
    if not stack:
        return -1
    stack.pop().__exit__(None, None, None)
    return len(stack)


def range_start(msg: str) -> Any:
    """Begins a part that another thread may end. Returns its handle.

    Args:
      msg: Name of the part.
    """
    part = record_function(msg)
    part.__enter__()
    return part


def range_end(range_id: Any) -> None:
    """Ends a part.

    Args:
      range_id: The handle from `range_start`.
    """
    range_id.__exit__(None, None, None)


def mark(msg: str) -> None:
    """Marks a moment.

    Args:
      msg: Its name.
    """
    with record_function(msg):
        pass


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:  # noqa: A001  (PyTorch's name)
    """A part, as a context or as a decorator of functions.

    Args:
      msg: Name of the part, which is formatted with the other arguments.
      args: Arguments of `str.format`.
      kwargs: Its keywords.
    """
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
