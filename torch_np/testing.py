"""torch_np.testing: comparisons for tests."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch_np import _C

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

# (relative, absolute) tolerances by dtype; of two dtypes the wider tolerances apply. Other dtypes
# must be equal.
_TOLERANCES = {_C.float16: (1e-3, 1e-5), _C.bfloat16: (1.6e-2, 1e-5), _C.float32: (1.3e-6, 1e-5), _C.float64: (1e-7, 1e-7),
               _C.complex64: (1.3e-6, 1e-5), _C.complex128: (1e-7, 1e-7)}


def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
                 equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
                 check_stride: bool = False, msg: str | Callable[[str], str] | None = None) -> None:
    """Raises AssertionError unless two values are close: |actual - expected| <= atol + rtol *
    |expected| for each element.

    Args:
      actual: Tensor, number, or a sequence or mapping of them.
      expected: Value to compare with, of the same structure.
      allow_subclasses: Ignored: subclasses of Tensor are allowed.
      rtol: Relative tolerance, given together with `atol`; None depends on the dtype: float32
        1.3e-6, float64 1e-7, float16 1e-3, bfloat16 1.6e-2, integers 0.
      atol: Absolute tolerance, given together with `rtol`; None is 1e-5, for float64 1e-7, for
        integers 0.
      equal_nan: Whether NaNs are equal.
      check_device: Whether devices must be the same.
      check_dtype: Whether dtypes must be the same.
      check_layout: Whether layouts must be the same; otherwise sparse tensors are made dense.
      check_stride: Whether strides must be the same.
      msg: Message of the error, or a function that makes it from the default message.

    Shapes: both the same.
    Errors: ValueError for one tolerance without the other; TypeError for values that cannot be
    compared.
    """
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    text = _difference(actual, expected, rtol, atol, equal_nan, check_device, check_dtype, check_stride, check_layout, "")
    if text:
        raise AssertionError(msg(text) if callable(msg) else msg or text)


def _difference(actual, expected, rtol, atol, equal_nan, check_device, check_dtype, check_stride, check_layout, where):
    options = rtol, atol, equal_nan, check_device, check_dtype, check_stride, check_layout
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            return f"The keys{where} differ: {list(actual)} and {list(expected)}"
        pairs = ((f"{where}[{k!r}]", actual[k], expected[k]) for k in expected)
    elif isinstance(actual, Sequence) and isinstance(expected, Sequence) and not isinstance(actual, str):
        if len(actual) != len(expected):
            return f"The lengths{where} differ: {len(actual)} and {len(expected)}"
        pairs = ((f"{where}[{k}]", a, e) for k, (a, e) in enumerate(zip(actual, expected, strict=True)))
    else:
        a, e = _tensor(actual), _tensor(expected)
        if _C._is_sparse(a) or _C._is_sparse(e):
            return _difference_of_sparse(a, e, rtol, atol, equal_nan, check_device, check_dtype, check_layout, where)
        return _difference_of_tensors(a, e, rtol, atol, equal_nan, check_device, check_dtype, check_stride, where)
    return next((d for w, a, e in pairs if (d := _difference(a, e, *options, w))), None)


def _tensor(value):
    if isinstance(value, _C.Tensor):
        return value.detach()
    if isinstance(value, (bool, int, float, complex)):
        return _C._torch.tensor(value, dtype=_C.float64 if isinstance(value, float) else _C.complex128 if isinstance(value, complex) else None)
    if _C._is_ndarray(value) or hasattr(value, "__array__"):
        return _C._torch.as_tensor(value).detach()
    raise TypeError(f"assert_close(): {type(value).__name__} cannot be compared")


def _difference_of_sparse(actual, expected, rtol, atol, equal_nan, check_device, check_dtype, check_layout, where):
    """The difference of two tensors, at least one of which is sparse: of layouts, indices or values."""
    if actual.layout is not expected.layout:
        if check_layout:
            return f"The layouts{where} differ: {actual.layout} and {expected.layout}"
        actual, expected = actual.to_dense(), expected.to_dense()
        return _difference_of_tensors(actual, expected, rtol, atol, equal_nan, check_device, check_dtype, False, where)
    if actual.shape != expected.shape:
        return f"The shapes{where} differ: {tuple(actual.shape)} and {tuple(expected.shape)}"
    parts = [_C._sparse_parts(t.coalesce() if t.is_sparse and actual.is_coalesced() != expected.is_coalesced() else t)[1:4] for t in (actual, expected)]
    if parts[0][2].shape != parts[1][2].shape:
        return f"The numbers of specified values{where} differ: {actual._nnz()} and {expected._nnz()}"
    for name, a, e in zip((" of the indices", " of the indices", " of the values"), *parts, strict=True):
        of_values = "values" in name
        text = None if a is None else _difference_of_tensors(a, e, rtol if of_values else 0.0, atol if of_values else 0.0, equal_nan, check_device,
                                                             check_dtype, False, name + where)
        if text:
            return text
    return None


def _difference_of_tensors(actual, expected, rtol, atol, equal_nan, check_device, check_dtype, check_stride, where):
    if actual.shape != expected.shape:
        return f"The shapes{where} differ: {tuple(actual.shape)} and {tuple(expected.shape)}"
    if check_device and actual.device != expected.device:
        return f"The devices{where} differ: {actual.device} and {expected.device}"
    if check_dtype and actual.dtype != expected.dtype:
        return f"The dtypes{where} differ: {actual.dtype} and {expected.dtype}"
    if check_stride and actual.stride() != expected.stride():
        return f"The strides{where} differ: {actual.stride()} and {expected.stride()}"
    if rtol is None:
        pairs = [_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = (max(p[k] for p in pairs) for k in range(2))
    wide = _C.complex128 if actual.is_complex() or expected.is_complex() else _C.float64
    whole = not any(t.is_floating_point() or t.is_complex() for t in (actual, expected))
    a, e = (t.cpu() if whole else t.cpu().to(wide) for t in (actual, expected))
    close = a == e if whole and not rtol and not atol else _C._torch.isclose(a.to(wide), e.to(wide), rtol=rtol, atol=atol, equal_nan=equal_nan)
    if bool(close.all()):
        return None
    far = ~close
    distance = (a.to(wide) - e.to(wide)).abs()
    place = tuple(int(i) for i in far.nonzero()[0])
    return (f"{int(far.sum())} of {a.numel()} elements{where} differ (rtol {rtol:g}, atol {atol:g}); the first at {place}: "
            f"{a[place].item()!r} and {e[place].item()!r}; the greatest difference is {float(distance[far].max()):g}")


def assert_allclose(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: str = "") -> None:
    """PyTorch's former form of `assert_close`: converts both values to tensors, and does not
    compare devices, dtypes and strides.

    Args:
      actual: Tensor, or values of one.
      expected: Value to compare with.
      rtol: Relative tolerance, given together with `atol`.
      atol: Absolute tolerance, given together with `rtol`.
      equal_nan: Whether NaNs are equal.
      msg: Message of the error.

    Shapes: both the same.
    Errors: AssertionError if they are not close; ValueError for one tolerance without the other.
    """
    tensors = [t if isinstance(t, _C.Tensor) else _C._torch.tensor(t) for t in (actual, expected)]
    if rtol is None and atol is None:
        pairs = [{_C.float16: (1e-3, 1e-3), _C.float32: (1e-4, 1e-5), _C.float64: (1e-5, 1e-8)}.get(t.dtype, (0.0, 0.0)) for t in tensors]
        rtol, atol = (max(p[k] for p in pairs) for k in range(2))
    assert_close(*tensors, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=False, check_dtype=False, msg=msg or None)


def make_tensor(*shape: Any, dtype: _C.dtype, device: Any, low: float | None = None, high: float | None = None, requires_grad: bool = False,
                noncontiguous: bool = False, exclude_zero: bool = False, memory_format: Any = None) -> _C.Tensor:
    """Returns a tensor of uniform random numbers, from -9 to 9 by default; from 0 for unsigned
    dtypes.

    Args:
      shape: Shape of the result.
      dtype: Its dtype.
      device: Its device.
      low: Smallest number; None is -9, or 0 for unsigned dtypes and bools.
      high: Bound above the numbers; None is 9, for integers 10, for bools 2.
      requires_grad: Whether the result requires a gradient; only of floating and complex dtypes.
      noncontiguous: Whether every other element of the memory is skipped.
      exclude_zero: Whether zeros are replaced by 1, or the smallest positive number.
      memory_format: Memory layout of the result; not together with `noncontiguous`.

    Shapes: `shape`.
    Errors: ValueError for bounds in the wrong order, NaN bounds, a gradient of integers, and two
    layouts.
    """
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    floating = dtype in (_C.float16, _C.bfloat16, _C.float32, _C.float64)
    is_complex = dtype in (_C.complex64, _C.complex128)
    unsigned = dtype in (_C.uint8, _C.uint16, _C.uint32, _C.uint64, _C.bool)
    low = (0 if unsigned else -9) if low is None else low
    high = (2 if dtype == _C.bool else 9 if floating or is_complex else 10) if high is None else high
    if low != low or high != high:
        raise ValueError(f"make_tensor(): `low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low > high or low == high and not (floating or is_complex):
        raise ValueError(f"make_tensor(): `low` must be less than `high`, but got {low} >= {high}")
    if noncontiguous and memory_format is not None:
        raise ValueError("make_tensor(): the parameters `noncontiguous` and `memory_format` are mutually exclusive")
    if requires_grad and not (floating or is_complex):
        raise ValueError(f"make_tensor(): `requires_grad` must be False for integral dtypes, but got dtype={dtype}")
    room = (*size[:-1], 2 * size[-1]) if noncontiguous and size else size
    if floating or is_complex:
        wide = _C.float64 if dtype in (_C.float64, _C.complex128) else _C.float32
        parts = [_C._torch.rand(room, dtype=wide, device=device) * (high - low) + low for _ in range(1 + is_complex)]
        made = (_C._torch.complex(*parts) if is_complex else parts[0]).to(dtype)
    elif dtype == _C.bool:
        made = _C._torch.randint(int(low), int(high), room, device=device).to(_C.bool)
    else:
        made = _C._torch.randint(math.ceil(low), math.ceil(high), room, device=device).to(dtype)
    if exclude_zero:
        least = 1 if not (floating or is_complex) else {_C.float16: 6.104e-05, _C.float64: 2.2250738585072014e-308, _C.complex128: 2.2250738585072014e-308}.get(
            dtype, 1.1754943508222875e-38)
        made = _C._torch.where(made == 0, _C._torch.full((), least, dtype=dtype, device=device), made)
    if noncontiguous and size:
        made = made[..., ::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    return made.requires_grad_(requires_grad)
