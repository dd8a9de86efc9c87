"""Floating-point errors: np.errstate, and the warnings and exceptions that NumPy gives on the same data."""
import io
import math
import threading
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from numpy_calls import CALLS

FLOATS = ["float16", "float32", "float64"]
UFUNCS = sorted(name for name in dir(np) if isinstance(getattr(numpy, name, None), numpy.ufunc) and getattr(numpy, name).signature is None
                and getattr(numpy, name).__name__ == name)
# Names of one operator: warnings use its first name.
SAME = {"degrees": "rad2deg", "radians": "deg2rad"}


def warned(call):
    """The RuntimeWarnings of a call, as a set."""
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
        warnings.simplefilter("always")
        call()
    return {str(w.message) for w in caught if w.category is RuntimeWarning}


def specials(dtype):
    limits = numpy.finfo(dtype)
    return [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, numpy.inf, -numpy.inf, numpy.nan, limits.max, -limits.max, limits.tiny,
            limits.smallest_subnormal, 100.0, -100.0, 1000.0]


@pytest.fixture(autouse=True)
def operators_run_at_once():
    """Turns fusion off, so that warnings come with the call. test_fusion.py tests those that come
    later."""
    with torch_np.fusion.off():
        yield


SECONDS = [0.0, 1.0, -1.0, 0.5, -3.0, numpy.inf, -numpy.inf, numpy.nan]


def differs(name, dtype, a, b, expected, got):
    """Known differences, with reasons."""
    nan = numpy.isnan(a) or (b is not None and numpy.isnan(b))
    if name in ("logaddexp", "logaddexp2"):
        # NumPy compares x - y with 0 by an instruction that raises invalid for NaN; and x - y may
        # overflow although the result does not.
        return got == set() and (nan or expected == {f"overflow encountered in {name}"})
    # the array API standard's quotient: infinity, not NaN
    if name == "floor_divide" and numpy.isinf(a) and got == set():
        return True
    if name in ("floor_divide", "divmod"):
        # A quotient that overflows: NumPy subtracts infinity from infinity when it rounds
        # (invalid). We report overflow.
        return expected - got == {f"invalid value encountered in {name}"} and got == {f"overflow encountered in {name}"}
    # NumPy's spacing reports invalid for a NaN of float16, and nothing for infinities of other
    # dtypes.
    if name == "spacing":
        return dtype == "float16" and nan and got == set()
    if name in ("power", "float_power"):
        # Infinity and zero are exact. NumPy reports an error in some of its loops (0 ** -inf of
        # float32, the root of a single -inf), and so does glibc for the largest number to the power
        # of infinity.
        return got == set() and (numpy.isinf(b) or (numpy.isinf(a) and b == 0.5))
    return False


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_warn_as_numpys(name, dtype):
    theirs, ours = getattr(numpy, name), getattr(np, name)
    wrong = []
    for a in specials(dtype):
        for b in [None] if theirs.nin == 1 else [*SECONDS, numpy.finfo(dtype).max]:
            for n, at in ((0, 0), (1, 0), (3, 2), (1000, 0), (1000, 513), (1000, 999)):
                arguments = [numpy.full(n or (), 1.5 if name == "arccosh" else 0.75, dtype) for _ in range(theirs.nin)]
                for argument, value in zip(arguments, (a, b, 1.0)):
                    argument[at if n else ()] = value
                if name == "ldexp":
                    arguments[1] = numpy.full(n or (), 3)
                    arguments[1][at if n else ()] = int(b) if abs(b) < 1e5 else 70000
                try:
                    expected = warned(lambda: theirs(*arguments))
                except TypeError:  # integer operators
                    return
                got = warned(lambda: ours(*[np.asarray(x) for x in arguments]))
                if name in SAME:
                    got = {message.replace(SAME[name], name) for message in got}
                if got != expected and not differs(name, dtype, a, b, expected, got):
                    wrong.append((a, b, n, at, got, expected))
    assert not wrong, "\n".join(map(str, wrong[:10]))


LONG = ["add", "subtract", "multiply", "divide", "sqrt", "square", "exp", "log", "sin", "tanh", "power", "floor_divide", "remainder"]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", LONG)
def test_one_element_of_many_is_seen_by_whichever_thread(name, dtype):
    theirs, ours = getattr(numpy, name), getattr(np, name)
    n = 100_000
    for value in (-1.0, 0.0, numpy.inf, 1000.0):
        for at in (0, 12345, 50_000, n - 1):
            x = numpy.full(n, 0.75, dtype)
            x[at] = value
            arguments = [x] if theirs.nin == 1 else [x, numpy.where(x == 0.75, x, -x * 0)]
            assert warned(lambda: ours(*map(np.asarray, arguments))) == warned(lambda: theirs(*arguments)), (value, at)


