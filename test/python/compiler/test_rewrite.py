"""Rewrite rules of compiled functions (Note [Rewrite rules]): same bits, dtypes, memory and warnings,
and fewer calls."""
from __future__ import annotations

import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np

REAL = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
DTYPES = ["bool", *REAL, "bfloat16", "complex64", "complex128"]


def values(dtype):
    """All values of 8- and 16-bit dtypes; of others zeros, infinities, NaNs with payloads, quiet and signalling, of both
    signs, subnormal numbers, halves, and the smallest and largest numbers, next to random bits."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype == "bfloat16":
        return np.array(numpy.arange(1 << 16, dtype="u2"))._torch().view(torch_np.bfloat16)._np_compat()
    t = numpy.dtype(dtype)
    part = numpy.dtype(f"f{t.itemsize // 2}") if t.kind == "c" else t
    bits = numpy.dtype(f"u{part.itemsize}")
    if part.itemsize <= 2:
        return np.array(numpy.arange(1 << (8 * part.itemsize), dtype=bits).view(part))
    width = 8 * part.itemsize
    some = [0, 1, 2, 1 << (width - 1), (1 << (width - 1)) - 1, (1 << width) - 1]
    if part.kind == "f":
        one = int(numpy.array(1, part).view(bits))
        infinity = int(numpy.array(numpy.inf, part).view(bits))
        quiet = int(numpy.array(numpy.nan, part).view(bits))
        some += [one, infinity, quiet, quiet + 5, infinity + 1, infinity + 77]
        some += [int(b) for b in numpy.array([0.5, 1.5, 2.5, 1e9 + 0.25], part).view(bits)]
        some += [s | 1 << (width - 1) for s in some if s < 1 << (width - 1)]
    random = numpy.random.default_rng(0).integers(0, 1 << (width - 1), 60, dtype=bits) * bits.type(2) + bits.type(1)
    parts = numpy.concatenate([numpy.array(some, bits), random]).view(part)
    if t.kind == "c":
        return np.array(numpy.stack(numpy.broadcast_arrays(parts[:, None], parts[None, :]), -1).reshape(-1).view(t))
    return np.array(parts)


def bits_of(array):
    return bytes(array._torch().contiguous().view(torch_np.uint8).numpy()) if array.ndim else array.tobytes()


def outcome(function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
        bits = bits_of(result)  # a pending result warns now
    return str(result.dtype), result.shape, result.strides, bits, sorted(str(w.message) for w in caught)


def calls_of(function, *arguments):
    """The text of the plan, after comparison of three calls with the function's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch_np.compile(function)
        expected = outcome(function, *arguments)
        for _ in range(3):
            assert outcome(compiled, *arguments) == expected
        assert compiled.statistics()["replayed"] == 2, compiled.statistics()
        return str(compiled.lower(*arguments))


def is_real(t):
    return t in REAL or t == "bfloat16"


def is_signed_real(t):
    return is_real(t) and not t.startswith("uint")


# function, the call that is dropped, and the dtypes for which it is
UNARY = {
    "neg neg": (lambda x: np.stack([-(-x)]), "neg", lambda t: t not in ("bool", "float16", "bfloat16")),
    "invert invert": (lambda x: np.stack([~(~x)]), "bitwise_not", lambda t: "int" in t),
    "abs neg": (lambda x: abs(-x), "neg", lambda t: is_signed_real(t) and t not in ("float16", "bfloat16")),
    "abs abs": (lambda x: abs(abs(x)), "abs", is_real),
    "floor floor": (lambda x: np.floor(np.floor(x)), "floor", is_real),
    "ceil ceil": (lambda x: np.ceil(np.ceil(x)), "ceil", is_real),
    "trunc trunc": (lambda x: np.trunc(np.trunc(x)), "trunc", is_real),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary_rules_have_the_same_bits(name, dtype):
    function, dropped, holds = UNARY[name]
    x = values(dtype)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(x)
    except TypeError:
        return  # the operator has no such dtype
    count = calls_of(function, x).count(f"{dropped}(%")
    before = 2 if name.split()[0] == name.split()[1] else 1
    left = 0 if name.startswith(("neg", "invert")) else before - 1
    assert count == (left if holds(dtype) else before)


COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
OPPOSITES = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("no", [np.logical_not, np.invert], ids=["logical_not", "invert"])
@pytest.mark.parametrize("name", COMPARISONS)
def test_negated_comparisons_are_the_opposite_ones(name, no, dtype):
    compare = COMPARISONS[name]
    x = values(dtype)[:300]
    y = x[::-1].copy()
    y[::7] = x[::7]
    text = calls_of(lambda x, y: no(compare(x, y)), x, y)
    is_rewritten = name in ("eq", "ne") or dtype == "bool" or "int" in dtype
    assert (f"{OPPOSITES[name]}(%" in text) == is_rewritten and (f"{name}(%" in text) == (not is_rewritten), text


@pytest.mark.parametrize("function, is_rewritten", [
    (lambda x: ~(x < 3), True), (lambda x: ~(x < 300), True), (lambda x: ~(x >= -1), True), (lambda x: ~(x == 1000), True),
    (lambda x: ~(x != 2.5), True), (lambda x: ~(x > 1.5), False),  # floats may be NaN
    (lambda x: ~(x <= np.arange(3, dtype="u8")[:, None]), True), (lambda x: ~(x[None] < x[:, None]), True)])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "bool"])
