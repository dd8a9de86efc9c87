"""Every ufunc compared with NumPy: values, dtypes, memory layouts, edge cases. The list of ufuncs
comes from the generator."""

import inspect
import json
import warnings
from pathlib import Path

import numpy
import pytest
from device_accuracy import bound, complex_bound

import torch_np
import torch_np.numpy as np

ENTRIES = json.loads((Path(torch_np.__file__).parent / "_operators.json").read_text())
# The ufuncs that NumPy has too.
UFUNCS = sorted({e["name"] for e in ENTRIES if e.get("np_compat") and e.get("ufunc") and hasattr(numpy, e["name"])})
DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
          "float16", "float32", "float64", "complex64", "complex128"]
REAL = {"complex64": numpy.float32, "complex128": numpy.float64}
# of 0.0 and -0.0 either is correct: NumPy's result depends on the processor
EXTREMA = ("maximum", "minimum", "fmax", "fmin")
BINARY = [u for u in UFUNCS if getattr(numpy, u).nin == 2]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def ours(array):
    """The same array as our type, with the same strides."""
    return np.asarray(array)


def theirs(array):
    return numpy.asarray(array)


def ordinary(dtype, shape, seed=0):
    rng = numpy.random.default_rng(seed)
    kind = numpy.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -9, 10, shape).astype(dtype)
    values = rng.uniform(-3, 3, shape)
    return (values + 1j * rng.uniform(-3, 3, shape) if kind == "c" else values).astype(dtype)


def special(dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return numpy.array([False, True])
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        values = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 100, info.max, info.max - 1, info.min, info.min + 1]
        return numpy.array(values + ([-1, -2, -3, -64] if dtype.kind == "i" else []), dtype)
    if dtype.kind == "f":
        info = numpy.finfo(dtype)
        values = [0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 0.1, 1.5, 2.5, -3.7, 100, -100, numpy.inf, -numpy.inf, numpy.nan,
                  info.tiny, -info.tiny, info.smallest_subnormal, info.max, -info.max, 1 + info.eps, 1 - info.eps]
        return numpy.array(values, dtype)
    parts = numpy.array([0.0, -0.0, 1, -1, 0.5, -2, 3.5, numpy.inf, -numpy.inf, numpy.nan], REAL[dtype.name])
    result = numpy.empty((parts.size, parts.size), dtype)
    result.real = parts[:, None]
    result.imag = parts
    return result.ravel()


def layouts(dtype, nin):
    """Operands in each possible layout."""
    base = [ordinary(dtype, (4, 6), seed) for seed in range(nin)]
    yield "contiguous", base
    yield "transposed", [a.T for a in base]
    yield "sliced", [a[:, ::2] for a in base]
    yield "reversed", [a[::-1, ::-1] for a in base]
    yield "broadcast", [base[0], *(a[:1] for a in base[1:])]
    yield "stride 0", [numpy.broadcast_to(a[:, :1], (4, 6)) for a in base]
    yield "mixed", [base[0], *(numpy.asfortranarray(a) for a in base[1:])]
    yield "long", [ordinary(dtype, 3001, seed)[1:] for seed in range(nin)]
    yield "empty", [a[:0] for a in base]
    yield "0d", [a[0, 0] for a in base]


def outcome(call):
    try:
        result = call()
    except Exception as error:  # noqa: BLE001 - whichever it is, both libraries have to raise it
        return error
    results = tuple(map(theirs, result)) if isinstance(result, tuple) else (theirs(result),)
    # After a call with objects, NumPy may use that loop for dtypes without a loop of their own, if
    # there are no elements.
    return TypeError("objects of numbers") if any(r.dtype == object for r in results) else results


def longer(ufunc, operands, want):
    """The results in extended precision, if they are floats; None if NumPy cannot compute them."""
    if not any(w.dtype.kind in "fc" for w in want):
        return None
    operands = [numpy.asarray(o) for o in operands]
    if ufunc is numpy.ldexp:
        operands[0] = operands[0].astype(numpy.longdouble)
    else:
        operands = [o.astype(numpy.clongdouble if o.dtype.kind == "c" else numpy.longdouble) for o in operands]
    try:
        result = ufunc(*operands)
    except TypeError:
        return None
    return result if isinstance(result, tuple) else (result,)