@pytest.mark.parametrize("name", ["fmod", "remainder", "divmod"])
def test_remainders_of_infinity_by_huge_numbers_are_seen_by_whichever_thread(name):
    x, y = np.full(1000, 0.75), np.full(1000, 0.75)
    x[513], y[513] = np.inf, np.finfo(float).max
    for _ in range(200):  # vector math sometimes divides its work among threads
        assert f"invalid value encountered in {name}" in warned(lambda: getattr(np, name)(x, y))


@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "power", "divide", "floor_divide", "multiply", "arctanh"])
def test_in_place_and_strided_and_cast_results_warn_alike(name):
    theirs, ours = getattr(numpy, name), getattr(np, name)
    for value in (-1.0, 0.0, numpy.inf, 1000.0, numpy.nan):
        for view in (lambda x: x, lambda x: x[::2], lambda x: x[::-1], lambda x: x[:1200].reshape(40, 30).T):
            def arguments(xp):
                x = numpy.full(2000, 0.75)
                x[600] = value
                x = view(xp.asarray(x.copy()))
                return [x] if theirs.nin == 1 else [x, xp.asarray(x * 0 + 3.0)]

            for out in (None, 0, "float32"):
                def call(ufunc, xp):
                    given = arguments(xp)
                    return lambda: ufunc(*given, out=given[0] if out == 0 else None if out is None else xp.empty(given[0].shape, out))

                assert warned(call(ours, np)) == warned(call(theirs, numpy)), (value, out)


def test_masked_elements_say_nothing():
    x = np.array([-1.0, 4.0, 0.0])
    assert warned(lambda: np.sqrt(x, where=x > 0, out=np.zeros(3))) == set()
    assert warned(lambda: np.divide(1.0, x, where=x != 0, out=np.zeros(3))) == set()
    assert warned(lambda: np.log(x, where=x >= 0, out=np.zeros(3))) == {"divide by zero encountered in log"}


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_of_integers_warns_as_numpys(dtype):
    lowest = numpy.iinfo(dtype).min
    for name in ("floor_divide", "remainder", "fmod", "divmod", "divide"):
        for a, b in ((5, 0), (0, 0), (lowest, -1 if lowest else 1), (lowest, 3), (7, 2)):
            for n in (0, 1, 3, 1000):
                x, y = numpy.full(n or (), 3, dtype), numpy.full(n or (), 2, dtype)
                x[-1 if n else ()] = a
                y[-1 if n else ()] = b
                expected = warned(lambda: getattr(numpy, name)(x, y))
                got = warned(lambda: getattr(np, name)(np.asarray(x), np.asarray(y)))
                assert got == expected, (name, a, b, n)
    x = numpy.array([1, 0, 3], dtype)
    assert warned(lambda: np.reciprocal(np.asarray(x))) == warned(lambda: numpy.reciprocal(x))


