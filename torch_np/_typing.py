"""Types of arguments, for type checkers only. No module imports this at run time."""
from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import Any, Protocol, SupportsFloat, SupportsIndex, TypeAlias, TypeVar

import numpy
import numpy.typing

from torch_np._C import Tensor, device, dtype, ndarray

_Item_co = TypeVar("_Item_co", covariant=True)


class _SupportsArray(Protocol):
    """An object with NumPy's array protocol: NumPy's arrays, and those of other libraries."""

    def __array__(self) -> numpy.ndarray[Any, Any]: ...


class _NestedSequence(Protocol[_Item_co]):
    """Lists, tuples and other sequences, nested to any depth. Strings are excluded, as they contain
    only strings.
    """

    def __len__(self, /) -> int: ...
    def __getitem__(self, index: int, /) -> "_Item_co | _NestedSequence[_Item_co]": ...
    def __contains__(self, item: object, /) -> bool: ...
    def __iter__(self, /) -> "Iterator[_Item_co | _NestedSequence[_Item_co]]": ...


Number: TypeAlias = complex | numpy.number[Any] | numpy.bool
ArrayLike: TypeAlias = ndarray | Tensor | Number | _SupportsArray | memoryview | _NestedSequence[Number | ndarray | Tensor | _SupportsArray]
TensorLike: TypeAlias = Tensor | ndarray
NumPyDTypeLike: TypeAlias = numpy.typing.DTypeLike
DTypeLike: TypeAlias = dtype | NumPyDTypeLike
DeviceLike: TypeAlias = str | int | device
Float: TypeAlias = SupportsFloat | SupportsIndex
Ints: TypeAlias = SupportsIndex | Sequence[SupportsIndex]  # one or several axes, or a shape
Axes: TypeAlias = int | Sequence[int]  # the same for functions written in Python
Out: TypeAlias = ndarray | Tensor | numpy.ndarray[Any, Any] | tuple[ndarray | Tensor | numpy.ndarray[Any, Any] | None, ...]
_IndexItem: TypeAlias = (SupportsIndex | slice | EllipsisType | bool | ndarray | Tensor | _SupportsArray
                         | _NestedSequence[SupportsIndex | ndarray | Tensor | _SupportsArray] | None)
Index: TypeAlias = _IndexItem | tuple[_IndexItem, ...]
