"""numpy.typing: names for annotations. `NDArray[np.float64]` is an array of this package."""
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as _numpy
from numpy.typing import DTypeLike as DTypeLike

from torch_np._C import ndarray as _ndarray

__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]

_ScalarT = TypeVar("_ScalarT", bound=_numpy.generic)

if TYPE_CHECKING:
    from typing_extensions import TypeAliasType as _TypeAliasType

    from numpy.typing import NBitBase as NBitBase
    from torch_np._typing import ArrayLike as ArrayLike

    NDArray = _TypeAliasType("NDArray", _ndarray, type_params=(_ScalarT,))
else:
    from numpy.typing import ArrayLike
    NDArray = _ndarray[tuple[Any, ...], _numpy.dtype[_ScalarT]]

    def __getattr__(name):
        if name == "NBitBase":  # NumPy warns that it is deprecated
            return getattr(_numpy.typing, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
