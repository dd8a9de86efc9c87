"""torch_np.compile: traces of functions, their guards, and functions that are not traced."""
from __future__ import annotations

import contextlib
import pickle
import re
import sys
import threading
import warnings
from pathlib import Path

import numpy
import pytest

import torch_np
import torch_np.numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz import compiled_programs, fused_programs  # noqa: E402

scale = 2.0
table = np.arange(3.0)


def polynomial(x, y):
    return (x * y + 1) * x - np.sin(y), x.sum()


compiled_polynomial = torch_np.compile(polynomial, fullgraph=True)


@torch_np.compile
def decorated(x):
    return x + 1


def counts(f):
    s = f.statistics()
    return s["recorded"], s["replayed"], s["plain"]


@contextlib.contextmanager
def fusion_mode(mode):
    before = torch_np.fusion.get_mode()
    torch_np.fusion.set_mode(mode)
    try:
        yield
    finally:
        torch_np.fusion.set_mode(before)


def check(function, *calls):
    """Checks that every call gives the function's own result. Calls are functions that make the
    arguments. Returns the compiled function."""
    compiled = torch_np.compile(function, fullgraph=True)
    for make in calls:
        mine, other = make(), make()
        expected, got = function(*mine), compiled(*other)
        for a, b in [(expected, got), *zip(mine, other, strict=True)]:
            same(a, b)
    return compiled


