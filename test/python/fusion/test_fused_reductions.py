"""Reductions of pending temporaries: they are computed during the reduction, and give the same bits
as reductions of arrays in memory."""
import sys
import threading
import warnings
from pathlib import Path

import numpy
import pytest
from worker_threads import together

import torch_np
import torch_np.numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz import fused_programs  # noqa: E402

pytestmark = pytest.mark.usefixtures("always")

# Called directly: an argument of a Python function is held by a variable.
OPERATORS = {name: getattr(np, name) for name in ("sum", "prod", "mean", "any", "all", "max", "min", "count_nonzero", "argmax", "argmin", "var", "std")}
IN_ONE_PASS = [name for name in OPERATORS if name not in ("var", "std")]
DTYPES = ["f8", "f4", "f2", "i8", "i4", "u1", "?", "c16", "c8"]
# Shapes around the sizes of a fetch, a segment and a block of columns; lines that are short, long,
# and few.
SHAPES = [(130,), (9_000,), (200_001,), (3, 70_003), (300, 217), (5_000, 5), (3_000, 40), (90, 1_100), (70_001, 3), (7, 20, 30), (2, 3, 700), (1, 500), (500, 1), (2, 200, 3)]


def made(shape, dtype, seed):
    generator = numpy.random.default_rng(seed)
    values = generator.normal(size=shape) * 3
    if dtype[0] == "c":
        values = values + 1j * generator.normal(size=shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array(numpy.abs(values).astype(dtype) if dtype in ("u1", "?") else values.astype(dtype))


def axes_of(shape):
    return [None, *range(len(shape)), *([(0, 1), (1, 2), (0, 2)] if len(shape) == 3 else [])]


def bits(x):
    """All bits except the signs of NaN. The processor's choice between two NaN depends on their
    order."""
    return str(x.dtype), x.shape, fused_programs.bits(numpy.array(x))


def written(call):
    """The result, and the number of pending results that were written during it."""
    before = torch_np.fusion.statistics()["outputs"]
    result = call()
    return result, torch_np.fusion.statistics()["outputs"] - before


def same_as_without(call):
    with torch_np.fusion.off():
        expected = call()
    got, outputs = written(call)
    assert bits(got) == bits(expected)
    return outputs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATORS)
