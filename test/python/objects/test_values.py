"""Results that are scalars in NumPy are NumPy's scalars, and results that are 0-d arrays are ours:
every function with arguments of every kind. With a gradient, a scalar result is a 0-d array, but
still a value."""
import copy
import datetime
import json
import pickle
import re
import statistics
import warnings

import ml_dtypes
import numpy
import pytest

import torch_np.numpy as np

NUMBERS_ARE_ARRAYS = np.zeros(()).device != "cpu"  # results on a device stay there
V, M = [0.25, 0.5, 2.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]
ARGUMENTS = {
    "float": lambda xp: 0.5, "int": lambda xp: 2, "bool": lambda xp: True, "float64": lambda xp: numpy.float64(0.5),
    "int32": lambda xp: numpy.int32(1), "0-d": lambda xp: xp.array(0.5), "0-d int": lambda xp: xp.array(1), "list": lambda xp: list(V),
    "1-d": lambda xp: xp.array(V), "1-d int": lambda xp: xp.array([0, 1, 1, 0]), "2-d": lambda xp: xp.array(M),
    "complex": lambda xp: xp.array(0.5 + 1j),
}
# Functions for tests, or with side effects outside the process.
SKIPPED = {"show_config", "show_runtime", "info", "save", "savez", "savez_compressed", "savetxt", "fromfile", "memmap", "get_include", "test",
           "set_printoptions", "seterr", "seterrcall", "setbufsize", "empty", "empty_like", "ndarray", "getbufsize", "geterr"}
# Differences from NumPy, by function: a pattern of "kinds of arguments: our result or error", and
# the reason.
OF_EVERY_FUNCTION = [(r": TypeError: .*must be int( or tuple of ints)?, not bool$", "bools are no counts, places or axes")]
FLOATS = (r"^(.*, )?(float|float64|0-d|complex|1-d|list)(, .*)?: TypeError: .*must be int( or tuple of ints)?, not (float|list|numpy\.\w+|torch_np\.numpy\.ndarray)$",
          "floats are no counts")
CASTS = (r": TypeError: .*Cannot cast array data from dtype\('float64'\) to dtype\('int64'\) according to the rule 'safe'$",
         "numbers and lists of floats are no integers: NumPy casts them without asking")
PIECES = (r", bool: TypeError: .*invalid combination of arguments - got \(.*, bool\)", "bools are no counts")
COMPLEX_DATA = (r"^complex(, (int|bool|int32|0-d int))?: TypeError: must be real number, not complex$", "complex numbers have no order: NumPy compares the real parts")
WINDOWS = (r"^complex: ", "NumPy takes a complex number of points")
WEAK = (r"^(int, int32|int32, int): (int32|\('array', 0, 'int32'\))$", "a Python int beside a scalar is weak")
PAIRS = (r"^(float|int|bool|float64|int32|0-d|0-d int), (0-d|complex): \(", "beside an out= of one result the other is an array")
PLANE = (r"2-d.*: ValueError: .*(must have same number of dimensions|setting an array element with a sequence)", "polynomials of two dimensions")
DIFFERENT = {
    "kaiser": [(r"^(bool|int32|0-d int), complex: ", "NumPy takes a complex number of points")],
    "ldexp": [(r"^int, (int32|0-d int|1-d int): ", "NumPy takes 2 for a float16")],
    "mintypecode": [(r"^list(, .*)?: AttributeError: 'float' object has no attribute 'dtype'$", "floats are no codes of dtypes")],
    "linalg.norm": [(r"^(list|1-d|1-d int), list: ValueError: Invalid norm order for vectors", "a list is no order")],
    "unravel_index": [(r"^bool, int: TypeError: only int indices permitted$", "bools are no places")],
    "fft.rfftfreq": [(r"^bool(, .*)?: ValueError: n should be an integer$", "bools are no counts")],
    **dict.fromkeys(["bartlett", "blackman", "hamming", "hanning"], [WINDOWS]), **dict.fromkeys(["dot", "inner"], [WEAK]),
    **dict.fromkeys(["frexp", "modf"], [PAIRS]), "polydiv": [PLANE],
    **dict.fromkeys(["bincount", "repeat", "take"], [CASTS]), **dict.fromkeys(["array_split", "split", "hsplit", "vsplit"], [PIECES]),
    **dict.fromkeys(["histogram", "histogram_bin_edges", "histogramdd"], [COMPLEX_DATA]),
    **dict.fromkeys(["roll", "rot90", "tri", "tril", "triu", "tril_indices", "triu_indices", "tril_indices_from", "triu_indices_from"], [FLOATS]),
}


