"""The complete tables of promotion: NumPy's compared with NumPy itself, PyTorch's with a stored
copy."""

import operator
import warnings

import ml_dtypes
import numpy
import pytest
import torch_promotion

import torch_np
import torch_np.numpy as np

DTYPES = torch_promotion.DTYPES


def dtype(name):
    return numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def outcome(function):
    """The dtype of the result, or the class of the exception."""
    try:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function().dtype.name
    except (TypeError, OverflowError) as error:
        return OverflowError if isinstance(error, OverflowError) else TypeError


@pytest.mark.parametrize("function", ["multiply", "true_divide", "arctan2", "power", "bitwise_and", "less", "left_shift"])
@pytest.mark.parametrize("shape", [(2,), ()], ids=["array", "0d"])
@pytest.mark.parametrize("a", DTYPES)
def test_every_pair_of_dtypes_as_in_numpy(function, shape, a):
    for b in DTYPES:
        def call(xp, a=a, b=b):
            return getattr(xp, function)(*(xp.asarray(numpy.ones(shape, dtype(name))) for name in (a, b)))
        assert outcome(lambda: call(np)) == outcome(lambda: call(numpy)), (function, a, b)


@pytest.mark.parametrize("function", ["multiply", "true_divide", "arctan2", "subtract", "maximum", "greater"])
@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("number", [True, 1, -1, 300, 1.5, 1j])
def test_python_numbers_as_in_numpy(function, a, number):
    if a == "bfloat16" and isinstance(number, float):
        pytest.skip("a Python float leaves bfloat16 as it is: aten/core/numbers/promotion_rules.cpp, Note [bfloat16 among ...]")

    def call(xp):
        return getattr(xp, function)(xp.asarray(numpy.ones(2, dtype(a))), number)
    assert outcome(lambda: call(np)) == outcome(lambda: call(numpy))


def test_bfloat16_keeps_its_dtype_with_a_python_float():
    assert (np.asarray(numpy.ones(2, ml_dtypes.bfloat16)) * 1.5).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_of_outputs_as_in_numpy(a, casting):
    for b in DTYPES:
        if "bfloat16" in (a, b):
            continue

        def call(xp, b=b):
            return xp.positive(xp.asarray(numpy.ones(2, dtype(a))), out=xp.asarray(numpy.ones(2, dtype(b))), casting=casting)
        if a != "bool":
            assert outcome(lambda: call(np)) == outcome(lambda: call(numpy)), (a, b)


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "==", "!="])
def test_integers_of_any_kind_compare_exactly(sign):
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}[sign]
    signed = numpy.array([-1, 0, 1, 2**63 - 1, -2**63, 5], numpy.int64)
    unsigned = numpy.array([2**64 - 1, 0, 2, 2**63 - 1, 2**63, 5], numpy.uint64)
    for x in (signed, unsigned, signed.astype(numpy.int8), unsigned.astype(numpy.uint8)):
        for y in (signed, unsigned, -1, 300, 2**63, 2**64 - 1, -2**63):
            ours = compare(np.asarray(x), np.asarray(y) if isinstance(y, numpy.ndarray) else y)
            assert ours.tolist() == compare(x, y).tolist(), (x, y)


def test_torch_rules_of_dimensions_and_numbers():
    float64 = torch_np.tensor(1.5, dtype=torch_np.float64)
    assert (torch_np.ones(2, dtype=torch_np.float32) + float64).dtype == torch_np.float32
    assert (torch_np.ones(2, dtype=torch_np.int32) + float64).dtype == torch_np.float64
    assert (torch_np.ones(2, dtype=torch_np.int32) + 1.5).dtype == torch_np.float32
    assert (torch_np.ones(2, dtype=torch_np.int8) + 300).dtype == torch_np.int8
    assert (torch_np.ones(2, dtype=torch_np.int64) / 2).dtype == torch_np.float32
    assert (torch_np.ones(2, dtype=torch_np.int64) + torch_np.ones(2, dtype=torch_np.float16)).dtype == torch_np.float16