@pytest.mark.parametrize("to", [*INTEGERS, "bool", "float16", "float32"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_casts_warn_as_numpys(dtype, to):
    values = [0.0, 1.5, -1.0, -0.5, 200.0, -200.0, 4e4, -4e4, numpy.inf, -numpy.inf, numpy.nan]
    if dtype != "float16":
        values += [3e9, -3e9, 1e19, -1e19, 1e30]
    if dtype == "float64":
        values += [1e300, -1e300]
    wrong = []
    for value in values:
        for n in (1, 3, 1000):
            x = numpy.full(n, 1.0, dtype)
            x[-1] = value
            expected = warned(lambda: x.astype(to))
            got = warned(lambda: np.asarray(x).astype(to))
            if got != expected and not (to == "uint64" and abs(value) > 9e18) and not (to in ("uint32", "uint64", "int64", "int32")
                                                                                       and got == set()):
                wrong.append((value, n, got, expected))
    assert not wrong, "\n".join(map(str, wrong))


def test_casts_on_the_way_are_seen():
    with pytest.warns(RuntimeWarning, match="^invalid value encountered in cast$"):
        np.zeros(3, int)[:] = np.array([1.0, numpy.nan, 2.0])
    with pytest.warns(RuntimeWarning, match="^overflow encountered in cast$"):
        np.ones(3, "float32") + 1e300
    with pytest.warns(RuntimeWarning, match="^overflow encountered in add$"):
        np.add(np.full(3, 1e300), 1.0, out=np.empty(3, "float32"))
    with pytest.warns(RuntimeWarning, match="^overflow encountered in add$"):
        np.full(3, 6e4, "float16") + np.full(3, 6e4, "float16")


REDUCTIONS = {
    "sum": lambda xp, x: xp.sum(x),
    "sum of columns": lambda xp, x: xp.sum(x[:12].reshape(3, 4), axis=0),
    "sum of rows": lambda xp, x: xp.sum(x[:12].reshape(3, 4), axis=1),
    "prod": lambda xp, x: xp.prod(x),
    "mean": lambda xp, x: xp.mean(x),
    "max": lambda xp, x: xp.max(x),
    "argmax": lambda xp, x: xp.argmax(x),
    "any": lambda xp, x: xp.any(x),
    "cumsum": lambda xp, x: xp.cumsum(x),
    "cumprod": lambda xp, x: xp.cumprod(x),
    "subtract.reduce": lambda xp, x: xp.subtract.reduce(x),
    "divide.reduce": lambda xp, x: xp.divide.reduce(x),
    "multiply.accumulate": lambda xp, x: xp.multiply.accumulate(x),
    "add.reduceat": lambda xp, x: xp.add.reduceat(x, [0, 5]),
    "subtract.accumulate": lambda xp, x: xp.subtract.accumulate(x),
    "maximum.reduce": lambda xp, x: xp.maximum.reduce(x),
    "add.outer": lambda xp, x: xp.add.outer(x, x),
    "nansum": lambda xp, x: xp.nansum(x),
    "median": lambda xp, x: xp.median(xp.where(xp.isinf(x), 0, x)),
    "matmul": lambda xp, x: x[:12].reshape(4, 3) @ x[:12].reshape(3, 4),
    "dot": lambda xp, x: xp.dot(x, x),
    "inner": lambda xp, x: xp.inner(x, x),
    "vdot": lambda xp, x: xp.vdot(x, x),
    "tensordot": lambda xp, x: xp.tensordot(x, x, 1),
    "einsum": lambda xp, x: xp.einsum("i,i", x, x),
    "trace": lambda xp, x: xp.trace(x[:9].reshape(3, 3)),
    "diff": lambda xp, x: xp.diff(x),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_and_products_warn_as_numpys(name, dtype):
    call = REDUCTIONS[name]
    largest = numpy.finfo(dtype).max
    for values in ((), (numpy.inf,), (numpy.inf, -numpy.inf), (numpy.nan,), (largest, largest), (largest, -largest), (largest,)):
        for n in (12, 13, 1000):
            if dtype == "float16" and n == 1000:
                continue  # sums of float16 round differently
            x = numpy.full(n, 1.0, dtype)
            x[:len(values)] = values
            got, expected = warned(lambda: call(np, np.asarray(x))), warned(lambda: call(numpy, x))
            if name == "matmul" and values == (numpy.inf,):
                assert not numpy.isnan(call(numpy, x)).any()
                expected = set()  # OpenBLAS multiplies infinity by the zeros of its padding
            assert got == expected, (values, n)


@pytest.mark.parametrize("shape", [(200, 300), (50_000,)])
def test_large_products_are_looked_at_whoever_multiplies(shape):
    x = numpy.ones(shape)
    x[(-1,) * len(shape)] = 1e200
    assert warned(lambda: np.asarray(x) @ np.asarray(x.T)) == {"overflow encountered in matmul"}
    x[(0,) * len(shape)] = numpy.nan
    assert warned(lambda: np.asarray(x) @ np.asarray(x.T)) == set()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("left, right", [((2, 3), (3, 2)), ((20, 20), (20, 20)), ((90, 60), (60, 90)), ((150, 128), (128, 130)), ((16, 500), (500, 300)), ((3000, 2), (2, 400)), ((43, 2), (2, 3)), ((3, 15), (15, 246)), ((2004, 3), (3, 2)),
                                         ((300, 260), (260, 301)), ((40, 32, 32), (40, 32, 32)), ((2000, 3, 3), (3, 3)), ((2, 300, 260), (260, 301)), ((600, 700), (700, 400)), ((30, 2000), (2000, 40)),
                                         ((500, 400), (400,)), ((400,), (400, 500)), ((3, 200_000), (200_000,))])
def test_products_of_every_size_warn(left, right, dtype):
    a, b = numpy.ones(left, dtype), numpy.ones(right, dtype)
    largest = numpy.finfo(dtype).max
    last = (-1,) * a.ndim, (-1,) * b.ndim
    for x, y, expected in ((1, 1, set()), (largest, largest, {"overflow encountered in matmul"}), (numpy.inf, 0, {"invalid value encountered in matmul"}),
                           (numpy.nan, 0, set()), (numpy.nan, numpy.inf, set()), (1e-30, 1e-30, set())):
        a[last[0]], b[last[1]] = x, y
        for other in (np.asarray(a), np.asarray(a).T.copy().T):
            with np.errstate(all="ignore"):
                product = numpy.asarray(other @ np.asarray(b))
            if x == numpy.inf and not numpy.isnan(product).any():
                continue  # the library skips products with zeros
            got = warned(lambda: other @ np.asarray(b))
            # infinity times the other part, which is zero, may be the only result
            if a.dtype.kind == "c" and x == largest:
                assert got and got <= expected | {"invalid value encountered in matmul"}
            else:
                assert got == expected, (x, y)


def test_empty_slices_are_warned_of():
    for name in ("mean", "var", "std"):
        for x, axis in ((numpy.zeros(0), None), (numpy.zeros((0, 3)), 0), (numpy.zeros((2, 0)), 1)):
            expected = {m.replace("scalar ", "") for m in warned(lambda: getattr(numpy, name)(x, axis=axis))}
            assert warned(lambda: getattr(np, name)(np.asarray(x), axis=axis)) == expected, (name, x.shape)
    assert "Degrees of freedom <= 0 for slice" in warned(lambda: np.var(np.ones(1), ddof=1))
    assert warned(lambda: np.mean(np.zeros((3, 0)), axis=0)) == set()


def test_errstate_says_what_happens():
    zero, one = np.zeros(3), np.ones(3)
    with np.errstate(divide="ignore"):
        assert (one / zero == numpy.inf).all()
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="^divide by zero encountered in divide$"):
        one / zero
    with np.errstate(all="raise"):
        for call in (lambda: np.sqrt(-one), lambda: np.log(zero), lambda: np.exp(one * 1e4), lambda: np.sum(one * numpy.inf - 0) - numpy.inf,
                     lambda: np.zeros(3).__itruediv__(zero), lambda: (one * numpy.nan).astype(int), lambda: np.arange(3) // 0,
                     lambda: np.exp(-1e4 * one), lambda: one * 1e-300 * 1e-300, lambda: np.full((2, 2), 1e200) @ np.full((2, 2), 1e200)):
            with pytest.raises(FloatingPointError):
                call()
        with np.errstate(all="ignore"):
            np.sqrt(-one)
        with pytest.raises(FloatingPointError):
            np.sqrt(-one)
    calls = []
    with np.errstate(invalid="call", call=lambda kind, flag: calls.append((kind, flag))):
        np.sqrt(-one)
        np.sqrt(one)
    assert calls == [("invalid value", 8)]
    log = io.StringIO()
    with np.errstate(invalid="log", call=log):
        np.sqrt(-one)
    assert log.getvalue() == "Warning: invalid value encountered in sqrt\n"
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        one / zero
    assert np.geterr() == numpy.geterr() == {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def test_print_goes_where_numpys_goes(capfd):
    with np.errstate(invalid="print"):
        np.sqrt(-np.ones(3))
    assert "invalid value encountered in sqrt" in "".join(capfd.readouterr())


def test_seterr_holds_until_it_is_set_back():
    old = np.seterr(divide="raise")
    try:
        assert old["divide"] == "warn" and np.geterr()["divide"] == "raise"
        with pytest.raises(FloatingPointError):
            np.ones(2) / np.zeros(2)
    finally:
        np.seterr(**old)
    assert np.seterrcall(print) is None and np.geterrcall() is print
    np.seterrcall(None)


def test_results_are_written_before_the_error_is_raised():
    x, out = np.array([1.0, -1.0]), np.zeros(2)
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError):
            np.sqrt(x, out=out)
        with pytest.raises(FloatingPointError):
            x /= np.zeros(2)
    assert out[0] == 1 and numpy.isnan(out[1]) and x[0] == numpy.inf


def test_warnings_name_the_callers_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.ones(3) / np.zeros(3)
        np.sqrt(np.array(-1.0))
    assert [w.filename for w in caught] == [__file__, __file__]
    assert caught[1].lineno == caught[0].lineno + 1


def test_each_call_speaks_of_itself():
    one, zero = np.ones(3), np.zeros(3)
    with np.errstate(all="ignore"):
        one / zero
    assert warned(lambda: one + one) == set()
    torch_np.ones(3) / torch_np.zeros(3)
    assert warned(lambda: (one + one, np.exp(one), np.sum(one), one.astype(int))) == set()
    with pytest.raises(ValueError):
        np.linalg.solve(one / one, zero)
    assert warned(lambda: np.exp(one)) == set()


def test_states_are_those_of_threads():
    failures = []

    def work(k):
        try:
            with np.errstate(divide="raise" if k % 2 else "ignore"):
                for _ in range(200):
                    try:
                        np.ones(3) / np.zeros(3)
                        raised = False
                    except FloatingPointError:
                        raised = True
                    if raised != bool(k % 2):
                        failures.append(k)
                    big = np.full(60_000, 1.0)
                    big + big  # on all threads, while others raise divide by zero
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert failures == []


def test_the_torch_face_and_gradients_say_nothing():
    t = torch_np.zeros(3)
    assert warned(lambda: (1 / t, t.log(), (t - 1).sqrt(), (t / t).sum())) == set()
    x = np.array([0.0, 1.0])._torch().requires_grad_()._np_compat() if hasattr(torch_np.Tensor, "_np_compat") else None
    if x is not None:
        y = np.sqrt(x)
        assert warned(lambda: np.sum(y)._backward()) == set()


RNG = numpy.random.default_rng(5)
ORDINARY = {
    "normals": lambda n: RNG.standard_normal(n),
    "zeros": lambda n: numpy.zeros(n),
    "integers": lambda n: RNG.integers(-4, 5, n).astype(float),
    "one nan": lambda n: numpy.where(numpy.arange(n) == n // 2, numpy.nan, RNG.standard_normal(n)),
}


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64", "complex128"])
@pytest.mark.parametrize("name", UFUNCS)
def test_what_numpy_takes_without_a_word_we_do(name, dtype):
    theirs, ours = getattr(numpy, name), getattr(np, name)
    for kind, make in ORDINARY.items():
        for n in (1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 100, 257, 1000):
            arguments = [make(n).astype(dtype) for _ in range(theirs.nin)]
            if name == "ldexp":
                arguments[1] = numpy.arange(n) % 7
            try:
                expected = warned(lambda: theirs(*arguments))
            except TypeError:
                return
            got = warned(lambda: ours(*map(np.asarray, arguments)))
            if name == "reciprocal" and dtype.startswith("complex"):
                # the reciprocal of 0 is infinity, where NumPy's is NaN
                got.discard("divide by zero encountered in reciprocal")
            assert got <= expected, (kind, n)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_functions_of_ordinary_numbers_say_nothing(name):
    calls = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for function, *arguments in calls if isinstance(calls, list) else [calls]:
            function(*[np.array(x) if isinstance(x, (list, float, complex)) else x for x in arguments])


# Conversions of a number to an array's element: casts, errors and warnings as NumPy's.
WAYS_IN = {
    "setitem": lambda xp, a, v: a.__setitem__(0, v), "setitem of all": lambda xp, a, v: a.__setitem__(..., v), "fill": lambda xp, a, v: a.fill(v),
    "copyto": lambda xp, a, v: xp.copyto(a, v, casting="unsafe"),
    "copyto where": lambda xp, a, v: xp.copyto(a, xp.array([v, v, v]), casting="unsafe", where=[True, False, True]),
    "copyto where it is not": lambda xp, a, v: xp.copyto(a, xp.array([1, v, 1]), casting="unsafe", where=[True, False, True]),
    "mask": lambda xp, a, v: a.__setitem__([True, False, True], xp.array([v, v])), "astype": lambda xp, a, v: a.__setitem__(..., xp.array([v]).astype(a.dtype)),
    "flat": lambda xp, a, v: a.flat.__setitem__(slice(None), xp.array([v])),
}
NUMBERS = [float("nan"), 1e300, 70000, 3.7, -1.5, numpy.float64("nan"), numpy.float32("inf"), numpy.float64(1e300), numpy.int64(70000), numpy.int64(-1),
           numpy.float16(3), numpy.complex64(2e38j), numpy.complex128(3 + 1j)]


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "f2", "f4", "c8", "?"])
def test_numbers_get_into_arrays_as_into_numpys(way, dtype):
    def outcome(xp, value):
        array = xp.zeros(3, dtype)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                WAYS_IN[way](xp, array, value)
            except (TypeError, ValueError, OverflowError) as error:
                return type(error)
        return {(w.category, str(w.message)) for w in caught}, array.tolist()

    for value in NUMBERS:
        if isinstance(value, numpy.complexfloating) and (way.startswith("copyto") or way in ("mask", "flat")):
            continue  # arrays of complex numbers are cast to real ones without a warning
        expected, got = outcome(numpy, value), outcome(np, value)
        numpy.testing.assert_equal(got, expected, err_msg=repr(value))


def test_sequences_do_not_fill_arrays():
    for xp in (numpy, np):
        a = xp.zeros(3)
        with pytest.raises(ValueError):
            a.fill([1.0])
        with pytest.raises((TypeError, ValueError)):
            a.fill(xp.array([1.0]))
        with pytest.raises(TypeError):
            a.fill()
        a.fill(2)
        assert a.tolist() == [2, 2, 2]


@pytest.mark.parametrize("call", [
    lambda xp: xp.spacing(xp.float16(xp.nan)), lambda xp: xp.spacing(xp.float32(xp.nan)), lambda xp: xp.spacing(xp.float16(xp.inf)),
    lambda xp: xp.spacing(xp.float16(65504)), lambda xp: xp.spacing(xp.float16(1)),
    *[lambda xp, p=p: xp.power(xp.array([0j]), p) for p in (-1 + 1j, -7 + 0j, 1j, 1 + 4j, 2 - 3j, 0j)],
])
def test_spacing_of_nan_and_complex_powers_of_zero(call):
    def warnings_of(xp):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(xp)
        return [str(w.message) for w in caught]

    assert warnings_of(np) == warnings_of(numpy)


def test_integers_beyond_64_bits_are_copied_into_floats():
    for xp in (np, numpy):
        a = xp.zeros(2, "f4")
        with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
            xp.copyto(a, 10**100, casting="unsafe")
        assert a.tolist() == [numpy.inf] * 2


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_underflow(dtype):
    x = np.full(40, 1e-30 if dtype == "float32" else 1e-200, dtype)
    for call in (lambda: x ** 1.7, lambda: np.power(x, 2.1), lambda: np.power(x, np.full(40, 2.2, dtype))):
        with np.errstate(under="raise"), pytest.raises(FloatingPointError, match="underflow encountered in power"):
            call()


BINARY = [name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc) and getattr(numpy, name).nin == 2
          and getattr(numpy, name).signature is None and ("ff->f" in getattr(numpy, name).types or "ff->?" in getattr(numpy, name).types)]