def same(got, want):
    if got.dtype.kind == "c":
        return same(got.real, want.real) & same(got.imag, want.imag)
    if got.dtype.kind == "f":
        return (got == want) & (numpy.signbit(got) == numpy.signbit(want)) | numpy.isnan(got) & numpy.isnan(want)
    return got == want


def close(name, operands, got, want, exact):
    """Within 1 ULP of the true value; for complex numbers, within 4 ULP of the magnitude; or within
    the device's documented bounds."""
    if exact is None or got.dtype.kind not in "fc":
        return numpy.zeros(got.shape, bool)
    if got.dtype.kind == "c":
        finite = numpy.isfinite(got) & numpy.isfinite(exact)
        size = numpy.abs(exact)
        spacing = numpy.spacing(size.astype(REAL[got.dtype.name]))
        overflow = (numpy.isnan(want) | numpy.isinf(want)) & (numpy.isnan(got) | numpy.isinf(got))
        return finite & (numpy.abs(got - exact) <= complex_bound(name, operands) * spacing) | overflow
    rounded = exact.astype(got.dtype)
    spacing = numpy.abs(numpy.spacing(rounded)).astype(numpy.longdouble)
    finite = numpy.isfinite(got) & numpy.isfinite(rounded)
    return finite & (numpy.abs(got - exact) <= bound(name, got.dtype) * spacing) & (numpy.signbit(got) == numpy.signbit(rounded)) | same(got, rounded)


def check(name, operands, layout=""):
    ufunc = getattr(numpy, name)
    want = outcome(lambda: ufunc(*operands))
    got = outcome(lambda: getattr(np, name)(*[ours(o) for o in operands]))
    if isinstance(want, Exception) or isinstance(got, Exception):
        assert isinstance(want, Exception) and isinstance(got, Exception), f"{layout}: got {got!r}, NumPy {want!r}"
        for kind in (TypeError, ValueError, OverflowError):  # NumPy's own classes derive from these
            assert isinstance(got, kind) == isinstance(want, kind), f"{got!r} for {want!r}"
        return
    exact = longer(ufunc, operands, want)
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        assert g.dtype == w.dtype, f"{layout}: result {i} has {g.dtype}, NumPy's {w.dtype}"
        assert g.shape == w.shape, layout
        good = same(g, w) | close(name, operands, g, w, exact[i] if exact else None)
        if name in EXTREMA:
            good |= (g == 0) & (w == 0)
        if not numpy.all(good):
            at = tuple(numpy.argwhere(~numpy.atleast_1d(good))[0])
            values = [numpy.atleast_1d(numpy.broadcast_to(o, w.shape))[at] for o in operands]
            pytest.fail(f"{layout}: {name}{tuple(values)} = {numpy.atleast_1d(g)[at]!r}, NumPy {numpy.atleast_1d(w)[at]!r} "
                        f"({(~good).sum()} of {good.size})")


def no_negative_exponents(name, operands):
    if name == "power" and operands[1].dtype.kind == "i":
        return [operands[0], numpy.abs(operands[1])]
    return operands


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UFUNCS)
def test_agrees_with_numpy_in_every_layout(name, dtype):
    for layout, operands in layouts(dtype, getattr(numpy, name).nin):
        check(name, no_negative_exponents(name, operands), layout)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UFUNCS)
