"""numpy.matrixlib.defmatrix: NumPy's source executed over this namespace (_interop/source.py)."""
from typing import TYPE_CHECKING, Any

import numpy

from torch_np import _C
from torch_np.numpy._interop import source as _source, subclasses as _subclasses
from torch_np.numpy._native import asarray as _asarray

_source.execute(__name__)

if TYPE_CHECKING:
    asmatrix: Any
    bmat: Any
    matrix: Any

# A single element is not a matrix. With a gradient or on a device it is a 0-d array, which NumPy's
# method would index again.
_getitem_of_matrix = globals()["matrix"].__getitem__


def _getitem(self: Any, index: Any) -> Any:
    return self.view(_C.ndarray)[index] if self.ndim == 0 else _getitem_of_matrix(self, index)


_new_of_matrix = globals()["matrix"].__new__


def _new(cls: Any, data: Any, dtype: Any = None, copy: bool = True) -> Any:
    if isinstance(data, numpy.ndarray):  # its method `view` does not know this class
        data = _asarray(data)
    try:
        if not isinstance(data, numpy.ndarray):
            return _new_of_matrix(cls, data, dtype, copy)
    except _C.NotHeldError:
        if not isinstance(_asarray(data, dtype), numpy.ndarray):
            raise
    if cls is not globals()["matrix"]:
        raise _C.NotHeldError(f"{cls.__name__}(): the engine does not support arrays of {getattr(data, 'dtype', dtype or object)}")
    return numpy.matrix(data, dtype, copy)  # as array(data, dtype) is NumPy's array


globals()["matrix"].__getitem__ = _getitem
globals()["matrix"].__new__ = _new
_subclasses.override_functions(globals()["matrix"])
# matrices of other libraries, and of dtypes that the engine does not hold
globals()["matrix"].register(numpy.matrix)
