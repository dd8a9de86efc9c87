"""`opcheck`: tests that a custom operator behaves like a built-in one."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from torch_np import _C


class OpCheckError(Exception):
    """Raised if an operator does not behave like a built-in one."""


def opcheck(op: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None, *, test_utils: str | Sequence[str] | None = None,
            raise_exception: bool = True, rtol: float = 1e-5, atol: float = 1e-8) -> dict[str, Any]:
    """Tests an operator of `torch_np.ops` in the same ways as built-in operators. It has the
    interface of torch.library.opcheck.

        torch_np.library.opcheck(torch_np.ops.mylib.sigmoid, (torch_np.randn(3, dtype=torch_np.float64, requires_grad=True),))

    - test_schema: only arguments that the schema marks as mutated are changed;
    - test_faces: the version in `torch_np.numpy._ops` returns the same, as ndarrays;
    - test_strides: strided, reversed, unaligned and transposed inputs give the same results;
    - test_meta: on `device='meta'` results have the same shapes and dtypes as on the CPU;
    - test_gradients: gradcheck, if an argument requires a gradient; in single precision only the
      shapes and dtypes of gradients are checked.

    Returns a dict from the names of the tests to 'SUCCESS' or, without `raise_exception`, the
    exception. The operator must not draw random numbers, as results of several calls are compared.

    Args:
      op: Operator to test.
      args: Arguments of the call.
      kwargs: Keyword arguments of the call.
      test_utils: Names of the tests to run; None is all of them.
      raise_exception: Whether a failure raises.
      rtol: Relative tolerance of comparisons.
      atol: Absolute tolerance of comparisons.

    Errors: OpCheckError for a failure; ValueError for an unknown name in `test_utils`; TypeError
    unless `op` is an operator.
    """
    if not callable(op) or not hasattr(op, "as_numpy"):
        raise TypeError(f"opcheck(): expected an operator of torch_np.ops, got {type(op).__name__}")
    names = list(_TESTS) if test_utils is None else [test_utils] if isinstance(test_utils, str) else list(test_utils)
    if unknown := [n for n in names if n not in _TESTS]:
        raise ValueError(f"opcheck(): there is no test {', '.join(unknown)}: expected {', '.join(_TESTS)}")
    outcome: dict[str, Any] = {}
    for name in names:
        try:
            _TESTS[name](op, tuple(args), dict(kwargs or {}), lambda a, b: _same(a, b, rtol, atol))
            outcome[name] = "SUCCESS"
        except Exception as error:
            outcome[name] = error
            if raise_exception:
                raise OpCheckError(f"opcheck(): {name} of {op!r} failed: {error}") from error
    return outcome


def _mapped(value, f):
    """Returns `value` with each Tensor t in it replaced by f(t)."""
    if isinstance(value, _C.Tensor):
        return f(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(v, f) for v in value)
    return {k: _mapped(v, f) for k, v in value.items()} if isinstance(value, dict) else value


def _tensors(value):
    found: list[_C.Tensor] = []

    def find(t):
        found.append(t)
        return t
    _mapped(value, find)
    return found


def _copy(t):
    return t.detach().clone()


def _host(t):
    return numpy.asarray(t.detach().cpu()._np_compat())


def _same(a, b, rtol, atol):
    _check(a.dtype == b.dtype and a.shape == b.shape, f"expected {tuple(a.shape)} of {a.dtype}, got {tuple(b.shape)} of {b.dtype}")
    numpy.testing.assert_allclose(_host(b), _host(a), rtol=rtol, atol=atol)


def _check(holds, message):
    if not holds:
        raise AssertionError(message)


def _called(op, args, kwargs, like=None):
    """Calls the operator with copies of the arguments, which `like` makes. Returns a list of the
    results.
    """
    args, kwargs = _mapped((args, kwargs), lambda t: (like or _copy)(t))
    return _tensors([op(*args, **kwargs)])


def _test_schema(op, args, kwargs, same):
    args, kwargs = _mapped((args, kwargs), _copy)
    given = _tensors((args, kwargs))
    before = [(_host(t).copy(), t._version) for t in given]
    op(*args, **kwargs)
    for i, (t, (old, version)) in enumerate(zip(given, before)):
        _check(t._version != version or numpy.array_equal(_host(t), old, equal_nan=old.dtype.kind in "fc"),
               f"Tensor number {i} was changed, and the operator does not say so")


def _test_faces(op, args, kwargs, same):
    wanted = _called(op, args, kwargs)
    args, kwargs = _mapped((args, kwargs), lambda t: _copy(t)._np_compat())
    got = op.as_numpy()(*args, **kwargs)
    results = [] if got is None else list(got) if isinstance(got, (tuple, list)) else [got]
    for r in results:
        _check(_C._is_ndarray(r), f"np._ops gave {type(r).__name__}, no ndarray")
    _compared(wanted, [r._torch() for r in results], same)


def _compared(wanted, got, same):
    _check(len(wanted) == len(got), f"expected {len(wanted)} results, got {len(got)}")
    for a, b in zip(wanted, got):
        same(a, b)


def _with_steps(t):
    from torch_np import numpy as np

    copy = t.detach()._np_compat()
    return np.stack([copy, copy], -1)[..., 0]._torch()


def _reversed(t):
    keys = (..., *[slice(None, None, -1)] * t.dim())  # the Ellipsis keeps a 0-d array an array
    return t.detach()._np_compat()[keys].copy()[keys]._torch()


def _transposed(t):
    return t.detach()._np_compat().T.copy().T._torch()


def _unaligned(t):
    if not t.device.type == "cpu":
        return _copy(t)
    from torch_np import numpy as np

    host = _host(t)
    memory = numpy.zeros(host.nbytes + 1, numpy.uint8)
    view = memory[1:].view(host.dtype).reshape(host.shape) if host.nbytes else host
    view[...] = host
    return np.asarray(view)._torch()


def _test_strides(op, args, kwargs, same):
    wanted = _called(op, args, kwargs)
    for layout in (_with_steps, _reversed, _transposed, _unaligned):
        _compared(wanted, _called(op, args, kwargs, layout), same)


def _test_meta(op, args, kwargs, same):
    wanted = _called(op, args, kwargs)
    got = _called(op, args, kwargs, lambda t: t.detach().to("meta"))
    _check(len(wanted) == len(got), f"expected {len(wanted)} results, got {len(got)}")
    for a, b in zip(wanted, got):
        _check(b.device.type == "meta", f"the result is on {b.device}")
        _check(a.dtype == b.dtype and a.shape == b.shape,
               f"expected {tuple(a.shape)} of {a.dtype}, got {tuple(b.shape)} of {b.dtype}")


def _test_gradients(op, args, kwargs, same):
    from torch_np.autograd import grad, gradcheck

    places = [t for t in _tensors((args, kwargs)) if t.requires_grad]
    if not places:
        return

    def called(*leaves):
        at = iter(leaves)
        new_args, new_kwargs = _mapped((args, kwargs), lambda t: next(at) if t.requires_grad else _copy(t))
        return tuple(r for i, r in enumerate(_tensors([op(*new_args, **new_kwargs)])) if differentiable is None or i in differentiable)

    differentiable: set[int] | None = None
    leaves = [_copy(t).requires_grad_() for t in places]
    differentiable = {i for i, r in enumerate(called(*leaves)) if r.requires_grad}
    if all(t.element_size() >= (16 if t.is_complex() else 8) for t in leaves):
        gradcheck(called, leaves)
        return
    gradients = grad([r.sum() for r in called(*leaves)], leaves, allow_unused=True)
    for t, g in zip(leaves, gradients):
        _check(g is None or g.shape == t.shape and g.dtype == t.dtype, "a gradient has another shape or dtype than its input")


_TESTS: dict[str, Callable[..., None]] = {"test_schema": _test_schema, "test_faces": _test_faces, "test_strides": _test_strides,
                                          "test_meta": _test_meta, "test_gradients": _test_gradients}