def functions():
    for package in ("", "linalg", "fft"):
        ours, theirs = (getattr(m, package) if package else m for m in (np, numpy))
        for name in sorted(vars(theirs)):
            function = getattr(theirs, name)
            if name.startswith("_") or name in SKIPPED or not callable(function) or isinstance(function, type) or not hasattr(ours, name):
                continue
            yield pytest.param(getattr(ours, name), function, id=f"{package}.{name}".lstrip("."))


def kind(x):
    """The observable properties of a result's type. NumPy's numbers count as 0-d arrays where ours are."""
    if isinstance(x, tuple):
        return tuple(map(kind, x))
    if isinstance(x, list):
        return list(map(kind, x))
    if type(x) is np.ndarray or type(x) is numpy.ndarray or NUMBERS_ARE_ARRAYS and isinstance(x, numpy.generic):
        return "array", x.ndim, str(x.dtype)
    return type(x).__name__


def outcome(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments), None
        except Exception as error:  # noqa: BLE001
            return None, error


@pytest.mark.parametrize(("ours", "theirs"), list(functions()))
def test_kinds_of_results(ours, theirs, request):
    """All arguments that NumPy accepts are accepted. Exceptions are single pairs of arguments, not
    whole functions."""
    reasons = DIFFERENT.get(request.node.callspec.id, [])
    differences, met = [], set()
    for names in [(name,) for name in ARGUMENTS] + [(a, b) for a in ARGUMENTS for b in ARGUMENTS]:
        expected, error = outcome(theirs, *(ARGUMENTS[n](numpy) for n in names))
        got, our_error = outcome(ours, *(ARGUMENTS[n](np) for n in names))
        if error is not None or our_error is None and kind(got) == kind(expected):
            continue
        text = f"{', '.join(names)}: {f'{type(our_error).__name__}: {our_error}'.splitlines()[0] if our_error else kind(got)}"
        reason = next((reason for reason in [*reasons, *OF_EVERY_FUNCTION] if re.search(reason[0], text)), None)
        met.add(reason)
        if reason is None:
            differences.append(f"{text}; in NumPy {kind(expected)}")
    assert not differences, "\n".join(differences)
    assert met >= set(reasons), "nothing differs for this reason any more"


METHODS = ["all", "any", "argmax", "argmin", "copy", "max", "mean", "min", "prod", "ptp", "round", "squeeze", "std", "sum",
           "trace", "transpose", "var", "item", "tolist", "ravel", "flatten", "argsort", "cumsum", "nonzero", "diagonal", "view"]


@pytest.mark.parametrize("name", METHODS)
def test_kinds_of_methods(name):
    for argument in ("0-d", "0-d int", "1-d", "1-d int", "2-d", "complex"):
        expected, error = outcome(lambda x: getattr(x, name)(), ARGUMENTS[argument](numpy))
        got, our_error = outcome(lambda x: getattr(x, name)(), ARGUMENTS[argument](np))
        if error is None and our_error is None:
            assert kind(got) == kind(expected), argument


OPERATORS = ["x + 1", "1 + x", "x + x", "-x", "abs(x)", "x ** 2", "x ** 0.5", "2 ** x", "x < 1", "x == 0.5", "x == None", "x != 'a'", "x // 1", "divmod(x, 2)",
             "x @ x", "x[...]", "x[()]", "x[0]", "x[-1]", "x[0, 0]", "x[0, ...]", "x[np.array(1)]", "x[np.array(0), 1]", "x[x > 9]", "x[True]", "x.T",
             "x.real", "x.imag", "x.flat[0]", "next(iter(x))", "list(x)", "next(x.flat)", "x.item()", "round(x)", "round(x, 1)", "+x",
             "np.add.reduce(x)", "np.add.accumulate(x)", "np.maximum.reduce(x, axis=None)", "np.add.reduce(x, keepdims=True)",
             "np.add.outer(x, x)", "np.sum(x, keepdims=True)", "np.add(x, 1, out=np.zeros(x.shape))", "x.sum(out=np.zeros(()))", "x.astype('f4')",
             "x.take(0)", "np.take(x, 0)", "np.take(x, [0])", "x.searchsorted(0.5)", "x.dot(x)", "x.clip(0, 1)", "x.reshape(())", "x.sum(axis=0)",
             "np.where(x > 0, x, 0)", "np.linalg.norm(x)", "np.linalg.det(x)", "np.median(x)", "np.percentile(x, 30)", "np.average(x)",
             "np.interp(0.3, [0, 1], [0, 1])", "np.trapezoid(x)", "np.polyval([1, 2], 2.0)", "np.einsum('i,i', x, x)", "np.vdot(x, x)",
             "np.tensordot(x, x, 1)", "np.inner(x, x)", "np.searchsorted([1, 2, 3], 2)", "np.digitize(2, [1, 2, 3])", "np.modf(x)", "np.frexp(x)",
             "np.divmod(x, 2)", "np.unravel_index(3, (2, 2))", "np.ravel_multi_index((1, 1), (2, 2))", "np.count_nonzero(x)", "np.bincount([1, 1])[1]",
             "np.nanmax(x)", "np.nansum(x)", "np.corrcoef(x)", "np.cov(x)", "np.select([x > 0], [x])", "np.choose(0, [1, 2])", "np.unstack(x)"]


