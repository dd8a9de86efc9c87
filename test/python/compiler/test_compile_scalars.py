"""torch_np.compile: NumPy's scalars, which are 0-d arrays while a function is recorded, and errors of results that nothing reads."""
from __future__ import annotations

import collections
import collections.abc
import copy
import fractions
import functools
import numbers
import operator
import re
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np

Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge,
             operator.and_, operator.or_, operator.xor]


def same(a, b):
    assert type(a) is type(b) and a.dtype == b.dtype and numpy.asarray(a).tobytes() == numpy.asarray(b).tobytes()


@pytest.mark.parametrize("f", OPERATORS)
@pytest.mark.parametrize("dtype", [torch_np.float32, torch_np.float64, torch_np.int64])
@pytest.mark.parametrize("of_scalar", ["f8", "f4", "i8"])
def test_a_numpy_scalar_and_a_tensor_give_a_tensor(f, dtype, of_scalar):
    def g(t, x):
        return f(x.sum(), t), f(t, x.sum())
    compiled = torch_np.compile(g)
    for _ in range(3):
        arguments = torch_np.tensor([1, 2], dtype=dtype), np.arange(1, 4, dtype=of_scalar)
        try:
            expected = g(*arguments)
        except (TypeError, RuntimeError) as error:
            with pytest.raises(type(error)):
                compiled(*arguments)
            continue
        for a, b in zip(expected, compiled(*arguments), strict=True):
            same(a, b)


def test_parts_of_a_numpy_scalar():
    compiled = torch_np.compile(lambda x: (x.sum().real, x.sum().imag))
    converted = torch_np.compile(lambda x: (x.sum().astype("f4"), x.sum().astype("i8", casting="unsafe")))
    assert [[type(part) for part in converted(np.ones(3))] for _ in range(2)] == [[numpy.float32, numpy.int64]] * 2
    for _ in range(3):
        assert [type(part) for part in compiled(np.ones(3))] == [numpy.float64, numpy.float64]
        assert [type(part) for part in compiled(np.ones(3, dtype="c16"))] == [numpy.float64, numpy.float64]


RAISING = {
    "inv": lambda x, i: np.linalg.inv(x), "cholesky": lambda x, i: np.linalg.cholesky(x - 1), "solve": lambda x, i: np.linalg.solve(x, x), "take": lambda x, i: np.take(x, i), "index": lambda x, i: x.ravel()[i],
    "bincount": lambda x, i: np.bincount(i), "repeat": lambda x, i: np.repeat(i, i), "torch": lambda x, i: torch_np.linalg.inv(x._torch()), "gather": lambda x, i: x._torch().gather(0, i._torch()[None] * 7)}


@pytest.mark.parametrize("name", RAISING)
def test_a_result_that_nothing_reads_may_raise(name):
    def f(x, i):
        RAISING[name](x, i)
        return x * 2
    compiled = torch_np.compile(f)
    good, bad = (np.eye(2) * 3, np.array([0, 0])), (np.zeros((2, 2)), np.array([-9, -9]))
    for arguments in (good, good, bad, good, bad):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = f(*arguments)
            except Exception as error:
                with pytest.raises(type(error)) as caught:
                    compiled(*arguments)
                assert str(caught.value) == str(error)
            else:
                same(expected, compiled(*arguments))
    assert compiled.statistics()["replayed"] >= 1 or name in ("bincount", "repeat")


@pytest.mark.parametrize("kind", ["argument", "variable"])
def test_the_same_array_twice_and_a_view_of_it_are_different_calls(kind):
    w = np.ones(3)
    compiled = torch_np.compile((lambda x, y: (x * 2, y)) if kind == "argument" else (lambda x, y: (y * 2, w)))
    view = w.view()
    for x, y in ((w, w), (w, view), (view, w), (w, w), (view, view), (w, view)):
        assert compiled(x, y)[1] is (y if kind == "argument" else w)


def test_a_scalar_in_a_named_tuple():
    compiled = torch_np.compile(lambda x: Pair(x.sum(), [x.max()]))
    for _ in range(3):
        a, b = compiled(np.ones(3))
        assert type(a) is numpy.float64 and type(b[0]) is numpy.float64


UNLIKE_ARRAYS = [lambda s: s._torch(), lambda s: 3 in s, lambda s: s.__setitem__(..., 2), lambda s: s * [2.5], lambda s: len(s), lambda s: {1: 2}[s], lambda s: s[0]]


@pytest.mark.parametrize("f", UNLIKE_ARRAYS)
@pytest.mark.parametrize("face", ["numpy", "torch"])
def test_what_numpys_scalars_refuse(f, face):
    compiled = torch_np.compile(lambda x: f((x if face == "numpy" else x._np_compat()).sum()))
    for _ in range(3):
        x = np.ones(3) if face == "numpy" else torch_np.ones(3)
        with pytest.raises((AttributeError, TypeError, KeyError, IndexError)) as expected:
            compiled.__wrapped__(x)
        with pytest.raises(expected.type, match=re.escape(str(expected.value))):
            compiled(x)


