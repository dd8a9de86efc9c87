"""torch_np.backends.cuda: settings of NVIDIA's libraries."""
from torch_np import _C
from torch_np.cuda import _index

_cuda = _C._cuda


class _PlanCache:
    """The plans of Fourier transforms that are kept on a GPU; the ones that were used last, at most `max_size` of them."""

    __slots__ = ("_device",)  # an unknown attribute is an error

    def __init__(self, device=None):
        self._device = device

    @property
    def size(self):
        """How many there are."""
        return _cuda.plan_cache_size(_index(self._device))

    @property
    def max_size(self):
        """How many may be kept; 0: none. Errors: RuntimeError if it is set to a negative number."""
        return _cuda.plan_cache_max_size(_index(self._device))

    @max_size.setter
    def max_size(self, number):
        _cuda.set_plan_cache_max_size(_index(self._device), number)

    def clear(self):
        """Forgets all of them."""
        _cuda.clear_plan_cache(_index(self._device))


class _PlanCaches(_PlanCache):
    """The current GPU's cache, and, as cufft_plan_cache[device], that of any GPU."""

    __slots__ = ()

    def __getitem__(self, device):
        return _PlanCache(_index(device))


cufft_plan_cache = _PlanCaches()

__all__ = ["cufft_plan_cache"]
