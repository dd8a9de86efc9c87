# Generated from native_functions.yaml.
# mypy: ignore-errors
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

from torch_np import return_types as return_types
from torch_np._C import ArrayLike, DTypeLike, Size as Size, Tensor as Tensor, _bool, _float, _int, _str, device as device
from torch_np._C import dtype as dtype, ndarray as ndarray, ufunc as ufunc

def total(a: ArrayLike, axis: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: _bool | None = ..., initial: complex | None = ..., where: Any = ...) -> ndarray: ...
def filled(shape: _int | Sequence[_int], dtype: DTypeLike | None = ..., order: _str = 'C', *, like: Any = None) -> ndarray: ...
def joined(arrays: Sequence[ArrayLike] | ArrayLike, axis: _int = 0) -> ndarray: ...
twice: ufunc
product: ufunc
halves: ufunc

def __getattr__(name: _str) -> Any: ...