def same(a, b):
    assert type(a) is type(b)
    if isinstance(a, (tuple, list)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        same(list(a.values()), list(b.values()))
    elif isinstance(a, (np.ndarray, torch_np.Tensor)):
        assert fused_programs.shown(a) == fused_programs.shown(b)
    else:
        assert a == b or a != a


def arrays(seed, *shapes):
    generator = numpy.random.default_rng(seed)
    return [np.array(generator.standard_normal(s)) for s in shapes]


def test_calls_after_the_first_are_replayed():
    f = check(polynomial, *(lambda s=s: arrays(s, (5, 4), (4,)) for s in range(5)))
    assert counts(f) == (1, 4, 0)


def test_another_shape_dtype_layout_or_number_is_another_record():
    def f(x, k):
        return x * k + 1
    g = check(f, *(lambda v=v: v for v in [(np.ones(3), 2), (np.ones(4), 2), (np.ones(4, "f4"), 2), (np.ones(4, "f4"), 2.0), (np.ones((4, 4)).T, 2),
                                           (np.ones((4, 4)), 2), (np.ones(4), True), (np.ones(4), 2)]))
    assert counts(g) == (7, 1, 0)


def test_views_reach_the_arrays_that_they_are_of():
    def f(x):
        rows = x[1:, ::2]
        rows += 1
        flat = x.reshape(-1)
        flat[0] = rows.sum()
        return x.T, rows * 2
    f = check(f, lambda: arrays(0, (4, 6)), lambda: arrays(1, (4, 6)))
    x, = arrays(2, (4, 6))
    transposed, _ = f(x)
    assert np.shares_memory(transposed, x) and transposed.base is x


def test_arguments_that_share_memory():
    def f(x, y):
        x += 1
        return y * 2

    def aliased():
        x, = arrays(0, (8,))
        return x, x[::-1]
    g = check(f, aliased, lambda: arrays(0, (8,), (8,)), aliased)
    assert counts(g)[0] == 2


def test_out_where_and_in_place():
    def f(x, y):
        np.add(x, y, out=y)
        y *= 3
        y[x > 1] = 4
        np.copyto(y, 5, where=y > 10)
        z = np.zeros_like(x)
        np.sqrt(abs(x), out=z, where=x > 0)
        return z
    check(f, *(lambda s=s: arrays(s, (6, 5), (6, 5)) for s in range(3)))


def test_small_products_that_do_not_need_each_other_are_one_step():
    def f(x, a, b):
        u, v = x @ a, x @ b          # independent: one batched step
        w = np.tanh(u) @ v.T         # depends on u and v
        x -= 1
        return w, x @ b              # reads the changed memory
    g = check(f, *(lambda s=s: arrays(s, (64, 64), (64, 64), (64, 64)) for s in range(3)))
    text = str(g.lower(*arrays(0, (64, 64), (64, 64), (64, 64))))
    assert len(re.findall(r"batch\(", text)) == 1 and len(re.findall("matmul", text)) == 4

    def overflows(x, y):
        return x @ x, y @ y
    h = torch_np.compile(overflows, fullgraph=True)
    x = np.ones((64, 64))
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            h(x, x * 2)
        with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
            first, second = h(x, x * 1e200)
        assert (first == 64).all() and np.isinf(second).all()


def test_nothing_is_done_before_changes_of_memory_that_arguments_share():
    """A trace assumes that arguments which are NumPy arrays do not share memory."""
    def products(x, y, w):
        p = x @ w
        x *= 2
        return p, y @ w

    def sorts(x, y, w):
        p = np.tanh(x)
        x.sort()
        return p, np.tanh(y)

    def sums(x, y, w):
        p = w + 1
        np.cumsum(x, axis=0, out=x)
        y += w
        return p, x
    for f in (products, sorts, sums):
        g = torch_np.compile(f)
        for same_memory in (True, False, True):
            results = []
            for function in (f, g):
                x, w = numpy.random.default_rng(0).standard_normal((2, 64, 64))
                given = (x, x if same_memory else x.copy(), w)
                results.append([numpy.asarray(r).tobytes() for r in function(*(given if function is g else map(np.asarray, given)))])
            assert results[0] == results[1], f


def test_what_a_replay_keeps_is_as_large_as_what_is_alive_at_once():
    def kept(length):
        def f(x):
            for _ in range(length):
                x = np.tanh(x @ x)
            return x.sum()
        f = torch_np.compile(f, fullgraph=True)
        f(np.ones((64, 64)))
        return f.statistics()["bytes"]
    x_bytes = 64 * 64 * 8
    few, many = kept(4), kept(40)
    assert x_bytes <= few == many <= 3 * x_bytes


def test_draws_that_take_long_are_recorded():
    def f(x):
        np.random.shuffle(x)
        return np.random.permutation(50_000), x + np.random.standard_normal(50_000)
    g = torch_np.compile(f, fullgraph=True)
    for seed in range(3):
        results = []
        for function in (f, g):
            np.random.seed(seed)
            x = np.arange(50_000)
            results.append((function(x), x))
        same(*results)
    assert counts(g) == (1, 2, 0)


def test_results_are_new_in_each_call():
    f = torch_np.compile(lambda x: (x + 1, np.arange(3.0), np.array([1.0, 2.0]), np.zeros(2)), fullgraph=True)
    x, = arrays(0, (3,))
    f(x)
    first, second = f(x), f(x)
    for a, b in zip(first, second, strict=True):
        a[...] = 9
        assert not np.shares_memory(a, b) and not (b == 9).any()
    same(f(x), second)


def test_full_reductions_and_elements_are_part_of_the_record():
    def f(x):
        mean = x.mean()
        return x - mean, x[0] * x[-1], float(2) * x.max(), [v * 2 for v in x[:2]]
    f = check(f, *(lambda s=s: arrays(s, (7,)) for s in range(3)))
    assert counts(f) == (1, 2, 0)
    assert type(f(*arrays(0, (7,)))[1]) is numpy.float64


def test_what_python_looks_at_leads_to_other_records():
    def f(x):
        return x * 2 if x.sum() > 0 else x - 1
    f = check(f, *(lambda v=v: (np.array([v, 1.0]),) for v in (1.0, -5.0, 2.0, -6.0, 3.0)))
    assert counts(f) == (2, 3, 0)
    assert len(f.lower(np.ones(2)).records) == 2


def test_too_many_ways_run_as_they_are():
    f = torch_np.compile(lambda x: x * int(x.sum()))
    for i in range(8):
        assert np.array_equal(f(np.ones(2) * i), np.ones(2) * i * (2 * i))
    with pytest.warns(RuntimeWarning, match="more than 8 control-flow paths"):
        f(np.ones(2) * 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the warning is given once
        for i in range(9, 20):
            assert np.array_equal(f(np.ones(2) * i), np.ones(2) * i * (2 * i))
        assert counts(f) == (8, 0, 12)
        f(np.ones(2) * 3)  # one of the known traces
        assert counts(f) == (8, 1, 12)
        assert "other calls run uncompiled: values that Python reads led to more than 8 control-flow paths" in torch_np.compiler.explain(f, np.ones(2))
        for i in range(20, 40):
            f(np.ones(2) * i)
        f(np.ones(2) * 3)  # the traces have been dropped
        assert counts(f)[1] == 1 and f.statistics()["records"] == 0
    assert "more than 8 control-flow paths" in torch_np.compiler.explain(f, np.ones(2))


def test_too_many_kinds_of_arguments_run_as_they_are():
    f = torch_np.compile(lambda x, n: x * n)
    x = np.ones(2)
    for n in range(64):
        f(x, n)
    with pytest.warns(RuntimeWarning, match="more than 64 kinds of arguments"):
        assert np.array_equal(f(x, 64), x * 64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(x, 65)
        f(x, 3)
    assert counts(f) == (64, 1, 2) and f.statistics()["records"] == 64
    assert "more than 64 kinds of arguments" in torch_np.compiler.explain(f, x, 66)


def test_very_many_operators_run_as_they_are():
    def f(x):
        for _ in range(9000):
            x = np.sin(x)
        return x
    g = torch_np.compile(f)
    x = np.ones(3)
    with pytest.warns(RuntimeWarning, match="it calls more than 8192 operators"):
        assert np.array_equal(g(x), f(x))
    assert counts(g) == (1, 0, 0) and np.array_equal(g(x), f(x))

    def joined(x):
        return np.concatenate([x] * 9000)
    h = check(joined, *(lambda s=s: arrays(s, (3,)) for s in range(2)))  # one operator with many arguments
    assert counts(h) == (1, 1, 0)


def test_fullgraph_raises_whenever_a_call_would_run_as_it_is():
    def look_late(x):
        x += 1
        return x * 2 if x.sum() > 0 else x
    f = torch_np.compile(look_late, fullgraph=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="look_late.* cannot be recorded: Python reads a value"):
            f(np.ones(2))
    f = torch_np.compile(lambda x: x * int(x.sum()), fullgraph=True)
    for i in range(8):
        f(np.ones(2) * i)
    for i in range(8, 10):
        with pytest.raises(RuntimeError, match="more than 8 control-flow paths"):
            f(np.ones(2) * i)


def test_looks_after_changes_are_not_recorded():
    def f(x):
        x += 1
        return x * 2 if x.sum() > 0 else x
    g = torch_np.compile(f)
    with pytest.warns(RuntimeWarning, match="f.* runs uncompiled: Python reads a value"):
        same(g(np.ones(2)), f(np.ones(2)))
    same(g(-np.ones(2) * 3), f(-np.ones(2) * 3))


def test_globals_and_closures_are_looked_at_in_each_call():
    global scale, table
    offset = 1.0

    def f(x):
        return x * scale + offset + table
    g = torch_np.compile(f, fullgraph=True)
    x, = arrays(0, (3,))
    same(g(x), f(x))
    try:
        scale = 3.0
        same(g(x), f(x))
        table = np.ones(3)
        same(g(x), f(x))
        table[1] = 7
        same(g(x), f(x))
        offset = -1.0
        same(g(x), f(x))
    finally:
        scale, table = 2.0, np.arange(3.0)
    same(g(x), f(x))
    assert counts(g)[2] == 0 and counts(g)[1] >= 1


def test_attributes_and_helpers_are_looked_at():
    class Settings:
        rate = 0.5
    settings = Settings()
    settings.weights = [np.ones(3), np.ones(3) * 2]

    def helper(x):
        return x * settings.weights[1] * settings.rate

    def f(x):
        return helper(x) + 1
    g = torch_np.compile(f, fullgraph=True)
    x, = arrays(0, (3,))
    for change in (lambda: None, lambda: setattr(settings, "rate", 0.25), lambda: settings.weights.__setitem__(1, np.ones(3) * 5), lambda: None):
        change()
        same(g(x), f(x))
    assert counts(g) == (3, 1, 0)


def test_a_function_that_changes_what_it_depends_on_runs_as_it_is():
    state = {"calls": 0}

    def f(x):
        state["calls"] += 1
        return x * state["calls"]
    g = torch_np.compile(f)
    with pytest.warns(RuntimeWarning, match="changes a variable or an attribute"):
        g(np.ones(2))
    g(np.ones(2))
    assert state["calls"] == 2


@pytest.mark.parametrize("look", ["numpy.asarray(x)", "x.tolist()", "memoryview(x)", "repr(x)", "x._torch().data_ptr()"])
def test_addresses_and_copies_for_others_are_not_recorded(look):
    space = {"numpy": numpy, "np": np}
    exec(f"def f(x):\n    y = x * 2\n    x, before = y, x\n    {look}\n    return before + y", space)
    f = torch_np.compile(space["f"], fullgraph=True)
    with pytest.raises(RuntimeError, match="cannot be recorded"):
        f(np.ones(3))


def test_random_draws_are_drawn_again():
    def f(x, generator):
        return x + np.random.standard_normal(x.shape) + generator.uniform(size=x.shape) + np.random.permutation(x.shape[0])
    g = torch_np.compile(f, fullgraph=True)

    def outcomes(function):
        np.random.seed(3)
        generator = np.random.default_rng(5)
        return [function(np.ones(4), generator) for _ in range(3)]
    same(outcomes(f), outcomes(g))
    assert counts(g) == (1, 2, 0)


def test_a_training_step_with_its_gradients():
    def step(w, b, x, y):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        with torch_np.no_grad():
            for p in (w, b):
                p -= 0.1 * p.grad
                p.grad = None
        return loss.detach()

    def outcomes(function):
        torch_np.manual_seed(0)
        x, y = torch_np.randn(20, 3), torch_np.randn(20)
        w, b = torch_np.randn(3).requires_grad_(), torch_np.zeros(()).requires_grad_()
        return [function(w, b, x, y) for _ in range(5)], w.detach(), b.detach()
    g = torch_np.compile(step, fullgraph=True)
    same(outcomes(step), outcomes(g))
    assert counts(g)[1] >= 3 and counts(g)[2] == 0
    assert "backward" not in str(g.lower(torch_np.zeros(3, requires_grad=True), torch_np.zeros((), requires_grad=True), torch_np.ones(20, 3), torch_np.ones(20)))


def test_gradients_that_stay_add_up():
    def f(w, x):
        (w * x).sum().backward()
        return w.grad * 2

    def outcomes(function):
        w = torch_np.ones(3, requires_grad=True)
        return [function(w, torch_np.tensor([1.0, 2.0, 3.0]) * i) for i in range(4)] + [w.grad]
    g = torch_np.compile(f, fullgraph=True)
    same(outcomes(f), outcomes(g))
    assert counts(g) == (2, 2, 0)


def test_training_a_model_found_outside():
    def outcomes(compiled):
        torch_np.manual_seed(0)
        model = torch_np.nn.Linear(3, 2)
        optimizer = torch_np.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch_np.randn(20, 3), torch_np.randn(20, 2)

        def step(x, y):
            optimizer.zero_grad()
            loss = torch_np.nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            return loss.detach()
        f = torch_np.compile(step) if compiled else step
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            losses = [f(x, y) for _ in range(6)]
        return losses, [p.detach() for p in model.parameters()], [p.grad for p in model.parameters()]
    same(outcomes(False), outcomes(True))


def test_gradients_outside_add_up():
    def outcomes(compiled):
        w = torch_np.ones(3, requires_grad=True)

        def f(x):
            (w * x).sum().backward()
            return w
        g = torch_np.compile(f, fullgraph=True) if compiled else f
        results = [g(torch_np.tensor([1.0, 2.0, 3.0]) * i) for i in range(5)]
        assert all(r is w for r in results)
        if compiled:
            assert counts(g) == (2, 3, 0)
        return w.grad
    same(outcomes(False), outcomes(True))


def test_memory_of_arrays_outside_may_be_another():
    w = torch_np.ones(3)
    f = torch_np.compile(lambda x: x * w, fullgraph=True)
    x = torch_np.ones(3)
    f(x), f(x)
    w.data = torch_np.full((3,), 5.0)
    assert f(x).tolist() == [5, 5, 5]
    w.mul_(2)
    assert f(x).tolist() == [10, 10, 10]


def test_arguments_that_are_filled():
    def f(x, found):
        found.append(x * 2)
        return len(found)
    g = torch_np.compile(f)
    found = []
    with pytest.warns(RuntimeWarning, match="changes its arguments"):
        assert g(np.ones(2), found) == 1
    assert g(np.ones(2), found) == 2 and g(np.ones(2), []) == 1


def test_results_with_gradients_and_without():
    f = torch_np.compile(lambda w: (w * w).sum(), fullgraph=True)
    w = torch_np.ones(3, requires_grad=True)
    for n in (1, 2, 3):
        f(w).backward()
        assert w.grad.tolist() == [2 * n] * 3
    with torch_np.no_grad():
        assert f(w) == 3 and f(w) == 3
    assert counts(f) == (3, 2, 0)  # without an existing gradient, with one, and without history


def test_modules():
    model = torch_np.nn.Sequential(torch_np.nn.Linear(4, 8), torch_np.nn.ReLU(), torch_np.nn.Linear(8, 2)).eval()
    f = torch_np.compile(model, fullgraph=True)
    x = torch_np.randn(5, 4)
    with torch_np.no_grad():
        for _ in range(3):
            same(f(x), model(x))
        model[0].weight.mul_(2)
        same(f(x), model(x))
        model[0].weight = torch_np.nn.Parameter(torch_np.ones(8, 4))
        same(f(x), model(x))
    assert counts(f) == (2, 3, 0)


def test_containers_keywords_and_constants():
    def f(pair, *, options, text="a", flag=True):
        a, b = pair
        return {"sum": a + b * options["k"], text: (a if flag else b), "n": None, "pair": [a.shape, 3]}
    g = torch_np.compile(f, fullgraph=True)
    for k in (2, 2, 3):
        a, b = arrays(k, (3,), (3,))
        expected, got = f((a, b), options={"k": k}), g((a, b), options={"k": k})
        same(expected, got)
        assert got["a"] is a
    assert counts(g) == (2, 1, 0)


def test_numpy_arrays_are_taken_as_ours():
    f = torch_np.compile(lambda x: np.sin(x) + 1, fullgraph=True)
    x = numpy.ones(4)
    f(x)
    x[0] = 2
    assert np.array_equal(f(x), numpy.sin(x) + 1)


@pytest.mark.filterwarnings("ignore:torch_np.compile")
@pytest.mark.parametrize("values", [numpy.array([2 ** 64, 1], dtype=object), numpy.array([1, 2], dtype="m8[s]"), numpy.array([1, 2], dtype=">f8"),
                                    numpy.array([1, 2], dtype="g")])
def test_numpy_arrays_of_dtypes_that_only_numpy_has_are_computed_by_numpy(values):
    f = torch_np.compile(lambda x: np.add(x, x))
    f(np.ones(2))
    for _ in range(3):
        got = f(values)
        assert got.dtype == (values + values).dtype and (numpy.asarray(got) == values + values).all()
        assert np.array_equal(f(np.ones(2)), [2, 2])


def test_errors_are_the_functions_own():
    f = torch_np.compile(lambda x, y: np.linalg.inv(x) @ y, fullgraph=True)
    f(np.eye(2), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError):
        f(np.zeros((2, 2)), np.ones(2))
    with pytest.raises(ValueError, match="matmul|shape|mismatch"):
        f(np.eye(2), np.ones(3))
    same(f(np.eye(2) * 2, np.ones(2)), np.ones(2) / 2)


def test_floating_point_warnings():
    f = torch_np.compile(lambda x: 1 / x, fullgraph=True)
    f(np.ones(2))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        f(np.zeros(2))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        f(np.zeros(2))


def test_errors_that_the_function_ignores():
    def f(x):
        with np.errstate(all="ignore"):
            a = 1 / x
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return a + np.log(x)
    f = torch_np.compile(f, fullgraph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            f(np.zeros(3))
    assert counts(f) == (1, 2, 0)

    def raising(x):
        with np.errstate(divide="raise"):
            return 1 / x
    g = torch_np.compile(raising)
    with pytest.warns(RuntimeWarning, match="the warning filters differ"):
        g(np.ones(2))
    with pytest.raises(FloatingPointError):
        g(np.zeros(2))


def test_a_compiled_function_within_another():
    inner = torch_np.compile(lambda x: x * 2 + 1, fullgraph=True)
    f = check(lambda x: inner(x) - inner(x + 1), *(lambda s=s: arrays(s, (4,)) for s in range(3)))
    assert counts(f) == (1, 2, 0) and counts(inner) == (0, 0, 0) or counts(inner)[1] > 0


def test_what_is_computed_twice_or_for_nobody():
    def f(x, w):
        total = 0
        for _ in range(5):
            total = total + x @ w
            np.exp(x)
        return total
    f = check(f, lambda: arrays(0, (3, 4), (4, 2)), lambda: arrays(1, (3, 4), (4, 2)))
    text = str(f.lower(*arrays(0, (3, 4), (4, 2))))
    assert text.count("matmul(") == 1 and "exp(" not in text


@pytest.mark.usefixtures("unverified")
def test_large_results_are_fused():
    def f(x, y):
        a = np.exp(x) * y
        return a + 1, (a - x).sum()
    check(f, *(lambda s=s: arrays(s, (300, 1000), (1000,)) for s in range(3)))
    g = torch_np.compile(lambda x: ((x + 1) * 2 - x) * x, fullgraph=True)
    x = np.ones(100_000)
    g(x)
    before = torch_np.fusion.statistics()
    g(x)
    after = torch_np.fusion.statistics()
    assert after["steps"] - before["steps"] == 4 and after["outputs"] - before["outputs"] == 1


def test_small_results_that_large_ones_read_later():
    def f(x, y):
        a = x + y * 2
        return a * 2 + y * 3
    for mode in ("off", "auto"):
        with fusion_mode(mode):
            check(f, *(lambda s=s: arrays(s, (200, 1000), (1000,)) for s in range(3)))


def test_changes_in_place_are_part_of_blocks():
    def f(p, v, g):
        v *= 0.9
        v += g
        p -= 0.1 * v
        p[1:-1, ::2] *= 2
        p[:, 0] = v[:, 1] + 1
        w = np.zeros_like(p)
        w += p
        w[::2] -= v[::2]
        return w, (p > 0) * v
    f = check(f, *(lambda s=s, shape=shape: arrays(s, shape, shape, shape) for s in range(3) for shape in ((8, 6), (40, 700))))
    text = str(f.lower(*arrays(0, (8, 6), (8, 6), (8, 6))))
    assert re.search(r"block\(.* = mul\(%1, .*; .* = add\(.*; .* = sub\(", text)


def test_what_is_overwritten_in_a_block_is_not_computed():
    def f(x):
        a = x + np.where(x > 0, x, 2.0)
        b = a - a
        c = a * a
        b[...] = 2
        return a, b, c
    check(f, *(lambda s=s: arrays(s, (6,)) for s in range(3)))


def test_what_machine_code_reads_is_not_given_away_twice():
    def f(x):
        a = np.logaddexp(x, 1.0)
        b = np.where(a > -1.25, a, -1.25)
        d = b + np.clip(b, -1, 0.5)
        return d * d
    check(f, *(lambda s=s, n=n: arrays(s, (n,)) for s in range(2) for n in (6, 100_000)))
    x, = arrays(0, (100_000,))
    with fusion_mode("off"):
        expected = f(x)
    with fusion_mode("auto"):
        same(f(x), expected)


def test_arrays_that_share_foreign_memory():
    def f(x, y):
        x += 1
        y *= 2
        x -= y
        return x + y
    f = torch_np.compile(f, fullgraph=True)

    def called(g, offset):
        memory = numpy.arange(40.0)
        x, y = np.asarray(memory[:20]), np.asarray(memory[offset:offset + 20])
        return g(x, y).tobytes(), memory.tobytes()
    for offset in (20, 1, 20, 3, 0):
        assert called(f, offset) == called(f.__wrapped__, offset)
    assert counts(f)[0] == 1


def test_arrays_that_share_foreign_memory_and_what_is_made_of_them():
    def f(x, y, z):
        x += z
        y *= 2
        t = x * y + z  # in the replay's memory, whether the block program or its steps compute it
        return t.sum(), t @ t.T
    f = torch_np.compile(f, fullgraph=True)

    def called(g, offset):
        memory = numpy.arange(10_000.0)
        x, y = (np.asarray(memory[at:at + 2000].reshape(100, 20)) for at in (0, offset))
        total, product = g(x, y, np.arange(100.0)[:, None])
        return total.tobytes(), product.tobytes(), memory.tobytes()
    for offset in (4000, 1, 4000, 21, 0, 4000):
        assert called(f, offset) == called(f.__wrapped__, offset)
    assert counts(f)[:2] == (1, 5)


def test_errors_of_operators_in_blocks_have_their_names():
    def f(x, y):
        z = (x * y - x) / y
        return np.sqrt(z + 1) * 2
    compiled = torch_np.compile(f, fullgraph=True)
    inputs = [([4.0, 1.0], [1.0, 2.0]), ([4.0, 1.0], [0.0, 2.0]), ([-9.0, 1.0], [0.5, 2.0]), ([1e200, 1e300], [1e200, 2.0]), ([9.0, 3.0], [2.0, 2.0])]
    for _ in range(2):
        for x, y in inputs:
            said = []
            for g in (f, compiled):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    result = g(np.array(x), np.array(y)).tobytes()
                said.append((result, sorted(str(w.message) for w in caught)))
            assert said[0] == said[1]


def test_what_raises_does_so_before_anything_has_changed():
    def f(x, y, i):
        a = x * 2
        b = np.take(y, i)
        x += 1
        return a + b.sum()
    compiled = torch_np.compile(f, fullgraph=True)
    for _ in range(2):
        compiled(*arrays(0, (5,), (3,)), np.array([0, 2]))
    x, y = arrays(0, (5,), (3,))
    before = x.tobytes()
    with pytest.raises(IndexError):
        compiled(x, y, np.array([0, 7]))
    assert x.tobytes() == before


def test_reductions_and_products_with_memory_of_the_replay():
    def f(x, y, w):
        t = x @ w
        s = t.sum(axis=1, keepdims=True) + t.max() - t.mean(axis=0)
        return s @ y.T, (t * y).sum(axis=0).astype("f4"), np.argmax(s, axis=1), (x > 0).sum(axis=1), t.var(axis=1)
    check(f, *(lambda s=s: arrays(s, (12, 7), (12, 5), (7, 5)) for s in range(3)))


def test_mode_max_gives_the_same_bits():
    def f(x, w, u):
        h = np.maximum(x @ w, 0)
        return h @ u, h.T @ x, x.T @ h
    compiled = torch_np.compile(f, fullgraph=True, mode="max")
    for seed in range(4):
        arguments = [a.astype("f4") for a in arrays(seed, (64, 64), (64, 128), (128, 10))]
        same(compiled(*arguments), f(*arguments))
    assert counts(compiled) == (1, 3, 0)
    x = np.full((64, 64), 1e30, dtype="f4")
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        compiled(x, x[:, :1] * np.ones((64, 128), "f4"), np.ones((128, 10), "f4"))


def test_threads():
    f = torch_np.compile(polynomial, fullgraph=True)
    failures = []

    def work(seed):
        for i in range(30):
            x, y = arrays(seed * 100 + i, (50, 40), (40,))
            for a, b in zip(f(x, y), polynomial(x, y), strict=True):
                if not np.array_equal(a, b):
                    failures.append(seed)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_pickling():
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    g = pickle.loads(pickle.dumps(torch_np.compile(polynomial)))
    same(g(*arrays(0, (3,), (3,))), polynomial(*arrays(0, (3,), (3,))))


def test_methods():
    class Model:
        def __init__(self):
            self.k = 2.0

        @torch_np.compile(fullgraph=True)
        def apply(self, x):
            return x * self.k
    m = Model()
    assert m.apply(np.ones(2)).tolist() == [2, 2] and m.apply(np.ones(2)).tolist() == [2, 2]
    m.k = 3.0
    assert m.apply(np.ones(2)).tolist() == [3, 3]


def test_arguments_of_compile():
    assert torch_np.compile(len, disable=True) is len
    with pytest.raises(TypeError, match="must be callable"):
        torch_np.compile(3)
    with pytest.raises(ValueError, match="mode must be"):
        torch_np.compile(len, mode="fast")
    with pytest.raises(NotImplementedError, match="dynamic"):
        torch_np.compile(len, dynamic=True)
    assert "polynomial" in repr(compiled_polynomial) and compiled_polynomial.__name__ == "polynomial"
    text = torch_np.compiler.explain(compiled_polynomial, *arrays(0, (3,), (3,)))
    assert "steps" in text
    assert "memory is exported" in torch_np.compiler.explain(torch_np.compile(lambda x: numpy.asarray(x * 2)), np.ones(2))


def test_large_results_that_wait_read_small_ones_whose_place_is_used_again():
    def f(x, row, other):
        y = x * (row + 1)
        return y, (other * 2) * 3, (other - 1) * 4

    x, row, other = np.ones((1000, 128)), np.arange(128.0), np.arange(128.0)[::-1].copy()
    compiled = torch_np.compile(f)
    for _ in range(3):
        for got, expected in zip(compiled(x, row, other), f(x, row, other), strict=True):
            numpy.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part):
    for seed in range(part * 40, part * 40 + 40):
        for kind in (fused_programs.statements, fused_programs.gradient_statements):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = compiled_programs.difference(kind(seed))
            assert found is None, found


def test_arguments_that_share_memory_with_arrays_outside():
    w = torch_np.ones(3)

    def f(x):
        before = w * 2
        x += 1
        return w * 2 + before
    for first, second in ((True, False), (False, True)):
        g = torch_np.compile(f, fullgraph=True)
        for is_shared in (first, second, first, second):
            w.fill_(1)
            got = g(w if is_shared else torch_np.ones(3) * 5).clone()
            w.fill_(1)
            same(got, f(w if is_shared else torch_np.ones(3) * 5))


def test_gradients_of_leaves_that_are_not_known():
    def f(loss):
        loss.backward()
        return loss.detach() * 2
    g = torch_np.compile(f)
    for i in range(3):
        x = torch_np.full((3,), float(i), requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            g((x * x).sum())
        assert x.grad.tolist() == [2 * i] * 3


def test_detached_arrays_are_part_of_the_record():
    def f(x):
        a = x.detach() + 1
        return (a + 1) * 2 + a.detach().exp()
    f(torch_np.ones(3))
    h = check(f, *(lambda s=s: [torch_np.full((3,), float(s))] for s in range(3)))
    assert counts(h) == (1, 2, 0)


def test_numpys_views_of_scalars_are_copies_while_a_function_is_recorded():
    def f(x):
        total = x.sum()
        numpy.asarray(total)[...] = 1
        memoryview(total).release()
        for change in (lambda a: a.reshape(-1), lambda a: a[None], lambda a: np.atleast_2d(a), lambda a: a.ravel(), lambda a: np.expand_dims(a.T, 0)):
            v = change(total)
            v += 1
        return total * 2, v
    x = np.arange(4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch_np.compile(f)
        for total, changed in (f(x), compiled(x), compiled(x)):
            assert (total, changed.tolist()) == (12, [7])
    _, changed = torch_np.compile(lambda x: (x.sum(), x.sum().reshape(-1)))(np.ones(3, _requires_grad=True))
    changed._backward()  # with a gradient, it is a view


def test_what_is_recorded_is_fused_at_once():
    def f(x, y):
        a = x * y
        b = a + x
        return (b - y) * 2, b
    for function, outputs in ((f, 2), (lambda x, y: np.sum(x * x + y * y < 1), 1)):
        x, y = arrays(0, (300, 300), (300, 300))
        with torch_np.fusion.off():
            expected = np.asarray(function(x, y)[0] if outputs == 2 else function(x, y)).tobytes()
        before = torch_np.fusion.get_mode(), torch_np.fusion.statistics()["outputs"]
        torch_np.fusion.set_mode("auto")
        try:
            compiled = torch_np.compile(function, fullgraph=True)
            got = compiled(x, y)
        finally:
            torch_np.fusion.set_mode(before[0])
        assert torch_np.fusion.statistics()["outputs"] - before[1] <= outputs
        assert np.asarray(got[0] if outputs == 2 else got).tobytes() == expected


def test_elements_of_what_was_pending_are_noticed():
    def f(x):
        y = x * 2
        z = y + 1
        return z if float(y[0, 0]) > 0 else -z
    compiled = torch_np.compile(f)
    for sign in (1, -1, 1, -1):
        x = sign * np.ones((300, 300))
        assert np.array_equal(compiled(x), f(x))
    assert counts(compiled)[0] == 2

    def change(x):
        y = x * 2
        z = y + 1
        y[0] = 7
        return y, z
    check(change, *(lambda s=s: arrays(s, (300, 300)) for s in range(3)))


def test_what_raises_for_want_of_scalars_runs_as_it_is():
    def f(x):
        return x * float.fromhex(float.hex(np.max(x)))  # a NumPy scalar is a float

    compiled = torch_np.compile(f)
    with pytest.warns(RuntimeWarning, match="replaces NumPy's scalars by 0-d arrays"):
        assert compiled(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert compiled(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert counts(compiled) == (1, 0, 1)
    with pytest.raises(RuntimeError, match="f.. cannot be recorded"):
        torch_np.compile(f, fullgraph=True)(np.array([1.0, 2.0]))


def test_errors_while_a_function_is_recorded_are_its_own_and_changes_happen_once():
    def looks(x):
        return np.sum(x)[1:]

    def changes(x):
        x += 1
        return np.sum(x)[1:]

    x = np.array([1.0, 2.0])
    compiled = torch_np.compile(looks)
    for _ in range(2):
        with pytest.raises(IndexError, match="invalid index to scalar variable"):
            compiled(x)
    with pytest.raises(IndexError):
        torch_np.compile(changes)(x)
    assert x.tolist() == [2.0, 3.0]
    calls = []
    with pytest.raises(RuntimeError):
        torch_np.compile(lambda t: calls.append(1) or t @ t[:1])(torch_np.ones(2, 3))
    assert calls == [1]  # the torch face has no scalars