def test_a_scalar_is_a_key():
    compiled = torch_np.compile(lambda x: x * {3.0: 2.0, 4.0: 5.0}.get(x.sum(), 7.0))
    for x in (np.ones(3), np.ones(4), np.ones(4), np.ones(3), np.ones(3) * 2):
        same(compiled(x), compiled.__wrapped__(x))
    assert compiled.statistics()["plain"] == 0


@pytest.mark.parametrize("change", [lambda s: s.fill(2), lambda s: np.add(s, 1, out=s), lambda s: np.copyto(s, 2), lambda s: s.sort(), lambda s: np.put(s, 0, 5), lambda s: s[None].fill(3)])
def test_a_scalar_does_not_change(change):
    def f(x):
        s = x.sum()
        try:
            change(s)
        except (TypeError, ValueError):
            pass
        return s, x
    compiled = torch_np.compile(f)
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a, _ = compiled(np.ones(3))
        assert type(a) is numpy.float64 and a == f(np.ones(3))[0]


def test_a_number_with_a_gradient_is_an_array():
    def f(x):
        s = (x * x).sum()
        s._torch().backward()
        return s
    compiled = torch_np.compile(f)
    for _ in range(3):
        x = np.array([1.0, 2.0])
        x._torch().requires_grad_()
        s = compiled(x)
        assert type(s) is np.ndarray and s.flags.writeable and x._torch().grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("view", [lambda s: s._torch().detach(), lambda s: s._torch().detach()._np_compat(), lambda s: s._torch()])
def test_views_of_a_number_with_a_gradient_are_arrays(view):
    compiled = torch_np.compile(lambda t: view((t * t)._np_compat().sum()))
    for _ in range(3):
        t = torch_np.tensor([1.0, 2.0], requires_grad=True)
        assert type(compiled(t)) is type(compiled.__wrapped__(t))


def test_a_scalar_that_becomes_an_integer():
    def f(x, y):
        x[0] = y.max()
        return x * 2
    compiled = torch_np.compile(f)
    for value in (2.5, 2.5, 3.5, 2.5):
        same(compiled(np.array([1, 2]), np.array([value])), f(np.array([1, 2]), np.array([value])))
    for _ in range(2):
        with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
            compiled(np.array([1, 2]), np.array([numpy.nan]))


def test_a_scalar_is_a_key_of_a_result():
    compiled = torch_np.compile(lambda x: {x.sum(): x.max(), "a": x})
    for _ in range(3):
        d = compiled(np.ones(3))
        assert [type(k) for k in d] == [numpy.float64, str] and d[3.0] == 1.0 and type(d[3.0]) is numpy.float64


@pytest.mark.parametrize("f", [lambda s: s + 1e300, lambda s: s / 2, lambda s: s ** 2.5, lambda s: s < 1e300, lambda s: s.clip(max=2.5), lambda s: s + numpy.int32(5), lambda s: -s])
def test_scalars_promote_by_numpys_rules_whatever_ours_are(f):
    compiled = torch_np.compile(lambda x: f(x.sum()))
    before = np._set_promotion_rules("torch")
    try:
        for dtype in ("i8", "f4", "f8", "i8"):
            x = np.arange(3, dtype=dtype)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "torch_np.compile:")
                warnings.filterwarnings("ignore", "overflow encountered in cast")
                same(compiled(x), f(x.sum()))
    finally:
        np._set_promotion_rules(before)


LIKE_SCALARS = [lambda s, t: s.copy(), lambda s, t: copy.copy(s), lambda s, t: copy.deepcopy([s]), lambda s, t: s.byteswap(), lambda s, t: (s == None, s != None), lambda s, t: np.isscalar(s),  # noqa: E711
                lambda s, t: [s[...].flags.writeable, s[...] * 2, s[()]], lambda s, t: t.clamp(max=s), lambda s, t: t.long().clamp(max=s), lambda s, t: torch_np.where(t > 0, t, s), lambda s, t: t.add(s), lambda s, t: repr(s) + str(s)]


@pytest.mark.parametrize("f", LIKE_SCALARS)
@pytest.mark.parametrize("scalar", [lambda x: x.sum(), lambda x: x.astype("f4").max(), lambda x: x.astype("i8")[1], lambda x: (x * -0.0).sum()])
def test_scalars_while_a_function_is_recorded(f, scalar):
    def g(x, t):
        return f(scalar(x), t)
    compiled = torch_np.compile(g)
    for _ in range(3):
        arguments = np.array([2.0, 1.0]), torch_np.tensor([1.0, 4.0])
        expected, got = g(*arguments), None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = compiled(*arguments)
        for a, b in zip(expected, got, strict=True) if isinstance(expected, (list, tuple)) else [(expected, got)]:
            same(a, b) if hasattr(a, "dtype") else check(a, b)


