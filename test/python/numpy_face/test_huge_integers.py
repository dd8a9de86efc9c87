"""Python integers outside of 64 bits as operands, compared with NumPy."""
import operator

import numpy
import pytest

import torch_np.numpy as np

HUGE = [2 ** 70, -2 ** 70, 2 ** 64, -2 ** 63 - 1, 10 ** 400]
OPERANDS = [numpy.array([1, 2]), numpy.array([1, 2], "u1"), numpy.array([1, 2 ** 64 - 1], "u8"), numpy.array([-2 ** 63, 2 ** 63 - 1]),
            numpy.array([1.5, numpy.inf, numpy.nan]), numpy.array([1.5, 2], "f4"), numpy.array([1j, 2]), numpy.array([True, False]),
            numpy.array(3), numpy.array([], "i4")]
OPERATORS = ["lt", "le", "eq", "ne", "gt", "ge", "add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "iadd", "itruediv"]


def outcome(xp, f):
    try:
        result = numpy.asarray(f(xp))
        return result.dtype.name, result.tolist()
    except Exception as e:
        return OverflowError if isinstance(e, OverflowError) else TypeError if isinstance(e, TypeError) else type(e)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("x", OPERANDS, ids=lambda x: f"{x.dtype}{x.shape}")
def test_operators(name, x):
    op = getattr(operator, name)
    if name == "floordiv" and x.dtype.kind == "f":
        x = x[~numpy.isinf(x)]  # test_array_api_standard.py
    for huge in HUGE:
        calls = [lambda xp: op(xp.array(x), huge)]
        if not name.startswith("i"):
            calls.append(lambda xp: op(huge, xp.array(x)))
        for call in calls:
            want, got = outcome(numpy, call), outcome(np, call)
            if want is TypeError and got is OverflowError and huge == 10 ** 400:  # NumPy has no loop, we have no float
                continue
            assert str(got) == str(want), (huge, got, want)  # compared as text, since NaN != NaN


@pytest.mark.parametrize("f", [
    lambda xp: xp.less([1, 2], 2 ** 70), lambda xp: xp.add([1.0], 2 ** 70), lambda xp: xp.add([1], 2 ** 70), lambda xp: xp.hypot([1], 2 ** 70),
    lambda xp: xp.add([1], 2 ** 70, dtype=float), lambda xp: xp.maximum([1.0], -2 ** 70), lambda xp: xp.maximum([1], -2 ** 70),
    lambda xp: xp.less([1.0, 2.0], 2 ** 70, where=[True, True], out=xp.zeros(2, bool)),
])
def test_ufuncs(f):
    assert outcome(np, f) == outcome(numpy, f)


def test_gradient():
    x = np.array([1.0, 2.0], _requires_grad=True)
    (x * 2 ** 70).sum()._backward()
    assert x._grad.tolist() == [2.0 ** 70] * 2


def test_functions_that_meet_one_which_nothing_holds_are_numpys():
    huge = 10**100
    for call in (lambda xp: xp.full(2, huge), lambda xp: xp.full_like(xp.zeros(2), huge), lambda xp: xp.clip(xp.arange(3), None, huge),
                 lambda xp: xp.searchsorted(xp.arange(3), huge), lambda xp: xp.arange(huge, huge + 3)):
        ours, numpys = call(np), call(numpy)
        assert ours.dtype == numpys.dtype and (numpy.asarray(ours) == numpys).all()
    with pytest.raises(OverflowError):
        np.full_like(np.zeros(2, dtype=int), huge)


def test_float_arrays_have_huge_powers():
    assert (np.array([0., 1., 2., 0.5]) ** 10**100).tolist() == [0., 1., numpy.inf, 0.]
