"""Settings of the kernels of attention, of which there is one."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torch_np._absent import absent_function, absent_names

__all__ = [
    "SDPAParams", "allow_fp16_bf16_reduction_math_sdp", "blas_workspace_size", "can_use_cudnn_attention", "can_use_efficient_attention",
    "can_use_flash_attention", "cuFFTPlanCacheAttrContextProp", "cublas_workspace_size", "cublaslt_workspace_size", "cudnn_sdp_enabled",
    "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp", "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed", "is_ck_sdpa_available", "is_flash_attention_available", "math_sdp_enabled",
    "mem_efficient_sdp_enabled", "preferred_rocm_fa_library", "sdp_kernel",
]

if TYPE_CHECKING:  # what the next statement defines
    from torch_np._absent import AbsentClass as SDPAParams, AbsentClass as cuFFTPlanCacheAttrContextProp

    blas_workspace_size = cublas_workspace_size = cublaslt_workspace_size = preferred_rocm_fa_library = absent_function("", "", "")
absent_names(globals(), "the engine chooses its kernels; there are no such settings",
             functions="blas_workspace_size cublas_workspace_size cublaslt_workspace_size preferred_rocm_fa_library",
             classes="SDPAParams cuFFTPlanCacheAttrContextProp")

_enabled = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}
_reduced = False


def _enable(name: str) -> Callable[[bool], None]:
    def function(enabled: bool) -> None:
        _enabled[name] = bool(enabled)
    function.__name__ = function.__qualname__ = f"enable_{name}_sdp"
    function.__doc__ = ("Allows or forbids one of PyTorch's kernels of attention. The engine has one kernel, and its results do not depend\n"
                        "    on the setting.\n\n    Args:\n      enabled: Whether it is allowed.\n    ")
    return function


def _is_enabled(name: str) -> Callable[[], bool]:
    def function() -> bool:
        return _enabled[name]
    function.__name__ = function.__qualname__ = f"{name}_sdp_enabled"
    function.__doc__ = f"Returns the value that `enable_{name}_sdp` has set; True at first."
    return function


enable_flash_sdp, enable_mem_efficient_sdp, enable_math_sdp, enable_cudnn_sdp = map(_enable, ("flash", "mem_efficient", "math", "cudnn"))
flash_sdp_enabled, mem_efficient_sdp_enabled, math_sdp_enabled, cudnn_sdp_enabled = map(
    _is_enabled, ("flash", "mem_efficient", "math", "cudnn"))


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allows sums in float16 and bfloat16 in attention. Sums are in float32, whatever is allowed.

    Args:
      enabled: Whether they are allowed.
    """
    global _reduced
    _reduced = bool(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Returns the value that `allow_fp16_bf16_reduction_math_sdp` has set; False at first."""
    return _reduced


def can_use_flash_attention(params: object, debug: bool = False) -> bool:
    """Returns False: PyTorch's kernels of attention do not exist here.

    Args:
      params: Arguments of the attention.
      debug: Whether to give reasons.
    """
    return False


def can_use_efficient_attention(params: object, debug: bool = False) -> bool:
    """Returns False: PyTorch's kernels of attention do not exist here.

    Args:
      params: Arguments of the attention.
      debug: Whether to give reasons.
    """
    return False


def can_use_cudnn_attention(params: object, debug: bool = False) -> bool:
    """Returns False: cuDNN is not used.

    Args:
      params: Arguments of the attention.
      debug: Whether to give reasons.
    """
    return False


def is_flash_attention_available() -> bool:
    """Returns False: PyTorch's kernels of attention do not exist here."""
    return False


def is_ck_sdpa_available() -> bool:
    """Returns False: AMD's GPUs are not supported."""
    return False


@contextmanager
def sdp_kernel(enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True,
               enable_cudnn: bool = True) -> Iterator[None]:
    """Context manager that allows and forbids PyTorch's kernels of attention. The engine has one kernel,
    and its results do not depend on the setting.

    Args:
      enable_flash: Whether this kernel is allowed.
      enable_math: Whether this kernel is allowed.
      enable_mem_efficient: Whether this kernel is allowed.
      enable_cudnn: Whether this kernel is allowed.
    """
    before = dict(_enabled)
    _enabled.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        _enabled.update(before)
