"""torch_np.backends.cuda: settings of NVIDIA's libraries."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np import _C
from torch_np._torch import precision as _precision
from torch_np.cuda import _index

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

_cuda = _C._cuda


class _PlanCache:
    """Cache of the plans of Fourier transforms on a GPU. It keeps the `max_size` most recently used
    plans.
    """

    __slots__ = ("_device",)  # an unknown attribute raises

    def __init__(self, device: DeviceLike | None = None) -> None:
        self._device = device

    @property
    def size(self) -> int:
        """Number of cached plans."""
        return _cuda.plan_cache_size(_index(self._device))

    @property
    def max_size(self) -> int:
        """Largest number of cached plans; 0 turns the cache off. Errors: RuntimeError if it is set
        to a negative number.
        """
        return _cuda.plan_cache_max_size(_index(self._device))

    @max_size.setter
    def max_size(self, number: int) -> None:
        _cuda.set_plan_cache_max_size(_index(self._device), number)

    def clear(self) -> None:
        """Removes all cached plans."""
        _cuda.clear_plan_cache(_index(self._device))


class _PlanCaches(_PlanCache):
    """The plan cache of the current GPU; `cufft_plan_cache[device]` is that of any GPU."""

    __slots__ = ()

    def __getitem__(self, device: DeviceLike) -> _PlanCache:
        return _PlanCache(_index(device))


cufft_plan_cache = _PlanCaches()


class _Matmul:
    """Products of matrices: settings of their precision."""

    __slots__ = ()

    @property
    def allow_tf32(self) -> bool:
        """Whether GPUs may round the factors of float32 matrix products to TF32; False at first.

        It is True if the precision of `torch_np.set_float32_matmul_precision` is below 'highest'.
        Setting it changes this precision to 'high' or 'highest'.
        """
        return _precision.get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allow: bool) -> None:
        if not isinstance(allow, bool):
            raise TypeError(f"allow_tf32 is True or False, not {type(allow).__name__}")
        _precision.set_float32_matmul_precision("high" if allow else "highest")


matmul = _Matmul()

from torch_np.backends._attention import *  # noqa: E402,F403

__all__ = [
    "SDPAParams", "allow_fp16_bf16_reduction_math_sdp", "blas_workspace_size", "can_use_cudnn_attention", "can_use_efficient_attention",
    "can_use_flash_attention", "cuFFTPlanCacheAttrContextProp", "cublas_workspace_size", "cublaslt_workspace_size", "cudnn_sdp_enabled",
    "cufft_plan_cache", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp", "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed", "is_built", "is_ck_sdpa_available", "is_flash_attention_available", "math_sdp_enabled",
    "matmul", "mem_efficient_sdp_enabled", "preferred_blas_library", "preferred_linalg_library", "preferred_rocm_fa_library",
    "sdp_kernel",
]
cuBLASModule, cuFFTPlanCache, cuFFTPlanCacheManager = _Matmul, _PlanCache, _PlanCaches  # noqa: N816  (PyTorch's names)


def is_built() -> bool:
    """Whether the package contains its library for GPUs."""
    import os
    folder = os.path.dirname(os.path.dirname(__file__))
    return os.path.exists(os.path.join(folder, "libtorch_np_cuda.so"))


def preferred_blas_library(backend: str | None = None) -> str:
    """Returns 'cublas', the library of matrix products on GPUs.

    Args:
      backend: None, 'default' or 'cublas'.

    Errors: NotImplementedError for another library.
    """
    if backend not in (None, "default", "cublas"):
        raise NotImplementedError(f"preferred_blas_library(): {backend!r} is not implemented; matrix products on GPUs use 'cublas'")
    return "cublas"


def preferred_linalg_library(backend: str | None = None) -> str:
    """Returns 'cusolver', the library of linear algebra on GPUs.

    Args:
      backend: None, 'default' or 'cusolver'.

    Errors: NotImplementedError for another library.
    """
    if backend not in (None, "default", "cusolver"):
        raise NotImplementedError(f"preferred_linalg_library(): {backend!r} is not implemented; linear algebra on GPUs uses 'cusolver'")
    return "cusolver"