TORCH = torch_promotion.read()


def test_the_stored_table_of_torch_is_complete():
    assert set(TORCH) == {(*kinds, a, b) for *kinds, columns in torch_promotion.TABLES for a in DTYPES for b in columns}


@pytest.mark.parametrize(("kind_a", "kind_b", "a"), sorted({key[:3] for key in TORCH}))
def test_every_pair_as_in_torch(kind_a, kind_b, a):
    for key, expected in TORCH.items():
        # where PyTorch raises without need
        if key[:3] == (kind_a, kind_b, a) and expected not in ("error", "complex32"):
            x, y = (torch_promotion.operand(torch_np, kind, name) for kind, name in ((kind_a, a), (kind_b, key[3])))
            assert (str((x * y).dtype).removeprefix("torch_np."), str((y * x).dtype).removeprefix("torch_np.")) == (expected, expected), key


@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "divide", "equal", "floor_divide"])
def test_python_numbers_are_rounded_to_float16_before_they_meet_it(op):
    x = numpy.arange(1000).astype("float16") / 7
    for number in (0.1, 3.3, 1e-3):
        numpy.testing.assert_array_equal(numpy.asarray(getattr(np, op)(np.asarray(x), number)), getattr(numpy, op)(x, number))


# ------------------------------------------------------------------------------------------ scalars beside arrays

SCALARS = [dtype.type(3) for dtype in map(numpy.dtype, "?bBhHiIlLefdFD")] + [3, 2.5, True, 1 + 2j, 1000]
BINARY = sorted({f.__name__ for f in vars(numpy).values() if isinstance(f, numpy.ufunc) and f.nin == 2 and f.signature is None} - {"ldexp"})
IN_PLACE = "iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor".split()


def _outcome(call):
    """Dtype and values of the result, or the class of its exception."""
    try:
        with numpy.errstate(all="ignore"):
            results = call()
    except (TypeError, ValueError, OverflowError) as error:
        return next(c for c in type(error).__mro__ if c.__module__ == "builtins")
    return [(numpy.asarray(r).dtype, numpy.asarray(r).tolist()) for r in (results if isinstance(results, tuple) else (results,))]


def _ulps_apart(a, b):
    return isinstance(a, list) and isinstance(b, list) and [r[0] for r in a] == [r[0] for r in b] and all(
        numpy.allclose(x[1], y[1], rtol=4 * numpy.finfo(x[0]).eps if x[0].kind in "fc" else 0, equal_nan=True) for x, y in zip(a, b))


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("name", BINARY)
def test_scalars_beside_arrays_as_in_numpy(name, dtype):
    for scalar in SCALARS:
        for order in (1, -1):
            expected, got = (_outcome(lambda: getattr(xp, name)(*(xp.array([1, 2, 3], dtype), scalar)[::order])) for xp in (numpy, np))
            assert got == expected or _ulps_apart(got, expected), (scalar, order)


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_with_scalars_as_in_numpy(name, dtype):
    def changed(xp, scalar):
        array = xp.array([1, 2, 3], dtype)
        getattr(operator, name)(array, scalar)
        return array

    for scalar in SCALARS:
        expected, got = _outcome(lambda: changed(numpy, scalar)), _outcome(lambda: changed(np, scalar))
        assert got == expected or _ulps_apart(got, expected), scalar


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_in_place_on_scalars_as_in_numpy(dtype):
    def bound(xp, name, other):
        value = before = xp.array([1, 2, 3], dtype)[1]
        value = getattr(operator, name)(value, other)
        assert before == xp.array([1, 2, 3], dtype)[1]  # the other reference is unchanged
        return value

    for name in IN_PLACE:
        for other in [*SCALARS, "array"]:
            expected, got = (_outcome(lambda: bound(xp, name, xp.array([1.0, 2.0]) if isinstance(other, str) else other)) for xp in (numpy, np))
            assert got == expected or _ulps_apart(got, expected), (name, other)
