# Generated from native_functions.yaml.
# mypy: ignore-errors
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

from torch_np import return_types as return_types
from torch_np._C import ArrayLike, DTypeLike, Size as Size, Tensor as Tensor, _bool, _float, _int, _str, device as device
from torch_np._C import dtype as dtype, ndarray as ndarray, ufunc as ufunc

class NormalizedResult(NamedTuple):
    values: ndarray
    norm: ndarray

def norm_of(arr: ArrayLike, weight: ArrayLike | None = None, scales: Sequence[_float] = [0.5, 2.0], *, range: Sequence[_float] | None = None, flags: Sequence[_bool] = [True]) -> NormalizedResult: ...

def __getattr__(name: _str) -> Any: ...
