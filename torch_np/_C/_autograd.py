"""Classes and functions of autograd by the names that PyTorch's extension module gives them."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np.autograd import _saved_tensors
from torch_np.autograd._device_type import DeviceType

__all__ = ["DeviceType", "SavedTensor", "kineto_available"]

SavedTensor = _C.SavedTensor
_get_current_graph_task_keep_graph = _C._get_current_graph_task_keep_graph


def __getattr__(name: str) -> Any:
    if name == "ProfilerActivity":
        from torch_np.profiler import ProfilerActivity

        return ProfilerActivity
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def kineto_available() -> bool:
    """Whether the profiler is PyTorch's library Kineto: never."""
    return False


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether hooks of saved tensors may be set on this thread."""
    return _saved_tensors._thread.disabled is None


def _saved_tensors_hooks_disable(message: str, fail_if_non_empty: bool = True) -> None:
    """Makes hooks of saved tensors raise RuntimeError with this text. Errors: RuntimeError if hooks are active already."""
    if fail_if_non_empty and _saved_tensors._thread.depth:
        raise RuntimeError(message)
    _saved_tensors._thread.disabled = message


def _saved_tensors_hooks_enable() -> None:
    """Ends `_saved_tensors_hooks_disable`."""
    _saved_tensors._thread.disabled = None
