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

__all__ = ["cufft_plan_cache", "matmul"]