def test_agrees_with_numpy_on_special_values(name, dtype):
    values = special(dtype)
    operands = [values]
    if getattr(numpy, name).nin == 2:
        if name in ("power", "float_power") and numpy.dtype(dtype).kind == "c":
            pytest.skip("NumPy's complex power of infinities and NaNs is an accident of its method")
        operands = [a.ravel() for a in numpy.meshgrid(values, values)]
        if name == "power" and numpy.dtype(dtype).kind == "i":
            operands = [o[operands[1] >= 0] for o in operands]
    # The array API standard defines infinities: test_array_api_standard.py
    if name == "floor_divide":
        operands = [o[~(numpy.isinf(operands[0]) | numpy.isinf(operands[1]))] for o in operands]
    if name == "expm1" and numpy.dtype(dtype).kind == "c":
        operands = [values[numpy.isfinite(values)]]
    check(name, operands)


@pytest.mark.parametrize("name", BINARY)
def test_result_dtype_of_mixed_operands_is_numpys(name):
    different = []
    for a in DTYPES:
        for b in DTYPES:
            operands = numpy.ones(2, a), numpy.ones(2, b)
            want, got = outcome(lambda: getattr(numpy, name)(*operands)), outcome(lambda: getattr(np, name)(*map(ours, operands)))
            want, got = ([type(r).__name__ if isinstance(r, Exception) else r.dtype.name for r in (o if isinstance(o, tuple) else (o,))]
                         for o in (want, got))
            want = ["TypeError" if "UFunc" in w else w for w in want]
            got = ["TypeError" if "UFunc" in g else g for g in got]
            if want != got:
                different.append((a, b, got, want))
    assert not different


@pytest.mark.parametrize("number", [3, 2.5, 1j, True])
@pytest.mark.parametrize("name", BINARY)
def test_python_numbers_promote_weakly(name, number):
    for dtype in DTYPES:
        x = ordinary(dtype, 3)
        if name == "power" and numpy.dtype(dtype).kind == "i":
            x = numpy.abs(x)
        for swap in (False, True):
            def call(f, x, swap=swap):
                return f(number, x) if swap else f(x, number)
            if name == "ldexp" and swap:
                continue  # NumPy uses the first loop that can represent the number, so a 3 is float16
            want, got = outcome(lambda: call(getattr(numpy, name), x)), outcome(lambda: call(getattr(np, name), ours(x)))
            assert isinstance(want, Exception) == isinstance(got, Exception), (dtype, swap, got, want)
            if not isinstance(want, Exception):
                assert [r.dtype for r in got] == [r.dtype for r in want], (dtype, swap)


@pytest.mark.parametrize("name", UFUNCS)
def test_has_numpys_counts_and_identity(name):
    for attribute in ("nin", "nout", "identity"):
        assert getattr(getattr(np, name), attribute) == getattr(getattr(numpy, name), attribute), attribute


@pytest.mark.parametrize("method", ["reduce", "accumulate", "outer"])
@pytest.mark.parametrize("name", [u for u in BINARY if getattr(numpy, u).nout == 1 and u != "ldexp"])
def test_methods_agree_with_numpy(name, method):
    for dtype in ("int64", "float64", "bool"):
        a = numpy.abs(ordinary(dtype, (3, 4)).astype(float)).astype(dtype) + numpy.dtype(dtype).type(1)
        arguments = (a, a[0]) if method == "outer" else (a,)
        want = outcome(lambda: getattr(getattr(numpy, name), method)(*arguments))
        got = outcome(lambda: getattr(getattr(np, name), method)(*map(ours, arguments)))
        assert isinstance(want, Exception) == isinstance(got, Exception), (dtype, got, want)
        if not isinstance(want, Exception):
            assert got[0].dtype == want[0].dtype, dtype
            # NumPy rounds to float16 after each step, torch_np once at the end.
            numpy.testing.assert_allclose(got[0], want[0], rtol=2e-3 if want[0].dtype == "float16" else 1e-13)


