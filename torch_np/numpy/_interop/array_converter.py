"""NumPy's helper for Python functions: it converts arguments to arrays, and results to the class of
the arguments. It is written in C in NumPy.
"""
from __future__ import annotations

from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _native as nx
from torch_np.numpy._dtypes import result_type

_NUMBERS = (bool, int, float, complex)


class _array_converter:
    """NumPy's `_array_converter(*array_likes)`, for arrays of this package.

    Args:
      array_likes: Arguments of a function.
    """

    def __init__(self, /, *array_likes: Any) -> None:
        self._given = array_likes
        self._arrays = tuple(nx.asanyarray(x) for x in array_likes)
        self.scalar_input = tuple(array.ndim == 0 and (isinstance(x, _numpy.generic) or not hasattr(type(x), "__array__"))
                                  for x, array in zip(array_likes, self._arrays))

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, i: int) -> Any:
        return self._arrays[i]

    def as_arrays(self, /, subok: bool = True, pyscalars: str = "convert_if_no_array") -> tuple[Any, ...]:
        """Returns the arguments as arrays.

        Args:
          subok: Whether to keep subclasses.
          pyscalars: 'convert', 'preserve' to keep Python numbers, or 'convert_if_no_array' to keep
            them only beside arrays.
        """
        numbers = [type(x) in _NUMBERS for x in self._given]
        keep = pyscalars == "preserve" or pyscalars == "convert_if_no_array" and not all(numbers)
        arrays = self._arrays if subok else tuple(map(nx.asarray, self._arrays))
        return tuple(x if number and keep else array for x, array, number in zip(self._given, arrays, numbers))

    def result_type(self, /, extra_dtype: Any = None, ensure_inexact: bool = False) -> Any:
        """Returns the common dtype of the arguments.

        Args:
          extra_dtype: Further dtype to promote with.
          ensure_inexact: Whether the result must be floating or complex.
        """
        extra = [] if extra_dtype is None else [extra_dtype]
        return result_type(*self.as_arrays(pyscalars="preserve"), *extra, *([1.0] if ensure_inexact else []))

    def wrap(self, arr: Any, /, to_scalar: bool | None = None) -> Any:
        """Converts an array to the class of the argument with the highest `__array_priority__`.

        Args:
          arr: The array.
          to_scalar: Whether to return a scalar; None returns one if all arguments are scalars.
        """
        scalar = all(self.scalar_input) if to_scalar is None else to_scalar
        wrapper = max((x for x in self._given if hasattr(x, "__array_wrap__") and type(x) not in (_C.ndarray, _numpy.ndarray)
                       and not isinstance(x, _numpy.generic)), key=lambda x: getattr(x, "__array_priority__", 0), default=None)
        array = nx.asanyarray(arr)
        if wrapper is None:
            return array[()] if scalar else nx.asarray(array)
        if type(array) is type(wrapper):
            return array[()] if scalar and array.ndim == 0 else array
        return wrapper.__array_wrap__(array, None, scalar and array.ndim == 0)
