"""Memory of arrays: layout, requirements, overlap, bits, bytes."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _exchange, _native as nx
from torch_np.numpy import _recording
from torch_np.numpy._arguments import of_class as _of_class
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, NumPyDTypeLike

__all__ = ["isfortran", "may_share_memory", "packbits", "require", "shares_memory", "unpackbits"]


def isfortran(a: ndarray) -> bool:
    """Whether an array with at least two axes is in column-major, but not in row-major order.

    Args:
      a: The array.

    Shapes: any.
    """
    return a.flags.fnc


@_declare.base_class
def require(a: ArrayLike, dtype: NumPyDTypeLike | None = None, requirements: str | Sequence[str] | None = None, *,
            like: Any = None) -> ndarray:
    """Returns an array that meets requirements on its memory.

    Args:
      a: Input array, or an object that can be converted to one.
      dtype: Dtype of the result; None is that of `a`.
      requirements: Letters or names: C or F (contiguous in this order), A (aligned), W (writeable),
        O (owns its memory), E (of the base class).
      like: Must be None, or an object of another library whose `__array_function__` makes the
        array.

    Shapes: as `a`.
    Errors: ValueError for both C and F, KeyError for an unknown requirement.
    """
    names = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
             "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E"}
    wanted = {names[r.upper()] for r in requirements or ()}
    order = "A"
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    if wanted & {"C", "F"}:
        order = "C" if "C" in wanted else "F"
    make = nx.asarray if "E" in wanted else nx.asanyarray
    out = make(a, dtype=dtype, order=order if wanted & {"C", "F"} else None)
    flags = out.flags
    if "A" in wanted and not flags.aligned or "W" in wanted and not flags.writeable or "O" in wanted and not flags.owndata:
        return out.copy(order)
    return out


def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = 0) -> bool:
    """Whether the memory ranges of two arrays overlap. The arrays need not have a common element,
    unless `max_work` is -1 or large enough for an exact answer.

    Args:
      a: First array.
      b: Second array.
      max_work: Limit of the work for an exact answer; 0 compares the ranges only, -1 is no limit.

    Shapes: any.
    """
    a, b = nx.asarray(a), nx.asarray(b)
    return _C._may_share_memory(a, b) if max_work == 0 else _shares_memory(_numpy.may_share_memory, a, b, max_work)


def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = -1) -> bool:
    """Whether two arrays have a byte in common, decided exactly.

    Args:
      a: First array.
      b: Second array.
      max_work: Limit of the work; -1 is no limit.

    Shapes: any.
    Errors: numpy.exceptions.TooHardError if the problem needs more work than `max_work`.
    """
    return _shares_memory(_numpy.shares_memory, nx.asarray(a), nx.asarray(b), max_work)


def _shares_memory(solve: Any, a: ndarray, b: ndarray, max_work: int) -> bool:
    return solve(_C._numpy_view(a), _C._numpy_view(b), max_work=max_work)


def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """Packs elements as bits into bytes, 8 to a byte; the last byte is padded with zeros.

    Args:
      a: Bools or integers; a non-zero element gives the bit 1.
      axis: Axis to pack; None packs the flattened array.
      bitorder: 'big' for the first element in the highest bit, or 'little'.

    Shapes: as `a`, but n elements along `axis` become ceil(n / 8); without `axis`, one axis.
    Errors: TypeError unless `a` has bools or integers, ValueError for another `bitorder`.
    """
    a = nx.asarray(a)
    if kind_of(a) not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    shifts = _bit_places(bitorder)
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0 if axis is None else axis
    bits = nx.moveaxis(a != 0, axis, -1)
    missing = -bits.shape[-1] % 8
    if missing:
        bits = nx.concatenate((bits, nx.zeros((*bits.shape[:-1], missing), dtype=bool)), axis=-1)
    groups = bits.reshape((*bits.shape[:-1], bits.shape[-1] // 8, 8)).astype(_numpy.uint8)
    return nx.moveaxis((groups << shifts).sum(axis=-1, dtype=_numpy.uint8), -1, axis)


def unpackbits(a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> ndarray:
    """Unpacks bytes into bits, as elements 0 and 1.

    Args:
      a: Bytes.
      axis: Axis to unpack; None unpacks the flattened array.
      count: Number of bits, padded with zeros; a negative one is the number of bits to omit; None
        is all.
      bitorder: 'big' for the highest bit first, or 'little'.

    Shapes: as `a`, but n elements along `axis` become 8 n, or `count`; without `axis`, one axis.
    Errors: TypeError unless `a` has uint8, ValueError for another `bitorder`, or a `count` that
    omits too many bits.
    """
    a = nx.asarray(a)
    if a.dtype != _numpy.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    shifts = _bit_places(bitorder)
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0 if axis is None else axis
    bytes_ = nx.moveaxis(a, axis, -1)
    bits = ((bytes_[..., None] >> shifts) & 1).astype(_numpy.uint8)
    bits = bits.reshape((*bytes_.shape[:-1], bytes_.shape[-1] * 8))
    n = bits.shape[-1]
    if count is not None:
        if count < -n:
            raise ValueError(f"-ve pad count {-count} exceeds the axis size {n}")
        wanted = count if count >= 0 else n + count
        if wanted > n:
            bits = nx.concatenate((bits, nx.zeros((*bits.shape[:-1], wanted - n), dtype=_numpy.uint8)), axis=-1)
        bits = bits[..., :wanted]
    return nx.moveaxis(bits, -1, axis)


def _bit_places(bitorder):
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    places = nx.arange(8, dtype=_numpy.uint8)
    return nx.flip(places) if bitorder == "big" else places


def _byteswap(self: ndarray, /, inplace: bool = False) -> ndarray:
    """Returns the elements with their bytes in reverse order, in the same memory layout.

    Args:
      inplace: Whether to change the array itself.

    Shapes: as the array.
    Errors: NotImplementedError for an array that requires a gradient.
    """
    if _recording.recording(self):
        raise NotImplementedError("byteswap(): bytes carry no gradient, so there is no derivative; detach the array")
    size = self.itemsize // (2 if kind_of(self) == "c" else 1)
    swapped = self.copy("A")
    flat = (swapped if swapped.flags.c_contiguous else swapped.T).reshape(-1)
    flat[...] = nx.flip(flat.view(_numpy.uint8).reshape(-1, size), 1).copy().reshape(-1).view(self.dtype)
    if inplace:
        self[...] = swapped
        return self
    return swapped


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
    view = _exchange.to_numpy(self, "ndarray.setfield")
    view.setfield(_exchange.to_numpy(val, "ndarray.setfield"), dtype, offset)


def _ctypes(self: ndarray) -> Any:
    """Address, shape and strides for C functions (ctypes). Errors: TypeError for an array that
    requires a gradient or is not on the CPU.
    """
    return _exchange.to_numpy(self, "ndarray.ctypes").ctypes


_ARRAY_METHODS: dict[str, Any] = {"byteswap": _byteswap, "getfield": _getfield, "setfield": _setfield, "__array_namespace__": _array_namespace}