@pytest.mark.parametrize("name", [u for u in UFUNCS if getattr(numpy, u).nout == 1])
def test_out_and_where_leave_the_rest_alone(name):
    ufunc = getattr(numpy, name)
    dtype = "float64" if any(t.startswith("d" * ufunc.nin + "->") for t in ufunc.types) else "int64"
    operands = [ordinary(dtype, (3, 4), seed) for seed in range(ufunc.nin)]
    if name == "ldexp":
        operands[1] = operands[1].astype(int)
    where = ordinary("bool", (3, 4))
    result = ufunc(*operands).dtype
    want = ufunc(*operands, out=numpy.full((3, 4), 1, result), where=where)
    out = np.full((3, 4), 1, result)
    assert getattr(np, name)(*map(ours, operands), out=out, where=ours(where)) is out
    numpy.testing.assert_allclose(theirs(out).astype(want.dtype), want, rtol=1e-13)


def test_integers_to_negative_powers_are_refused():
    with pytest.raises(ValueError, match="Integers to negative integer powers"):
        np.power(np.array([1, 2]), -1)
    with pytest.raises(ValueError, match="Integers to negative integer powers"):
        np.power(np.array([1, 2]), np.array([1, -1]))
    assert theirs(np.power(np.array([2.0]), -1)) == 0.5


