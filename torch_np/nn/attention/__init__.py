"""torch_np.nn.attention: PyTorch's choice of attention kernels, causal masks (bias) and attention
with functions of the scores (flex_attention).
"""
from __future__ import annotations

import contextlib
import enum
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ["SDPBackend", "WARN_FOR_UNFUSED_KERNELS", "activate_flash_attention_impl", "current_flash_attention_impl", "list_flash_attention_impls",
           "register_flash_attention_impl", "restore_flash_attention_impl", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.IntEnum):
    """PyTorch's kernels of `scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    __str__ = enum.Enum.__str__
    __repr__ = enum.Enum.__repr__


_ALL = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH, SDPBackend.OVERRIDEABLE]


class _Thread(threading.local):
    allowed: list[SDPBackend] | None = None


_thread = _Thread()


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    return list(_ALL if _thread.allowed is None else _thread.allowed)


@contextlib.contextmanager
def sdpa_kernel(backends: Sequence[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[None]:
    """Context manager that names the kernels of attention to choose from. It changes no result:
    there is one implementation, which never holds all scores unless it must.

    Args:
      backends: an SDPBackend, or a list of them
      set_priority: whether the list is ordered

    Errors: AssertionError for other objects.
    """
    if not isinstance(backends, (list, tuple, SDPBackend)):
        raise AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}")
    listed = [backends] if isinstance(backends, SDPBackend) else list(backends)
    before, _thread.allowed = _thread.allowed, list(dict.fromkeys(listed))
    try:
        yield
    finally:
        _thread.allowed = before


# Implementations of flash attention that packages register, by name.
_registered: dict[str, Callable[..., Any]] = {}
_active: str | None = None


def list_flash_attention_impls() -> list[str]:
    """The names of the registered implementations of flash attention; none at first."""
    return sorted(_registered)


def current_flash_attention_impl() -> str | None:
    """The name of the active registered implementation; None if there is none."""
    return _active


def register_flash_attention_impl(impl: str, *, register_fn: Callable[..., Any]) -> None:
    """Raises NotImplementedError: kernels of PyTorch's dispatcher cannot be used.

    Args:
      impl: name of the implementation
      register_fn: function that registers the kernels
    """
    raise NotImplementedError(f"register_flash_attention_impl({impl!r}): kernels of PyTorch's dispatcher cannot be used; register an operator "
                              "with torch_np.library.custom_op and call it instead")


def activate_flash_attention_impl(impl: str) -> None:
    """Raises ValueError: no implementation is registered.

    Args:
      impl: name of the implementation
    """
    raise ValueError(f"Unknown flash attention impl '{impl}'. Available implementations: {list_flash_attention_impls()}")


def restore_flash_attention_impl(_raise_warn: bool = True) -> None:
    """Returns to the implementation of this library, which is always active."""
