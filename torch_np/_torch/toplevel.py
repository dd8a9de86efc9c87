"""Names at the top of PyTorch's face that lead into modules that are loaded when they are used."""
from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from torch_np import _C, _public_names
from torch_np._absent import absent_class
from torch_np._torch.dispatch_keys import DispatchKey as _DispatchKey  # noqa: F401  (names of the extension module)
from torch_np._torch.random import default_generator
from torch_np._torch.settings import has_lapack, has_mkl, has_openmp, has_spectral
from torch_np._torch.storage import UntypedStorage

__all__ = ["AVG", "SUM", "AggregationType", "Event", "OutOfMemoryError", "StorageBase", "Stream", "Tag", "fork", "is_anomaly_check_nan_enabled",
           "is_anomaly_enabled", "per_channel_affine", "per_channel_affine_float_qparams", "per_channel_symmetric", "per_tensor_affine",
           "per_tensor_symmetric", "qscheme", "set_anomaly_enabled", "wait"]

OutOfMemoryError = MemoryError  # the engine raises it on every device


class qscheme:  # noqa: N801  (PyTorch's name)
    """How a quantised tensor maps numbers to integers. Quantised tensors are not implemented."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"{_public_names.public}.{self.name}"

    def __reduce__(self) -> str:
        return self.name


per_channel_affine, per_channel_affine_float_qparams = qscheme("per_channel_affine"), qscheme("per_channel_affine_float_qparams")
per_channel_symmetric, per_tensor_affine = qscheme("per_channel_symmetric"), qscheme("per_tensor_affine")
per_tensor_symmetric = qscheme("per_tensor_symmetric")


class AggregationType(enum.Enum):
    """How PyTorch's monitor combines the values of an event."""

    SUM = 0
    AVG = 1


SUM, AVG = AggregationType.SUM, AggregationType.AVG


class Tag(enum.Enum):
    """Properties of operators that a definition of an operator may name."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19


def _device_of(name: str, device: Any) -> Any:
    """The GPU of a Stream or an Event. Errors: RuntimeError if there is none."""
    from torch_np import cuda
    if device is not None and _C.device(device).type != "cuda":
        raise RuntimeError(f"{name}(): the device must be a GPU, got {device}")
    if not cuda.is_available():
        raise RuntimeError(f"{name}(): the device must be a GPU, and there is none")
    return device


class Stream:
    """A queue of work on a GPU: makes a torch_np.cuda.Stream.

    Args:
      device: The GPU; None is the current GPU.
      priority: Priority of the stream; smaller numbers run first.

    Errors: RuntimeError if there is no GPU, or for another device.
    """

    def __new__(cls, device: Any = None, *, priority: int = 0) -> Any:
        from torch_np import cuda
        return cuda.Stream(_device_of("Stream", device), priority)


class Event:
    """A point in a stream of a GPU: makes a torch_np.cuda.Event.

    Args:
      device: The GPU; None is the current GPU.
      enable_timing: Whether the event records its time.
      blocking: Whether PyTorch's `synchronize` sleeps; a wait does not change results.
      interprocess: Must be False.

    Errors: RuntimeError if there is no GPU, or for another device; NotImplementedError if
    `interprocess`.
    """

    def __new__(cls, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Any:
        from torch_np import cuda
        _device_of("Event", device)
        if interprocess:
            raise NotImplementedError("Event(): interprocess=True is not implemented; synchronise the processes by torch_np.distributed")
        return cuda.Event(enable_timing)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function at once and returns a completed Future of its result; see torch_np.jit.fork.

    Args:
      func: The function.
      args: Its arguments.
      kwargs: Its keyword arguments.

    Errors: exceptions of the function.
    """
    from torch_np import jit
    return jit.fork(func, *args, **kwargs)


def wait(future: Any) -> Any:
    """Waits for a Future and returns its value.

    Args:
      future: The Future.
    """
    return future.wait()


def is_anomaly_enabled() -> bool:
    """Whether backward passes raise an error for a gradient with NaN."""
    return bool(_C._nan_check_enabled())


def is_anomaly_check_nan_enabled() -> bool:
    """Whether backward passes look for NaN, which is the only anomaly that they detect."""
    return bool(_C._nan_check_enabled())


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Sets whether backward passes raise RuntimeError for a gradient with NaN.

    Args:
      enabled: Whether anomalies are detected.
      check_nan: Whether NaN is an anomaly.
    """
    _C._set_nan_check(bool(enabled and check_nan))


# Names that packages read from PyTorch's extension module.
_C._TensorMeta = type(_C.Tensor)
StorageBase = UntypedStorage
_C.TensorBase, _C.StorageBase, _C.default_generator = _C.Tensor, StorageBase, default_generator
_C.LoggerBase = absent_class("LoggerBase", "loggers of PyTorch's script compiler are not implemented; use the module logging", "torch_np._C")
_C.has_lapack, _C.has_mkl, _C.has_openmp, _C.has_spectral = has_lapack, has_mkl, has_openmp, has_spectral


def _get_tracing_state() -> None:
    """Returns None: functions of torch_np.jit.trace are run by Python, not recorded."""


def _is_tracing() -> bool:
    """Returns False, as torch_np.jit.is_tracing does."""
    return False


def _are_functorch_transforms_active() -> bool:
    """Returns False: torch_np.func works on ordinary tensors, so no transform changes their kind."""
    return False


def _log_api_usage_once(event: str, /) -> None:
    """Does nothing: PyTorch passes the event to a logger of the process, and there is none."""


_extension: Any = _C
_extension._log_api_usage_once = _log_api_usage_once
_extension._get_tracing_state, _extension._is_tracing = _get_tracing_state, _is_tracing
_extension._are_functorch_transforms_active = _are_functorch_transforms_active
