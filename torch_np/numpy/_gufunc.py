"""General call of generalized ufuncs: matmul and related functions, with the optional arguments of
NumPy.

`matmul(x1, x2)` of two arrays is one native call (csrc/ufunc/gufunc.cpp). This module handles the
arguments axes, axis, keepdims, dtype, casting, order and signature.
"""
import importlib
import inspect
import re
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np._C import _numpy_linalg
from torch_np.numpy import _native as nx
from torch_np.numpy import _differentiation
from torch_np.numpy._dtypes import as_numpy_dtype, common_dtype
from torch_np.numpy._multiarray import copyto

_NO = _numpy._NoValue
# exception classes that NumPy raises but does not export
_errors: Any = importlib.import_module("numpy._core._exceptions")
_KEYWORDS = {"out", "axes", "axis", "keepdims", "casting", "order", "dtype", "subok", "signature", "sig"}


def _signature(name):
    """Returns NumPy's signature, for inspect.signature. Its defaults include objects that no text
    can name.
    """
    return inspect.signature(getattr(_numpy, name))


def _core(ufunc):
    """Returns the core dimensions of the operands and of the result as lists of names: ['n?,k',
    'k,m?'], 'n?,m?' for matmul.
    """
    *inputs, output = (names.split(",") if names else [] for names in re.findall(r"\(([^)]*)\)", ufunc.signature))
    return inputs, output


def _call(ufunc, *args, **kwargs):
    name = ufunc.__name__
    if not 2 <= len(args) <= 3:
        raise TypeError(f"{name}() takes from 2 to 3 positional arguments but {len(args)} were given")
    if len(args) == 3 and "out" in kwargs:
        raise TypeError("cannot specify 'out' as both a positional and keyword argument")
    for unknown in kwargs.keys() - _KEYWORDS:
        raise TypeError(f"{name}() got an unexpected keyword argument '{unknown}'")
    return _general(ufunc, *args, **kwargs)


def _takes_product(out, x, dtype):
    """Whether matmul(*x) may write directly into `out`."""
    a, b = (tuple(operand.shape) for operand in x)
    if not a or not b or _differentiation.compute_requires_grad(*x, out):
        return False
    try:
        stack = _numpy.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        return False
    shape = (*stack, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))
    return tuple(out.shape) == shape and out.dtype == (dtype or common_dtype(*x))


def _general(ufunc, x1, x2, /, out=None, *, axes=_NO, axis=_NO, keepdims=False, casting="same_kind", order="K", dtype=None,
          subok=True, signature=_NO, sig=_NO):
    name = ufunc.__name__
    inputs, output = _core(ufunc)
    if sig is not _NO:
        if signature is not _NO:
            raise TypeError("cannot specify both 'sig' and 'signature'")
        signature = sig
    if signature is not _NO and dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if not isinstance(subok, bool):
        raise TypeError("'subok' must be a boolean")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{casting}')")
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        out, = out
    if out is not None and not _C._is_ndarray(out):
        raise TypeError("return arrays must be of ArrayType")
    if signature is not _NO:
        if not isinstance(signature, (str, tuple)):
            raise TypeError("the signature object to ufunc must be a string or a tuple.")
        dtype = signature.rpartition("->")[2] if isinstance(signature, str) else signature[-1]
    x = [nx.asarray(x1), nx.asarray(x2)]
    if dtype is not None:
        dtype = as_numpy_dtype(dtype)
        for a in x:
            if not _numpy.can_cast(a.dtype, dtype, casting):
                raise _errors._UFuncInputCastingError(getattr(_numpy, name), casting, a.dtype, dtype, 0)
        x = [a.astype(dtype, copy=False) for a in x]
    else:
        common = common_dtype(*x)
        for i, a in enumerate(x):
            if not _numpy.can_cast(a.dtype, common, casting):
                raise _errors._UFuncInputCastingError(getattr(_numpy, name), casting, a.dtype, common, i)
    core_out = len(output)
    if axis is not _NO:
        if axes is not _NO:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if any(len(core) != 1 for core in inputs):
            raise TypeError(f"{name}: axis can only be used with a single shared core dimension, not with the "
                            f"2 distinct ones implied by signature {ufunc.signature}.")
        axes = [(axis,)] * 2 + ([()] if not keepdims else [(axis,)])
    if axes is not _NO:
        if not isinstance(axes, list):
            raise TypeError("axes should be a list.")
        axes = [(entry,) if hasattr(entry, "__index__") else tuple(entry) for entry in axes]
        if len(axes) == 2 and core_out == 0:
            axes.append(())
        if len(axes) != 3:
            raise ValueError("axes should be a list with an entry for all 3 inputs and outputs; entries for outputs can "
                             "only be omitted if none of them has core axes.")
        for i in range(2):
            core = inputs[i]
            if len(axes[i]) != len(core) and not (x[i].ndim == len(axes[i]) == sum("?" not in name for name in core)):
                raise ValueError(f"axes item {i} should be a tuple with {len(core)} elements")
            x[i] = nx.moveaxis(x[i], axes[i], tuple(range(-len(axes[i]), 0)))
    if keepdims and not all(len(core) == 1 for core in inputs):
        raise TypeError(f"{name} does not support keepdims: its signature {ufunc.signature} requires multiple outputs "
                        "or core dimensions")
    if name == "matmul" and out is not None and axes is _NO and _takes_product(out, x, dtype):
        return _numpy_linalg._matmul(x[0], x[1], out)
    result = ufunc(*x)
    if keepdims:
        result = nx.expand_dims(result, -1 if axes is _NO or not axes[2] else axes[2])
    elif axes is not _NO and axes[2]:
        result = nx.moveaxis(result, tuple(range(-len(axes[2]), 0)), axes[2])
    if out is None:
        return nx.asarray(result, order=order) if order in ("F", "f") and result.ndim > 1 else result
    missing = result.ndim - out.ndim
    if missing > 0 and out.ndim >= core_out and set(result.shape[:missing]) == {1}:
        result = result.reshape(result.shape[missing:])
    if tuple(out.shape) != tuple(result.shape):
        shape = tuple(_numpy.broadcast_shapes(tuple(out.shape), tuple(result.shape)))
        if shape != tuple(out.shape):
            raise ValueError(f"{name}: non-broadcastable output operand with shape {tuple(out.shape)} doesn't match the broadcast "
                             f"shape {tuple(result.shape)}")
    if not _numpy.can_cast(result.dtype, out.dtype, casting):
        raise _errors._UFuncOutputCastingError(getattr(_numpy, name), casting, result.dtype, out.dtype, 0)
    copyto(out, result, casting=casting)
    return out