@pytest.mark.parametrize("text", OPERATORS, ids=[text.replace("/", "divided by ") for text in OPERATORS])
def test_kinds_of_expressions(text):
    for argument in ("0-d", "0-d int", "1-d", "1-d int", "2-d", "complex"):
        expected, error = outcome(lambda x: eval(text, {"np": numpy, "x": x}), ARGUMENTS[argument](numpy))
        got, our_error = outcome(lambda x: eval(text, {"np": np, "x": x}), ARGUMENTS[argument](np))
        if error is None:
            assert our_error is None, (argument, our_error)
            assert kind(got) == kind(expected), argument


@pytest.mark.parametrize("text", [
    "rng.random()", "rng.normal()", "rng.standard_normal(dtype='f4')", "rng.integers(5)", "rng.integers(5, dtype='u1')", "rng.choice(5)",
    "rng.choice([1.5, 2.5])", "rng.poisson()", "rng.uniform(0, 1)", "rng.exponential()", "rng.binomial(3, 0.5)", "rng.normal([0.0])",
    "rng.normal(np.array(0.0))", "np.random.randint(5)", "np.random.random()", "np.random.uniform()",
    "np.random.normal()", "np.random.choice(5)", "np.random.choice([0.5])", "np.random.randint(5, dtype='i4')", "np.random.poisson()"])
def test_kinds_of_random_draws(text):
    kinds = [kind(eval(text, {"np": xp, "rng": xp.random.default_rng(0)})) for xp in (np, numpy)]
    assert kinds[0] == kinds[1]
    assert isinstance(np.random.rand(), float) and isinstance(np.random.randn(), float)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64",
                                   "complex128", ml_dtypes.bfloat16])
def test_elements_of_every_dtype(dtype):
    theirs = numpy.array([0, 1, 1.75, 100]).astype(dtype)
    ours = np.asarray(theirs)
    for i, expected in enumerate(theirs):
        for got in (ours[i], list(ours)[i], ours.flat[i], ours[i:i + 1].max() if theirs.dtype.kind != "c" else ours[i], ours[i:].take(0)):
            assert type(got) is type(expected) and got == expected and repr(got) == repr(expected)
        assert type(ours[i:i + 1].sum()) is type(theirs[i:i + 1].sum())
        assert type(pickle.loads(pickle.dumps(ours[i]))) is type(expected)
    assert ours[1] is np.True_ if theirs.dtype.kind == "b" else not isinstance(ours[1], numpy.bool)


def test_what_programs_do_with_them():
    x = np.array([1.0, 2.0, 4.0])
    s, history = x.sum(), []
    for _ in range(3):
        s += 1
        history.append(s)
    assert history == [8.0, 9.0, 10.0]
    assert isinstance(x[0], float) and json.dumps(x.mean()) == str(7 / 3) and datetime.timedelta(seconds=x[1]).seconds == 2
    assert statistics.mean(x) == 7 / 3 and str([x.max()]) == "[np.float64(4.0)]" and f"{np.float32([0.1])[0]}" == "0.10000000149011612"
    s = x.sum()
    s -= np.ones(4)
    assert isinstance(s, np.ndarray) and s.tolist() == [6.0] * 4
    total = np.array([1, 2, 3]).sum()
    total /= 2
    assert total == 3.0 and isinstance(total, numpy.float64)
    y = np.arange(3)
    y[1] += 0.5
    assert y.tolist() == [0, 1, 2] and copy.deepcopy(x[0]) == 1.0
    match x.sum():
        case float():
            pass
        case _:
            raise AssertionError
    a, b = x[0], x[1]
    x[0], x[1] = x[1], x[0]
    assert (a, b) == (1.0, 2.0) and x.tolist() == [2.0, 1.0, 4.0]
    with pytest.raises(TypeError):
        x.sum()[...] = 5