def check(a, b):
    assert type(a) is type(b) and a == b


@pytest.mark.parametrize("f", [torch_np.sin, torch_np.sort, torch_np.numel, torch_np.is_floating_point, lambda s: torch_np.cat([s]), lambda s: torch_np.dist(torch_np.ones(1), s), lambda s: torch_np.ones(2).copy_(s)])
def test_torchs_functions_refuse_scalars(f):
    compiled = torch_np.compile(lambda x: f(x.sum()))
    for _ in range(2):
        with pytest.raises(TypeError) as expected:
            f(np.ones(3).sum())
        with warnings.catch_warnings(), pytest.raises(TypeError, match=re.escape(str(expected.value))):
            warnings.simplefilter("ignore")
            compiled(np.ones(3))


def test_an_error_names_the_scalar_after_an_effect():
    """The function cannot be called again, so that the message is that of the call that records."""
    def f(x, t):
        x += 1
        return torch_np.dist(t, x.sum())
    for g in (f, torch_np.compile(f)):
        x = np.ones(3)
        with pytest.raises(TypeError, match="dist\\(\\): argument 'other' must be Tensor, not numpy.float64"):
            g(x, torch_np.ones(1))
        assert x.tolist() == [2.0] * 3


def test_a_result_in_the_memory_of_a_numpy_array():
    w = numpy.array([1.0, 2.0])
    compiled = torch_np.compile(lambda x: (x * 2, np.asarray(w)))
    with pytest.warns(RuntimeWarning, match="a result that shares memory with an array of another library"):
        results = [compiled(np.ones(2))[1] for _ in range(3)]
    w[...] = 5.0
    assert [r.tolist() for r in results] == [[5.0, 5.0]] * 3


REFUSED = [lambda s: np.add(s, 1, out=s), lambda s: s[0], lambda s: s[:1], lambda s: len(s), lambda s: iter(s), lambda s: 3 in s, lambda s: exec("s[0] = 1", {"s": s}), lambda s: exec("del s[0]", {"s": s}), lambda s: s @ s, lambda s: s < "b", lambda s: s >= None, lambda s: s * "a" if s.dtype != "i8" else s[0], lambda s: s @ 2.0, lambda s: 2.0 @ s]


@pytest.mark.parametrize("f", REFUSED)
@pytest.mark.parametrize("dtype", ["f8", "i8", "c16"])
def test_errors_of_scalars_after_an_effect(f, dtype):
    def g(x):
        x += 1
        return f(x.max())
    found = []
    for h in (g, torch_np.compile(g)):
        with pytest.raises((TypeError, IndexError)) as caught:
            h(np.ones(3, dtype=dtype))
        found.append((caught.type, str(caught.value)))
    assert found[0] == found[1]


@pytest.mark.parametrize("convert", [float, int])
def test_a_complex_scalar_becomes_a_real_number(convert):
    compiled = torch_np.compile(lambda x: x * convert(x.sum()))
    x = np.array([1 + 2j, 3])
    with pytest.warns(numpy.exceptions.ComplexWarning):
        expected = compiled.__wrapped__(x)
    with pytest.warns(numpy.exceptions.ComplexWarning):
        same(compiled(x), expected)


def test_filling_a_scalar_changes_nothing():
    def f(x):
        x += 1
        s = x.max()
        return s.fill(5), s
    for g in (f, torch_np.compile(f)):
        assert g(np.ones(3)) == (None, 2.0)


def _kind_of(value):
    match value:
        case float():
            return 2.0
        case np.ndarray():
            return 3.0
    return 4.0


@functools.singledispatch
def _dispatched(value):
    return 1.0


@_dispatched.register
def _(value: float):
    return 2.0


@_dispatched.register
def _(value: np.ndarray):
    return 3.0


def _accepts(value, classes):
    return isinstance(value, classes)


INSPECTIONS = {
    "float": lambda s: isinstance(s, float), "ndarray": lambda s: isinstance(s, np.ndarray), "generic": lambda s: isinstance(s, numpy.generic), "abstract": lambda s: isinstance(s, numbers.Real),
    "union": lambda s: isinstance(s, int | float), "tuple": lambda s: isinstance(s, (list, np.ndarray)), "sized": lambda s: isinstance(s, collections.abc.Sized), "argument": lambda s: _accepts(s, float),
    "map": lambda s: list(map(isinstance, [s], [float]))[0], "type": lambda s: type(s) is numpy.float64, "name": lambda s: len(type(s).__name__), "class": lambda s: s.__class__ is np.ndarray,
    "issubclass": lambda s: issubclass(type(s), float), "hasattr": lambda s: hasattr(s, "__len__"), "getattr": lambda s: getattr(s, "__iter__", None) is None, "computed": lambda s: hasattr(s, "__" + "len" + "__"),
    "dir": lambda s: "dot" in dir(s), "match": _kind_of, "singledispatch": _dispatched, "fraction": lambda s: float(fractions.Fraction(s)), "copy": lambda s: type(copy.copy(s)) is numpy.float64,
    "negated": lambda s: not isinstance(s, float), "conditional": lambda s: 1 if isinstance(s if s > 1 else 2, float) else 5}


