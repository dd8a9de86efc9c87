"""Evenly spaced numbers: linspace, logspace, geomspace. Start and stop may be arrays, and are
differentiable.
"""
from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from torch_np.numpy import _native as nx
from torch_np.numpy import _values
from torch_np.numpy._arguments import device_of
from torch_np.numpy._default_dtype import default_dtype
from torch_np.numpy._dtypes import as_numpy_dtype, common_dtype, float64, kind_of
from torch_np.numpy._stride_tricks_impl import broadcast_arrays

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, DeviceLike, NumPyDTypeLike

__all__ = ["geomspace", "linspace", "logspace"]

_NUMBERS = (int, float)


def linspace(start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, retstep: bool = False,
             dtype: NumPyDTypeLike | None = None, axis: int = 0, *, device: DeviceLike | None = None, _device: DeviceLike | None = None,
             _requires_grad: bool = False) -> Any:
    """Returns evenly spaced numbers over an interval; with `retstep` the pair (numbers, step).

    Args:
      start: First number.
      stop: End of the interval.
      num: Number of numbers.
      endpoint: Whether `stop` is the last number.
      retstep: Whether to return the step too.
      dtype: Dtype of the result; integers are rounded down. None is the floating dtype of `start`
        and `stop`.
      axis: New axis of the result along which the numbers lie.
      device: Device of the result; None is the device of `start` and `stop`, or the default device.
      _device: Another name of `device`.
      _requires_grad: Whether the result requires a gradient.

    Shapes: `start` and `stop` broadcast; the result has the new axis `axis`.
    Dtypes: the floating one of `start` and `stop`, or `dtype`.
    Errors: ValueError if `num` is negative.
    """
    num, device = operator.index(num), device_of("linspace", device, _device)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    div = num - 1 if endpoint else num
    if type(start) in _NUMBERS and type(stop) in _NUMBERS and axis in (0, -1) and (not retstep or default_dtype() == float64):
        y: Any = _requiring_grad(nx._linspace(start, stop, num, endpoint, dtype=dtype, device=device), _requires_grad)  # type: ignore[arg-type]
        if not retstep:
            return y
        return y, float64((stop * 1.0 - start * 1.0) / div) if div > 0 else math.nan  # type: ignore[operator, arg-type]  # numbers
    common = _inexact_type(start, stop)
    dtype = common if dtype is None else as_numpy_dtype(dtype)
    start, stop = (nx.asarray(end, device=device) * 1.0 for end in (start, stop))
    delta = (stop - start).astype(common, copy=False)
    if device is None and (delta.ndim or delta.device != "cpu"):
        device = delta.device
    y = nx.arange(num, dtype=common, device=device).reshape((-1,) + (1,) * delta.ndim)
    if div > 0:
        step = delta / div
        # a step that underflows to 0 would make all numbers equal
        y = y / div * delta if _values.is_found(step == 0) else y * step
    else:
        step = nx.asarray(float("nan"), device=delta.device)
        y = y * delta
    y = y + start
    if endpoint and num > 1:
        y[-1, ...] = stop
    if axis != 0:
        y = nx.moveaxis(y, 0, axis)
    if kind_of(dtype) in "iu":
        y = nx.floor(y)
    y = _requiring_grad(y.astype(dtype, copy=False), _requires_grad)
    return (y, step) if retstep else y


def _requiring_grad(y, requires_grad):
    if requires_grad:
        y._requires_grad = True
    return y


def _inexact_type(*operands):
    """Returns the common floating dtype of the operands. Python numbers count as float64, or the
    default dtype.
    """
    dtype = common_dtype(*(nx.asarray(x) for x in operands))
    return dtype if kind_of(dtype) in "fc" else default_dtype()


def logspace(start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, base: ArrayLike = 10.0,
             dtype: NumPyDTypeLike | None = None, axis: int = 0, *, device: DeviceLike | None = None, _device: DeviceLike | None = None,
             _requires_grad: bool = False) -> ndarray:
    """Returns numbers whose logarithms are evenly spaced: from base**start to base**stop.

    Args:
      start: Logarithm of the first number.
      stop: Logarithm of the end of the interval.
      num: Number of numbers.
      endpoint: Whether base**stop is the last number.
      base: Base of the logarithm; an array broadcasts with `start` and `stop`.
      dtype: Dtype of the result; None is the floating dtype of the arguments.
      axis: New axis of the result along which the numbers lie.
      device: Device of the result; None is the device of `start` and `stop`, or the default device.
      _device: Another name of `device`.
      _requires_grad: Whether the result requires a gradient.

    Shapes: `start` and `stop` broadcast; the result has the new axis `axis`.
    Errors: ValueError if `num` is negative.
    """
    if not isinstance(base, (float, int)) and nx.asarray(base).ndim:
        start, stop, base = broadcast_arrays(start, stop, base)
        base = nx.expand_dims(base, axis)
    device = device_of("logspace", device, _device)
    y = nx.power(base, linspace(start, stop, num=num, endpoint=endpoint, axis=axis, device=device))
    return _requiring_grad(y if dtype is None else y.astype(dtype, copy=False), _requires_grad)


def geomspace(start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, dtype: NumPyDTypeLike | None = None,
              axis: int = 0, *, device: DeviceLike | None = None, _device: DeviceLike | None = None, _requires_grad: bool = False) -> ndarray:
    """Returns a geometric sequence: each number is a constant multiple of the one before. Complex
    numbers lie on a logarithmic spiral.

    Args:
      start: First number.
      stop: End of the interval.
      num: Number of numbers.
      endpoint: Whether `stop` is the last number.
      dtype: Dtype of the result; None is the floating dtype of `start` and `stop`.
      axis: New axis of the result along which the numbers lie.
      device: Device of the result; None is the device of `start` and `stop`, or the default device.
      _device: Another name of `device`.
      _requires_grad: Whether the result requires a gradient.

    Shapes: `start` and `stop` broadcast; the result has the new axis `axis`.
    Errors: ValueError if `start` or `stop` is 0, or `num` is negative.
    """
    device = device_of("geomspace", device, _device)
    start, stop = nx.asarray(start, device=device), nx.asarray(stop, device=device)
    if _values.is_found(start == 0) or _values.is_found(stop == 0):
        raise ValueError("Geometric sequence cannot include zero")
    inexact = [t for t in (start.dtype, stop.dtype) if kind_of(t) in "fc"]
    common = common_dtype(default_dtype(), *inexact, *([] if dtype is None else [as_numpy_dtype(dtype)]))
    start, stop = start.astype(common), stop.astype(common)
    sign = nx.sign(start)
    start, stop = start / sign, stop / sign
    num = operator.index(num)
    result = logspace(nx.log10(start), nx.log10(stop), num=num, endpoint=endpoint, base=10.0, dtype=common)
    if num > 0:  # set the ends exactly, by concatenation, so that the inner elements keep their gradients
        last = int(num > 1 and endpoint)
        ends = [nx.broadcast_to(end, result.shape[1:])[None] for end in (start, stop)]
        result = nx.concatenate((ends[0], result[1:num - last], *ends[1:1 + last]))
    result = result * sign
    if axis != 0:
        result = nx.moveaxis(result, 0, axis)
    return _requiring_grad(result.astype(common if dtype is None else dtype, copy=False), _requires_grad)
