"""Functions of PyTorch's extension module that packages call: switches of its script compiler, which have no effect here, and
questions about devices.
"""
from __future__ import annotations

from typing import Any

from torch_np import _C

_switches: dict[str, bool] = {"profiling_executor": True, "profiling_mode": True, "texpr_fuser": True, "fuse_on_cpu": False, "fuse_on_gpu": True}


def _exchange(name: str, value: bool) -> bool:
    before, _switches[name] = _switches[name], bool(value)
    return before


def _jit_set_profiling_executor(value: bool) -> bool:
    """Returns the value before."""
    return _exchange("profiling_executor", value)


def _jit_set_profiling_mode(value: bool) -> bool:
    """Returns the value before."""
    return _exchange("profiling_mode", value)


def _jit_set_texpr_fuser_enabled(value: bool) -> None:
    """Sets what `_jit_texpr_fuser_enabled` returns."""
    _exchange("texpr_fuser", value)


def _jit_texpr_fuser_enabled() -> bool:
    """Returns the switch."""
    return _switches["texpr_fuser"]


def _jit_override_can_fuse_on_cpu(value: bool) -> None:
    """Sets what `_jit_can_fuse_on_cpu` returns."""
    _exchange("fuse_on_cpu", value)


def _jit_override_can_fuse_on_gpu(value: bool) -> None:
    """Sets what `_jit_can_fuse_on_gpu` returns."""
    _exchange("fuse_on_gpu", value)


def _jit_can_fuse_on_cpu() -> bool:
    """Returns the switch."""
    return _switches["fuse_on_cpu"]


def _jit_can_fuse_on_gpu() -> bool:
    """Returns the switch."""
    return _switches["fuse_on_gpu"]


def _jit_set_nvfuser_enabled(value: bool) -> None:
    """Has no effect, as in PyTorch."""


def _jit_set_nvfuser_guard_mode(value: bool) -> None:
    """Has no effect, as in PyTorch."""


def _get_accelerator(check: bool = False) -> Any:
    """The device type of the accelerators; the CPU without one."""
    from torch_np import accelerator

    return accelerator.current_accelerator() or _C.device("cpu")


def _get_cudnn_enabled() -> bool:
    """The setting of torch_np.backends.cudnn."""
    from torch_np.backends import cudnn

    return cudnn.enabled


def _get_privateuse1_backend_name() -> str:
    """The name of devices that users add, which do not exist here."""
    return "privateuseone"


def _cuda_clearCublasWorkspaces() -> None:  # noqa: N802  (PyTorch's name)
    """Has no effect: matrix products have no memory of their own."""


for _function in [value for name, value in globals().items() if name.startswith(("_jit_", "_get_", "_cuda_"))]:
    if not hasattr(_C, _function.__name__):
        setattr(_C, _function.__name__, _function)
