# Generated from native_functions.yaml.
from collections.abc import Sequence
from typing import Any, NamedTuple, SupportsIndex, overload

import numpy

from torch_np._C import Generator, Size, Tensor, _bool, _float, _int, _return_types, _str, ndarray, ufunc
from torch_np._C import _gufunc_2_1, _ufunc_1_1, _ufunc_1_2, _ufunc_2_1, _ufunc_2_2
from torch_np._torch.memory_format import memory_format as _memory_format
from torch_np._typing import ArrayLike, DeviceLike, DTypeLike, Float, Ints, Number, Out, TensorLike

class NormalizedResult(NamedTuple):
    values: ndarray
    norm: ndarray

def norm_of(arr: ArrayLike, weight: ArrayLike | None = None, scales: Sequence[Float] = [0.5, 2.0], *, range: Sequence[Float] | None = None, flags: Sequence[_bool] = [True]) -> NormalizedResult: ...
