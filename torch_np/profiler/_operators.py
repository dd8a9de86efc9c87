"""`torch_np.ops.profiler`: labels in a profile, as operators."""
from __future__ import annotations

from typing import Any

from torch_np.profiler._record_function import record_function


def _record_function_enter(name: str, args: str | None = None) -> record_function:
    """Begins a label in the current profile, and returns what `_record_function_exit` ends.

    Args:
      name: The label.
      args: PyTorch's text beside the label; it is not recorded.

    Errors: TypeError if `name` is not a str.
    """
    return record_function(name, args).__enter__()


_record_function_enter_new = _record_function_enter


def _record_function_exit(handle: Any) -> None:
    """Ends a label.

    Args:
      handle: What `_record_function_enter` returned.
    """
    handle.__exit__(None, None, None)