def test_scalars_and_arrays_meet():
    for dtype in ("f2", "f4", "f8", "i4", "i8", "u1", "c8", "?"):
        for scalar in (numpy.float64(2.5), numpy.float32(1.5), numpy.int64(3), numpy.int8(-2), numpy.bool(True), numpy.complex64(1j), numpy.uint8(200)):
            theirs = numpy.array([0, 1, 1]).astype(dtype)
            ours = np.asarray(theirs)
            for text in ("s * x", "x * s", "s + x", "x / s", "s - x", "s < x", "x == s", "np.maximum(x, s)", "np.add(s, x)", "s ** x", "np.multiply(s, s)",
                         "np.sqrt(s)", "np.hypot(s, 2.0)", "np.add(s, 1)"):
                expected, error = outcome(lambda x: eval(text, {"np": numpy, "x": x, "s": scalar}), theirs)
                got, our_error = outcome(lambda x: eval(text, {"np": np, "x": x, "s": scalar}), ours)
                if error is None and kind(expected) != "NotImplementedType":
                    assert our_error is None, (dtype, scalar, text, our_error)
                    assert kind(got) == kind(expected), (dtype, scalar, text)
                    assert numpy.allclose(numpy.asarray(got).astype(complex), numpy.asarray(expected).astype(complex), rtol=1e-3, equal_nan=True), text


def test_with_a_gradient_a_result_is_an_array_and_a_value():
    w = np.array([1.0, 2.0, 3.0], _requires_grad=True)
    for result in (w.sum(), w[0], np.sqrt(w[1]), w.mean() * 2, w @ w, next(iter(w)), np.add.reduce(w)):
        assert isinstance(result, np.ndarray) and result.shape == () and result._requires_grad
    loss = (w * w).sum()
    held = loss
    history = []
    for _ in range(2):
        loss += w[0]
        history.append(loss)
    assert float(held) == 14 and [float(h) for h in history] == [15.0, 16.0]
    loss._backward()
    assert w._grad.tolist() == [4.0, 4.0, 6.0]
    assert isinstance(w._detach().sum(), numpy.float64)


def test_true_0d_arrays_stay_arrays():
    for x in (np.array(3.0), np.zeros(()), np.ones(4)[..., 0], np.zeros((1, 1)).reshape(()), np.ones(1).squeeze(), np.array(2.0).copy()):
        held = x
        x += 1
        assert x is held and isinstance(x, np.ndarray) and x.ndim == 0
        x[...] = 5
        assert float(held) == 5


def test_subclasses_keep_their_class():
    class Own(np.ndarray):
        pass

    theirs = type("Own", (numpy.ndarray,), {})
    for text in ("x.sum()", "x[0]", "x.max()", "np.add(x[:1].reshape(()), 1)", "2.0 * x[:1].reshape(())", "np.median(x)", "x.dot(x)"):
        kinds = [eval(text, {"np": xp, "x": xp.array([1.0, 2.0]).view(cls)}) for xp, cls in ((np, Own), (numpy, theirs))]
        assert type(kinds[0]).__name__ == type(kinds[1]).__name__, text


def test_scalars_as_indices_values_and_items():
    x, theirs = np.arange(6.0).reshape(2, 3), numpy.arange(6.0).reshape(2, 3)
    for xp_x in (x, theirs):
        xp_x[numpy.int64(1), numpy.uint8(2)] = numpy.float32(2.5)
        xp_x[0, numpy.int8(-1)] = numpy.int64(7)
        xp_x[numpy.int32(0)] += numpy.True_
    assert x.tolist() == theirs.tolist() and x[numpy.int16(1), 0] == 3.0
    for bad in (numpy.int64(2), numpy.int8(-3)):
        with pytest.raises(IndexError):
            x[bad]
        with pytest.raises(IndexError):
            x[bad, 0] = numpy.float64(1)
    with pytest.raises(IndexError):
        x[numpy.float64(1)]
    whole = np.zeros(2, int)
    for value in (numpy.float64("nan"), numpy.float64("inf")):
        with pytest.raises((ValueError, OverflowError)):
            whole[0] = value
    numbers = [numpy.float32(1.5), numpy.int64(2), 3, 4.5, numpy.True_, numpy.uint8(200), numpy.complex64(1j), numpy.float16(0.5), ml_dtypes.bfloat16(2)]
    for a in numbers:
        for b in numbers:
            if "bfloat16" in (str(getattr(a, "dtype", "")), str(getattr(b, "dtype", ""))):
                continue
            for items in ([a, b], [[a], [b]], (a, b)):
                ours, expected = np.array(items), numpy.array(items)
                assert ours.dtype == expected.dtype and ours.tolist() == expected.tolist(), items
    assert np.array([numpy.float64(1.5), 2.5], dtype="i4").tolist() == [1, 2]
    with pytest.raises(ValueError):
        np.array([numpy.float64("nan")], dtype=int)


def test_where_gives_arrays_each_time():
    """A second call with the same dtypes goes directly to the cached loop."""
    for _ in range(3):
        for operands in ((np.asarray(True), np.asarray(1.0), 0.5), (True, np.asarray(1.0), 0.5), (np.asarray(False), 1.0, 0.5)):
            result = np.where(*operands)
            assert type(result) is np.ndarray and result.shape == ()