@pytest.mark.parametrize("decimals", [0, 1, 3, -1, -2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_round_agrees_with_numpy(dtype, decimals):
    if dtype == "bool" and decimals:
        pytest.skip("NumPy fails to write its floats into a bool")
    samples = [ordinary(dtype, (3, 4))]
    if numpy.dtype(dtype).kind in "fc":
        samples.append(special(dtype))  # integers near the limits overflow, with results that depend on the processor
    for x in samples:
        want, got = numpy.round(x, decimals), theirs(np.round(ours(x), decimals))
        assert got.dtype == want.dtype
        if dtype == "float16":  # without NumPy's rounding and overflow of the product
            want = numpy.round(x.astype("float32"), decimals).astype(dtype)
        assert same(got, want).all(), (x, got, want)
        assert same(theirs(ours(x).round(decimals)), got).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_clip_agrees_with_numpy(dtype):
    x = ordinary(dtype, (3, 4))
    low, high = x.dtype.type(1), x.dtype.type(2 if dtype != "bool" else 1)
    for arguments in ((low, high), (None, high), (low, None), (high, low)):
        want, got = numpy.clip(x, *arguments), theirs(np.clip(ours(x), *arguments))
        assert got.dtype == want.dtype
        assert (got == want).all()
    assert (theirs(ours(x).clip(low, high)) == numpy.clip(x, low, high)).all()
    assert (theirs(np.clip(ours(x), min=low)) == numpy.clip(x, min=low)).all()


def test_where_chooses_and_promotes_like_numpy():
    condition = numpy.array([[True], [False]])
    for a in DTYPES:
        for b in DTYPES:
            x, y = ordinary(a, 3), ordinary(b, 3, 1)
            want, got = numpy.where(condition, x, y), theirs(np.where(ours(condition), ours(x), ours(y)))
            assert got.dtype == want.dtype, (a, b)
            assert (got == want).all()
    assert np.where(condition, np.float32(1), 2.0).dtype == numpy.where(condition, numpy.float32(1), 2.0).dtype


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_is_stable(dim):
    x = numpy.array([[1000.0, 1001.0, -1000.0], [1.0, 2.0, 3.0]])
    shifted = x - x.max(dim, keepdims=True)
    want = numpy.exp(shifted) / numpy.exp(shifted).sum(dim, keepdims=True)
    t = np.asarray(x)._torch()
    numpy.testing.assert_allclose(theirs(torch_np.softmax(t, dim)), want, rtol=1e-14)
    numpy.testing.assert_allclose(theirs(torch_np.exp(torch_np.log_softmax(t, dim))), want, rtol=1e-12)


def test_sigmoid_relu_and_erf():
    from math import erf
    x = numpy.array([-800.0, -1.0, -0.0, 0.5, 30.0, 800.0, numpy.nan])
    t = np.asarray(x)._torch()
    with numpy.errstate(all="ignore"):
        numpy.testing.assert_allclose(theirs(torch_np.sigmoid(t)), 1 / (1 + numpy.exp(-x.astype(numpy.longdouble))).astype(float), rtol=1e-15)
    numpy.testing.assert_array_equal(theirs(torch_np.relu(t)), numpy.maximum(x, 0))
    numpy.testing.assert_allclose(theirs(torch_np.erf(t)), [erf(v) for v in x], rtol=1e-15)


def test_alpha_and_rounding_mode_take_tensors_and_numbers():
    t, i = torch_np.tensor([1.0, -2.0]), torch_np.tensor([7, -7])
    assert torch_np.add(t, t, alpha=2).tolist() == [3, -6]
    assert torch_np.add(t, 1, alpha=3).tolist() == [4, 1]
    assert t.sub(1, alpha=3).tolist() == [-2, -5]
    assert torch_np.div(i, 2, rounding_mode="trunc").tolist() == [3, -3]
    assert torch_np.div(i, torch_np.tensor([2]), rounding_mode="floor").tolist() == [3, -4]
    with pytest.raises(RuntimeError, match="rounding_mode"):
        torch_np.div(i, 2, rounding_mode="up")


def test_clip_takes_integers_beyond_the_dtype():
    x = numpy.arange(3, dtype="uint8")
    assert (theirs(np.clip(ours(x), -1, 300)) == numpy.clip(x, -1, 300)).all()


@pytest.mark.parametrize("name", ["hypot", "logaddexp", "logical_xor", "gcd", "bitwise_and"])
def test_reduction_of_nothing_is_the_identity(name):
    nothing = numpy.empty(0, "uint8")
    assert getattr(np, name).reduce(ours(nothing)) == getattr(numpy, name).reduce(nothing)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float32", "int64", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [3, 33, 5000])
def test_where_takes_each_element_as_it_is(dtype, n):
    rng = numpy.random.default_rng(n)
    c = rng.random(n) > 0.5
    a, b = rng.integers(0, 2, n).astype(dtype), rng.integers(0, 2, n).astype(dtype)
    if numpy.dtype(dtype).kind in "fc":
        a[::3], b[::2] = numpy.nan, -0.0
    for x, y, z in ((c, a, b), (c[::-1], a[::-1], b), (c[:1], a, b), (c, a[:1], b)):
        got, expected = numpy.asarray(np.where(np.asarray(x), np.asarray(y), np.asarray(z))), numpy.where(x, y, z)
        assert got.tobytes() == expected.tobytes()


def test_power_by_a_constant_is_power_element_by_element():
    x = numpy.random.default_rng(0).random(3000).astype("float32") + 0.1
    same = np.power(np.asarray(x), np.full(3000, 1.7, np.float32))
    assert np.all(np.asarray(x) ** 1.7 == same)
    assert np.all(np.power(np.asarray(x)[::-1], np.float32(1.7))[::-1] == same)
    out = np.zeros(6000, np.float32)
    np.power(np.asarray(x), np.float32(1.7), out=out[::2])
    assert np.all(out[::2] == same) and np.all(out[1::2] == 0)
    assert np.all(np.power(np.float32(1.7), np.asarray(x)) == np.power(np.full(3000, 1.7, np.float32), np.asarray(x)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("exponent", [*(k / 2 for k in range(-9, 10)), 0.3, -1.7])
def test_a_power_depends_on_its_operands_alone(dtype, exponent):
    """Not on whether the exponent is that of all elements (these are computed by products if it is a small multiple of 1/2), nor on its
    neighbours."""
    rng = numpy.random.default_rng(0)
    special = [0.0, -0.0, 1, -1, -2.5, numpy.inf, -numpy.inf, numpy.nan, 1e-40, 1e-310, 1e300, -1e300, 1e38, 5e-324, 2.0**200, 2.0**-200]
    with numpy.errstate(all="ignore"):
        x = numpy.asarray(numpy.concatenate([rng.random(700), special, 10.0 ** rng.uniform(-300, 300, 500)]), dtype)
        base, number = np.asarray(x), numpy.dtype(dtype).type(exponent)
        mixed = numpy.where(rng.random(len(x)) < 0.5, number, number / 3 + 1).astype(dtype)
        expected = numpy.asarray(np.power(base, np.full(len(x), number)))
        same = numpy.where(mixed == number, numpy.asarray(np.power(base, np.asarray(mixed))), expected)
        pairs = numpy.asarray(np.power(np.asarray(numpy.stack([x, x], 1)), np.asarray(numpy.array([number, 1.3], dtype))))[:, 0]
        singles = numpy.array([numpy.asarray(np.power(base[i:i + 1], np.asarray(numpy.array([number]))))[0] for i in range(0, len(x), 7)])
        by_constant = numpy.asarray(np.power(base, np.asarray(number)))
        in_place = np.asarray(numpy.full(len(x), number))
        np.power(base, in_place, out=in_place)
    for got in (same, pairs, by_constant, numpy.asarray(in_place)):
        numpy.testing.assert_array_equal(got, expected)
    numpy.testing.assert_array_equal(singles, expected[::7])


def test_clip_takes_the_keywords_of_ufuncs():
    x = numpy.arange(6.0).reshape(2, 3)
    mask = x % 2 == 0

    def both(f):
        want, got = f(numpy, x, mask), f(np, ours(x), ours(mask))
        assert type(got) is np.ndarray and got.dtype == want.dtype and got.strides == want.strides
        assert (theirs(got) == want).all()

    for bounds in ((1, 3), (None, 3), (1, None)):
        both(lambda xp, x, mask: xp.clip(x, *bounds, where=mask, out=xp.full((2, 3), -1.0)))
        both(lambda xp, x, mask: x.clip(*bounds, where=mask, out=xp.full((2, 3), -1.0)))
        both(lambda xp, x, mask: xp.clip(x, *bounds, dtype="f4"))
        both(lambda xp, x, mask: xp.clip(x, *bounds, dtype="i4", casting="unsafe"))
        both(lambda xp, x, mask: xp.clip(x, *bounds, order="F"))
        both(lambda xp, x, mask: x.clip(*bounds, order="F", dtype=numpy.float32))
        both(lambda xp, x, mask: xp.clip(x, *bounds, out=xp.zeros((2, 3), "i4"), casting="unsafe"))
        both(lambda xp, x, mask: xp.clip(x, *bounds, out=(xp.zeros((2, 3)),)) if xp is np else xp.clip(x, *bounds))
        for xp, a in ((numpy, x), (np, ours(x))):
            with pytest.raises(TypeError, match="[Cc]annot cast"):
                xp.clip(a, *bounds, dtype="i4")
            with pytest.raises(TypeError):
                xp.clip(a, *bounds, wherever=True)


def test_clip_subok():
    class Sub(np.ndarray):
        pass

    x = np.arange(3.0).view(Sub)
    assert type(np.clip(x, 0, 1)) is Sub and type(np.clip(x, 0, 1, subok=False)) is np.ndarray
    assert type(x.clip(0, 1)) is Sub and type(x.clip(0, 1, subok=False)) is np.ndarray


@pytest.mark.parametrize("arguments, keywords", [(([1, 0], 1), {}), ((), {}), (([1], None, 2), {}), (([1], 2, None), {}), (([1],), {"x": 1, "y": 2}),
                                                 (([1], 2, 3, 4), {})])
def test_where_raises_what_numpy_does(arguments, keywords):
    def outcome(xp):
        try:
            return xp.where(*arguments, **keywords).shape
        except (TypeError, ValueError) as e:
            return type(e)

    if None in arguments:  # arrays of objects in NumPy
        with pytest.raises(ValueError, match="either both or neither of x and y should be given"):
            np.where(*arguments)
    else:
        assert outcome(np) == outcome(numpy)
    assert inspect.signature(np.where) == inspect.signature(numpy.where)


def test_dot_method_names_its_operand():
    assert np.ones(2).dot(b=np.ones(2)) == 2.0
    out = np.zeros(())
    assert np.ones(2).dot([1.0, 2.0], out=out) is out and out == 3.0