@pytest.mark.parametrize("name", INSPECTIONS)
@pytest.mark.parametrize("changes", [False, True])
def test_code_that_asks_for_the_class_of_a_scalar(name, changes):
    """Such a function makes a graph break where it makes the scalar, with and without changes before."""
    if name in ("fraction", "copy") and changes:
        pytest.skip("the standard library asks, and the call cannot be repeated")
    ask = INSPECTIONS[name]

    def f(x):
        if changes:
            x += 1
        return ask(x.sum()) * x
    compiled = torch_np.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            same(compiled(np.ones(3)), f(np.ones(3)))


SAME_ANSWERS = {
    "list": lambda x: x * isinstance(x.sum(), (list, tuple, str)), "a class of the program": lambda x: x * isinstance(x.sum(), Pair), "an attribute of both": lambda x: x * hasattr(x.sum(), "dtype"),
    "type of self": lambda x: _Scaled().times(x)}


class _Scaled:
    def times(self, x):
        return x * x.sum() * (type(self) is _Scaled) * isinstance(self, _Scaled) * hasattr(self, "times")


@pytest.mark.parametrize("name", SAME_ANSWERS)
def test_questions_that_scalars_and_arrays_answer_alike_are_recorded(name):
    compiled = torch_np.compile(SAME_ANSWERS[name])
    for _ in range(3):
        same(compiled(np.ones(3)), SAME_ANSWERS[name](np.ones(3)))
    assert compiled.statistics()["plain"] == 0


def test_a_function_that_asks_for_classes_before_it_makes_no_scalar_is_recorded():
    compiled = torch_np.compile(lambda x: x * 2 if isinstance(x, np.ndarray) else x)
    for _ in range(3):
        same(compiled(np.ones(3)), np.ones(3) * 2)
    assert compiled.statistics()["replayed"] == 2


@pytest.mark.parametrize("write", [lambda s: np.copyto(s, 2), lambda s: np.put(s, 0, 5), lambda s: np.place(s, True, 1), lambda s: np.putmask(s, True, 1), lambda s: np.add.at(s, 0, 1)])
def test_writes_to_a_scalar_after_a_change_raise_as_for_a_scalar(write):
    def f(x):
        x += 1
        write(x.sum())
    with pytest.raises(TypeError) as expected:
        f(np.ones(2))
    with pytest.raises(TypeError, match=re.escape(str(expected.value))):
        torch_np.compile(f)(np.ones(2))


def test_a_scalar_that_a_recorded_function_has_stored_outside_is_indexed_as_a_scalar():
    kept = []
    compiled = torch_np.compile(lambda x: kept.append(x.sum()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled(np.ones(2))
    with pytest.raises(IndexError, match="invalid index to scalar variable"):
        kept[0][:1]


class _Kept:
    value = None


_kept, _items, _table = _Kept(), [], {}


def _set_global(x):
    global _kept_scalar
    _kept_scalar = x.sum()
    return x * 2


def _set_attribute(x):
    _kept.value = x.sum()
    return x * 2


def _append(x):
    _items.append(x.sum())
    return x * 2


def _set_item(x):
    _table["a"] = x.sum()
    return x * 2


def _set_nonlocal():
    kept = None

    def function(x):
        nonlocal kept
        kept = x.sum()
        return x * 2
    return function, lambda: kept


@pytest.mark.parametrize(("function", "value"), [
    (_set_global, lambda: _kept_scalar), (_set_attribute, lambda: _kept.value), (_append, lambda: _items[-1]),
    (_set_item, lambda: _table["a"]), _set_nonlocal()])
@pytest.mark.filterwarnings("ignore:torch_np.compile")
def test_scalars_that_are_kept_outside_of_the_call(function, value):
    compiled = torch_np.compile(function)
    for n in range(1, 4):
        compiled(np.full(3, float(n)))
        assert type(value()) is numpy.float64 and value() == 3 * n


_array = np.zeros(2)


def test_scalars_that_are_written_to_arrays_are_recorded():
    def function(x):
        _array[0] = x.sum()
        return x * 2
    compiled = torch_np.compile(function)
    for n in range(1, 4):
        compiled(np.full(3, float(n)))
        assert _array[0] == 3 * n
    assert compiled.statistics()["replayed"] == 2