@pytest.mark.parametrize("name", BINARY)
def test_warnings_do_not_depend_on_earlier_calls(name):
    """An operator that has met arrays of a dtype takes a shorter path for its scalars."""
    def said(module, first, second):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            getattr(module, name)(first, second)
        return {str(w.message) for w in found}

    pairs = [(numpy.float32(2), 1e300), (-1e300, numpy.float32(2)), (numpy.float32(3e38), numpy.float32(3e38)), (numpy.float32(0), numpy.float32(0)), (numpy.float64(1e300), 1e300), (2.0, 3.0)]
    before = [said(np, *pair) for pair in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in ("f4", "f8"):
            getattr(np, name)(np.ones(2, dtype), np.ones(2, dtype))
    after = [said(np, *pair) for pair in pairs]
    expected = [said(numpy, *pair) for pair in pairs]
    if name == "floor_divide":  # infinity by a number is no error here
        expected[1].discard("invalid value encountered in floor_divide")
    assert before == after == expected


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e300, 1e39, 3.4028235677973366e38, 1, -1, True])
def test_numbers_as_operands_warn_as_numpys(dtype, number):
    def outcomes(module, number):
        found = []
        for name in ("add", "subtract", "multiply", "divide", "maximum", "fmod", "power", "less"):
            f = getattr(module, name)
            a = module.array([1.0, 2.0, 3.0], dtype=dtype)
            calls = {"left": lambda: f(number, a), "right": lambda: f(a, number), "out": lambda: f(a, number, out=module.zeros(3, f(a, a).dtype))}
            if name != "less":
                calls["in place"] = lambda: f(a, number, out=a)
            for way, call in calls.items():
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    str(call())
                found.append((name, way, [str(w.message) for w in said]))
        return found

    with np.errstate(all="warn"), numpy.errstate(all="warn"):
        for value in (number, numpy.dtype(dtype).type(min(number, numpy.finfo(dtype).max) if math.isfinite(number) else number)):
            assert outcomes(np, value) == outcomes(numpy, value)