def test_comparisons_of_several_dtypes_and_shapes(function, is_rewritten, dtype):
    text = calls_of(function, np.array(numpy.array([0, 1, 2, 3, 5, 7], dtype)))
    assert ("bitwise_not(" in text) == (not is_rewritten), text


def first_is_changed(x):
    y = -x
    x += 1
    return abs(y)


def between_is_changed(x):
    y = -x
    y += 1
    return abs(y)


def outside_may_alias(x, z):
    y = -x
    z += 1
    return abs(y) + (-(-x))


def both_are_results(x):
    y = -x
    return np.stack([y, abs(y)])


@pytest.mark.parametrize("function, kept", [
    (first_is_changed, "neg"), (between_is_changed, "neg"), (both_are_results, "neg"),
    (lambda x: abs(np.negative(x, where=x > 2, out=np.ones(5))), "neg"),
    (lambda x: abs(np.negative(x, dtype="f4")), "neg"),
    (lambda x: (-(-x[::2])).reshape(-1) + 0, "neg"),  # the result is dense, the operand is not
    (lambda x: -(-x), "neg"),
])
def test_calls_that_must_stay(function, kept):
    text = calls_of(lambda x: function(x.copy()), np.arange(-2.0, 3.0))
    assert f"{kept}(%" in text, text


def test_arrays_from_outside_may_share_memory():
    base = np.arange(-4.0, 4.0)
    compiled = torch_np.compile(outside_may_alias)
    for _ in range(3):
        x, expected = base.copy(), base.copy()
        assert compiled(x, x).tolist() == outside_may_alias(expected, expected).tolist()
        assert x.tolist() == expected.tolist()
    for _ in range(3):
        x, expected = base.copy(), base.copy()
        assert compiled(x[:-1], x[1:]).tolist() == outside_may_alias(expected[:-1], expected[1:]).tolist()
        assert x.tolist() == expected.tolist()


def test_results_are_arrays_of_their_own():
    x = np.arange(-2.0, 3.0)
    compiled = torch_np.compile(lambda x: -(-x))
    results = [compiled(x) for _ in range(3)]
    results[0][:] = 7
    assert x.tolist() == results[1].tolist() == results[2].tolist() == [-2, -1, 0, 1, 2]


def test_chains():
    text = calls_of(lambda x: np.stack([abs(-(-(-(-(-x)))))]), np.arange(-2.0, 3.0))
    assert "neg(" not in text and text.count("abs(") == 1
    text = calls_of(lambda x: ~(~(~(x < 2))), np.arange(-2, 3))
    assert "bitwise_not(" not in text and "ge(" in text


def test_gradients_are_those_of_the_function():
    def step(w):
        (abs(-(-w)) * 2 + (-(-w)) ** 2).sum().backward()
        return w.grad
    grads = []
    for function in (step, torch_np.compile(step)):
        for _ in range(3):
            w = torch_np.tensor([-2.0, 0.0, 3.0], requires_grad=True)
            grads.append(function(w).tolist())
    assert all(g == grads[0] for g in grads)
