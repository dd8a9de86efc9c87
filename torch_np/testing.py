"""torch_np.testing: comparisons for tests."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch_np import _C

__all__ = ["assert_close"]

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
      check_layout: Ignored.
      check_stride: Whether strides must be the same.
      msg: Message of the error, or a function that makes it from the default message.

    Shapes: both the same.
    Errors: ValueError for one tolerance without the other; TypeError for values that cannot be
    compared.
    """
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    text = _difference(actual, expected, rtol, atol, equal_nan, check_device, check_dtype, check_stride, "")
    if text:
        raise AssertionError(msg(text) if callable(msg) else msg or text)


def _difference(actual, expected, rtol, atol, equal_nan, check_device, check_dtype, check_stride, where):
    options = rtol, atol, equal_nan, check_device, check_dtype, check_stride
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            return f"The keys{where} differ: {list(actual)} and {list(expected)}"
        pairs = ((f"{where}[{k!r}]", actual[k], expected[k]) for k in expected)
    elif isinstance(actual, Sequence) and isinstance(expected, Sequence) and not isinstance(actual, str):
        if len(actual) != len(expected):
            return f"The lengths{where} differ: {len(actual)} and {len(expected)}"
        pairs = ((f"{where}[{k}]", a, e) for k, (a, e) in enumerate(zip(actual, expected, strict=True)))
    else:
        return _difference_of_tensors(_tensor(actual), _tensor(expected), *options, where)
    return next((d for w, a, e in pairs if (d := _difference(a, e, *options, w))), None)


def _tensor(value):
    if isinstance(value, _C.Tensor):
        return value.detach()
    if isinstance(value, (bool, int, float, complex)):
        return _C._torch.tensor(value, dtype=_C.float64 if isinstance(value, float) else _C.complex128 if isinstance(value, complex) else None)
    if _C._is_ndarray(value) or hasattr(value, "__array__"):
        return _C._torch.as_tensor(value).detach()
    raise TypeError(f"assert_close(): {type(value).__name__} cannot be compared")


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
