"""Methods of ndarray that are written in Python."""
from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any


from torch_np import _C
from torch_np.numpy import _differentiation, _native as nx
from torch_np.numpy._arguments import of_class as _of_class
from torch_np.numpy._interop import exchange as _exchange

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import NumPyDTypeLike


def _byteswap(self: ndarray, /, inplace: bool = False) -> ndarray:
    """Returns the elements with their bytes in reverse order, in the same memory layout.

    Args:
      inplace: Whether to change the array itself.

    Shapes: as the array.
    Errors: NotImplementedError for an array that requires a gradient.
    """
    if _differentiation.compute_requires_grad(self):
        raise NotImplementedError("byteswap(): bytes carry no gradient, so there is no derivative; detach the array")
    swapped = nx._byteswap(self)
    if inplace:
        self[...] = swapped
        return self
    return swapped[()] if _C._stands_for_scalar(self) else swapped if type(self) is _C.ndarray else _of_class(swapped, self)


def _array_namespace(self: ndarray, /, *, api_version: str | None = None) -> Any:
    """Returns the module with the functions of the array API standard.

    Args:
      api_version: Version of the standard, such as '2024.12'; None is any.

    Errors: ValueError for an unknown version.
    """
    if api_version is not None and api_version not in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    import torch_np.numpy
    return torch_np.numpy


def _getfield(self: ndarray, /, dtype: NumPyDTypeLike, offset: int = 0) -> ndarray:
    """Returns a view of a part of each element, such as one half of its bytes.

    Args:
      dtype: Dtype of the part.
      offset: Offset of the part in the element, in bytes.

    Shapes: as the array.
    Errors: ValueError if the part exceeds the element, TypeError for an array that requires a
    gradient or is not on the CPU.
    """
    if (part := _C._field(self, dtype, offset)) is not None:
        return part
    field = _exchange.from_numpy(_exchange.to_numpy(self, "ndarray.getfield").getfield(dtype, offset))
    return _of_class(field, self) if _C._is_ndarray(field) else field


def _setfield(self: ndarray, val: Any, /, dtype: NumPyDTypeLike, offset: int = 0) -> None:
    """Writes values to a part of each element.

    Args:
      val: The values.
      dtype: Dtype of the part.
      offset: Offset of the part in the element, in bytes.

    Shapes: `val` broadcasts to the array.
    Errors: ValueError if the part exceeds the element, and for a read-only array; TypeError for an
    array that requires a gradient or is not on the CPU.
    """
    if not self.flags.writeable:
        raise ValueError("setfield(): assignment destination is read-only")
    if (part := _C._field(self, dtype, offset)) is not None:
        part[...] = val
        return
    view = _exchange.to_numpy(self, "ndarray.setfield")
    view.setfield(_exchange.to_numpy(val, "ndarray.setfield"), dtype, offset)


def _ctypes(self: ndarray) -> Any:
    """Address, shape and strides for C functions (ctypes). Errors: TypeError for an array that
    requires a gradient or is not on the CPU.
    """
    return (_C._numpy_view(self) if _C._are_plain(self) else _exchange.view_of(self, "ndarray.ctypes")).ctypes


def _tofile(self: ndarray, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    """Writes the elements to a file.

    Args:
      fid: Path or open file.
      sep: Separator of text; an empty one writes bytes.
      format: Format of an element in text.
    """
    return _C._numpy_view(self).tofile(fid, sep, format)


def _dumps(self: ndarray, /) -> bytes:
    """Returns the pickled array as bytes."""
    return pickle.dumps(self)


def _dump(self: ndarray, /, file: Any) -> None:
    """Pickles the array to a file.

    Args:
      file: Path or open file.
    """
    if isinstance(file, io.IOBase) or hasattr(file, "write"):
        pickle.dump(self, file, protocol=2)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened, protocol=2)


_ARRAY_METHODS: dict[str, Any] = {"tofile": _tofile, "dumps": _dumps, "dump": _dump,
                                  "byteswap": _byteswap, "getfield": _getfield, "setfield": _setfield, "__array_namespace__": _array_namespace}