def test_bits_are_those_of_arrays_in_memory(name, dtype):
    operator = OPERATORS[name]
    for shape in SHAPES:
        x, y = made(shape, dtype, 0), made(shape, dtype, 1)
        for axis in axes_of(shape):
            if name in ("argmax", "argmin") and isinstance(axis, tuple):
                continue
            for keepdims in (False, True):
                same_as_without(lambda: operator(np.maximum(x, y) + x, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", IN_ONE_PASS)
def test_nothing_is_written(name):
    operator = OPERATORS[name]
    for shape in [(200_001,), (3, 70_003), (300, 217), (3_000, 40), (90, 1_100), (5_000, 5), (70_001, 3)]:
        for dtype in ("f8", "f4", "i4", "?"):
            x, y = made(shape, dtype, 0), made(shape, dtype, 1)
            # Elements of short columns that are not contiguous are read in place.
            axes = [None, len(shape) - 1] + ([0] if shape[-1] > 10 else [])
            for axis in axes:
                assert written(lambda: operator(np.maximum(x, y) * 3, axis=axis))[1] == 0, (shape, dtype, axis)


@pytest.mark.parametrize("call", [
    lambda x: (x * 2).sum(), lambda x: np.sum(x * 2), lambda x: (x > 0).any(), lambda x: (x * 2)._torch().sum()._np_compat(),
    lambda x: torch_np.sum(x._torch() * 2)._np_compat(), lambda x: (x * x).mean(), lambda x: np.count_nonzero(x > 1), lambda x: (x._torch() * 2).amax()._np_compat(),
    lambda x: np.sqrt((x * x).sum()), lambda x: (x * x).sum(dtype="f4"), lambda x: (x * x).sum(initial=3), lambda x: (x * x).max(initial=1e9)])
def test_temporaries_are_not_written_whoever_calls(call):
    x = made((100_000,), "f8", 0)
    assert same_as_without(lambda: numpy.asarray(call(x))) == 0


COUNTS = {
    "comparison": lambda x, y: x * x + y * y < 9,
    "not": lambda x, y: ~(x * 2 > y),
    "masks": lambda x, y: (x > 0.5) & ~(y * 2 < 1) | (x == y),
    "where": lambda x, y: np.where(x > y, x * 2, y) >= 3,
    "casts": lambda x, y: (x < y) * 2.0 > 1,
    "operators that chains have not": lambda x, y: np.isfinite(np.exp(x)) & (x + y > 0),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("mask", COUNTS)
def test_counts_of_truth_values(mask, dtype):
    for n in (2, 63, 4_096, 16_385, 65_536, 200_001):
        x, y = made((n,), dtype, 2), made((n,), dtype, 3)
        x[::97] = numpy.nan
        f = COUNTS[mask]
        expected = numpy.count_nonzero(numpy.array(f(x, y)))
        for call in (lambda x, y: np.sum(f(x, y)), lambda x, y: np.count_nonzero(f(x, y))):
            count, outputs = written(lambda: call(x, y))
            assert count == expected and outputs == 0
            compiled = torch_np.compile(call)
            assert [int(compiled(x, y)) for _ in range(3)] == [expected] * 3


def test_counts_of_truth_values_along_axes():
    for shape in ((3, 70_003), (300, 217), (70_001, 3)):
        x, y = made(shape, "f8", 4), made(shape, "f8", 5)
        for axis in (0, 1):
            for keepdims in (False, True):
                assert same_as_without(lambda: np.sum(x * x > y, axis=axis, keepdims=keepdims)) == 0


def test_a_count_names_the_operator_that_met_an_error():
    x = made((100_000,), "f8", 6)
    x[70_000] = 0
    on_host = numpy.array(x)
    with numpy.errstate(divide="ignore"):
        expected = numpy.sum(1 / on_host - 2 < on_host)
    for f in (lambda x: np.sum(1 / x - 2 < x), torch_np.compile(lambda x: np.sum(1 / x - 2 < x))):
        for _ in range(3):
            with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
                count = f(x)
            assert count == expected


def test_a_small_result_of_a_large_one_is_not_the_end_of_it():
    """A comparison of 40,000 float64 takes 40 KB. That size alone would compute it at once,
    together with its operands."""
    torch_np.fusion.set_mode("auto")
    x, y = made((40_000,), "f8", 7), made((40_000,), "f8", 8)
    expected = numpy.sum(numpy.array(x) * 2 < numpy.array(y))
    before = torch_np.fusion.statistics()
    count = np.sum(x * 2 < y)
    after = torch_np.fusion.statistics()
    assert count == expected
    assert (after["recorded"] - before["recorded"], after["outputs"] - before["outputs"]) == (2, 0)
    np.sum(x < y)  # small, as its operands are arrays in memory
    assert torch_np.fusion.statistics() == after


def test_what_a_variable_holds_is_written():
    x = made((100_000,), "f8", 0)
    y = x * 2
    assert written(lambda: y.sum())[1] == 1 and torch_np.fusion.program(y) is None
    held = [x * 3]
    assert written(lambda: held[0].sum())[1] == 1
    z = x * 4
    t = z._torch()
    del z
    assert written(lambda: t.sum())[1] == 1


def test_what_is_held_of_the_operands_is_written_in_the_same_pass():
    x, y = made((100_000,), "f8", 0), made((100_000,), "f8", 1)
    d = x - y
    before = torch_np.fusion.statistics()
    total = (d * d).sum()
    after = torch_np.fusion.statistics()
    assert after["outputs"] - before["outputs"] == 1 and after["programs"] - before["programs"] == 1 and torch_np.fusion.program(d) is None
    assert d.tobytes() == (numpy.asarray(x) - numpy.asarray(y)).tobytes()
    with torch_np.fusion.off():
        assert total == (d * d).sum()


def test_what_is_held_of_the_operands_is_whole_though_the_answer_is_known_early():
    x = made((300_000,), "f8", 0)
    d = np.abs(x) + 1
    assert (d > 0).any() and d.tobytes() == (numpy.abs(numpy.asarray(x)) + 1).tobytes()
    e = np.abs(x) + 2
    assert not (e < 0).all() and e.tobytes() == (numpy.abs(numpy.asarray(x)) + 2).tobytes()


def test_a_relative_that_shares_what_nobody_holds_is_computed_once():
    x, kept = made((100_000,), "f8", 0), []

    def reader(t):
        kept.append(t + 1)
        return t
    before = torch_np.fusion.statistics()["steps"]
    total = np.exp(reader(x * 2)).sum()
    assert torch_np.fusion.statistics()["steps"] - before == 3
    assert kept[0].tobytes() == (numpy.asarray(x) * 2 + 1).tobytes()
    with torch_np.fusion.off():
        assert total == np.exp(x * 2).sum()


@pytest.mark.parametrize("operand", [
    lambda x, y: x[::-1] * 2, lambda x, y: x[:, ::2] + 1, lambda x, y: x + y[0], lambda x, y: x * y[:, :1], lambda x, y: x[1:-1, 1:-1] - x[2:, 1:-1],
    lambda x, y: x[:, ::-1] * y, lambda x, y: np.broadcast_to(x[0], (50, 400)) * 2, lambda x, y: x * 2 + y.astype("f4"), lambda x, y: np.where(x > 0, x, y)])
@pytest.mark.parametrize("name", ["sum", "max", "any", "argmin", "mean"])
def test_views_and_broadcast_operands(operand, name):
    x, y = made((300, 400), "f8", 0), made((300, 400), "f8", 1)
    for axis in (None, 0, 1):
        same_as_without(lambda: OPERATORS[name](operand(x, y), axis=axis))


@pytest.mark.parametrize("name", IN_ONE_PASS)
def test_nan_infinities_and_negative_zeros(name):
    for at in (0, 12_345, 99_999):
        x = made((100_000,), "f8", 0)
        x[at] = numpy.nan
        x[50_000:50_010] = numpy.inf
        for axis in (None, 0, 1):
            operand = x if axis is None else x.reshape(100, 1000)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                same_as_without(lambda: OPERATORS[name](operand * 0.5, axis=axis))
    z = np.full(70_000, -0.0)
    same_as_without(lambda: OPERATORS[name](z * 1.0))


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (1,), (1, 1), ()])
def test_nothing_and_single_elements(shape):
    x = np.ones(shape)
    for name, operator in OPERATORS.items():
        for axis in axes_of(shape):
            outcomes = []
            for mode in ("off", "always"):
                torch_np.fusion.set_mode(mode)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        outcomes.append(bits(operator(x * 2, axis=axis)))
                    except (ValueError, ZeroDivisionError) as error:
                        outcomes.append((type(error), str(error)))
            assert outcomes[0] == outcomes[1], (name, axis)


def warned(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return list(dict.fromkeys(str(w.message) for w in seen))  # an operator that occurs twice is named once


@pytest.mark.parametrize("call", [
    lambda x: (1 / x).sum(), lambda x: (1 / x > 0).any(), lambda x: (np.sqrt(x - 5) < 9).all(), lambda x: np.log(x).max(), lambda x: (x * 1e308 * 10).sum(),
    lambda x: (np.exp(x * 1000) - np.exp(x * 1000)).mean(), lambda x: (1 / x).sum(axis=0), lambda x: (1 / x).mean(axis=1), lambda x: (1 / x).prod(),
    lambda x: np.count_nonzero(np.log(x)), lambda x: np.argmax(1 / x), lambda x: (x * 1e305 + 1e305).sum(), lambda x: (x * 1e305 + 1e305).reshape(-1).sum()])
@pytest.mark.parametrize("zero", [0, 150_000, 299_999])
def test_warnings_are_those_of_the_operators_one_by_one(call, zero):
    x = np.full((300, 1000), 7.0)
    x.reshape(-1)[zero] = 0
    with torch_np.fusion.off():
        expected = warned(lambda: call(x))
    assert warned(lambda: call(x)) == expected


def test_errors_of_the_reduction_are_its_own():
    x = np.full(100_000, 1e305)
    assert warned(lambda: (x + x).sum()) == ["overflow encountered in reduce"]
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="reduce"):
        (x + x).sum()


def test_what_is_looked_at_nevertheless_is_computed_again_and_warns_once():
    x = np.ones(100_000)
    x[7] = 0
    pair = (1 / x,)
    # The tuple holds the only reference, so the array looks like a temporary.
    assert warned(lambda: np.sum(*pair)) == ["divide by zero encountered in divide"]
    assert warned(lambda: pair[0].tobytes()) == []
    assert np.isinf(pair[0][7]) and pair[0][8] == 1


def test_an_out_that_the_operand_is_computed_from():
    x, y = made((300, 400), "f8", 0), made((300, 400), "f8", 1)
    expected = (numpy.asarray(x) * numpy.asarray(y)).max(axis=0)
    np.max(x * y, axis=0, out=x[0])
    assert numpy.asarray(x[0]).tobytes() == expected.tobytes()


def test_masks_are_read():
    x, mask = made((300, 400), "f8", 0), made((300, 400), "?", 3)
    mask[:, ::3] = False
    for axis in (None, 0, 1):
        same_as_without(lambda: (x * 2).sum(axis=axis, where=mask))


def test_numbers_of_threads():
    x, y = made((700_003,), "f8", 0), made((700_003,), "f8", 1)
    square = made((700, 1_000), "f4", 2)
    before = torch_np.get_num_threads()
    seen = set()
    try:
        for threads in (1, 2, 5):
            torch_np.set_num_threads(threads)
            seen.add((bits((x * y - x).sum()), bits((square * square).sum(axis=0)), bits((square * square).sum(axis=1)), bits((x > y).sum())))
    finally:
        torch_np.set_num_threads(before)
    with torch_np.fusion.off():
        seen.add((bits((x * y - x).sum()), bits((square * square).sum(axis=0)), bits((square * square).sum(axis=1)), bits((x > y).sum())))
    assert len(seen) == 1


def test_threads():
    x, y = made((300_000,), "f8", 0), made((300_000,), "f8", 1)
    shared = x * y
    with torch_np.fusion.off():
        expected = (x * y - 1).sum(), np.exp(x * y).max()
    failures = []

    def work():
        for _ in range(20):
            if ((x * y - 1).sum(), np.exp(shared).max()) != expected:
                failures.append("differs")

    together(work, work, work, work)
    assert not failures


@pytest.mark.parametrize("fill, times", [(lambda x: x.fill(3), 20), (lambda x: np.add(x, 2, out=x), 1000)])
def test_an_operand_that_another_thread_changes(fill, times):
    """The sum is of the old or of the new numbers, never of a mixture."""
    failures = []
    for _ in range(times):
        x, go, sums = np.ones(400_000), threading.Event(), []

        def change(x=x, go=go):
            go.wait()
            fill(x)

        def reduce(x=x, go=go, sums=sums):
            go.set()
            sums.append(float((x * 2 + 1).sum()))
        together(change, reduce)
        if sums[0] not in (400_000 * 3, 400_000 * 7):
            failures.append(sums)
    assert not failures


@pytest.mark.parametrize("loss", [
    lambda x, w: (x * w).sum(), lambda x, w: ((x - w) ** 2).mean(), lambda x, w: (x * w).tanh().sum(), lambda x, w: (x * w).amax(), lambda x, w: (x * w).prod() * 1e-9,
    lambda x, w: ((x * w).sigmoid() * x).sum(dim=0).square().sum(), lambda x, w: (x * w).softmax(-1).log().mean(), lambda x, w: (x - w).norm(), lambda x, w: (x * w).logsumexp(0).sum()])
def test_gradients(loss):
    def gradients():
        x = made((30, 100), "f8", 0)._torch().requires_grad_()
        w = made((30, 100), "f8", 1)._torch().requires_grad_()
        value = loss(x, w)
        value.backward()
        return value.detach()._np_compat().tobytes(), x.grad._np_compat().tobytes(), w.grad._np_compat().tobytes()
    with torch_np.fusion.off():
        expected = gradients()
    assert gradients() == expected


def test_what_no_gradient_saves_is_not_written():
    x = made((100_000,), "f8", 0)._torch().requires_grad_()
    w = made((100_000,), "f8", 1)._torch()
    loss, outputs = written(lambda: (x * w).sum())
    assert outputs == 0
    loss.backward()
    assert x.grad._np_compat().tobytes() == w._np_compat().tobytes()


def test_memory_is_not_taken():
    x = made((1_000_000,), "f8", 0)

    def peak(work):
        torch_np.cpu.reset_peak_memory_stats()
        before = torch_np.cpu.memory_stats()["allocated_bytes"]
        work()
        return torch_np.cpu.memory_stats()["peak_allocated_bytes"] - before
    assert peak(lambda: (x * 2 + 1).sum()) < 100_000
    assert peak(lambda: (x.reshape(1000, 1000) * 2).sum(axis=1)) < 100_000


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first):
    for seed in range(first, first + 50):
        lines = fused_programs.reduction_statements(seed)
        found = fused_programs.difference(lines)
        assert found is None, (seed, found, lines)


def test_compiled_functions():  # their blocks are not pending results; test_compile_reductions.py has more
    x, y = made((300, 1_000), "f8", 0), made((300, 1_000), "f8", 1)

    def f(x, y):
        d = x - y
        return (d * d).sum(), np.max(x * y, axis=1), (d > 0).any(axis=0), d
    compiled = torch_np.compile(f)
    compiled(x, y)
    with torch_np.fusion.off():
        expected = [bits(np.asarray(r)) for r in f(x, y)]
    assert [bits(np.asarray(r)) for r in compiled(x, y)] == expected
