"""Compiled functions whose blocks and row reductions share tiles of rows. Bits, errors and warnings
equal those of the single operators."""
from __future__ import annotations

import threading
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def normal(*shape, dtype="f4", seed=0):
    return np.array((numpy.random.default_rng(seed).standard_normal(shape) * 3).astype(dtype))


def bits(result):
    if isinstance(result, (tuple, list)):
        return [bits(r) for r in result]
    a = numpy.asarray(result)
    return a.dtype, a.shape, a.tobytes()


def check(f, *arguments):
    """Checks that the bits are those of the plain function, for numbers of threads that divide rows
    differently, and the text of the trace."""
    compiled = torch_np.compile(f, fullgraph=True)
    with torch_np.fusion.off():
        expected = bits(f(*arguments))
    before = torch_np.get_num_threads()
    try:
        for threads in (before, 1, 3):
            torch_np.set_num_threads(threads)
            assert bits(compiled(*arguments)) == expected
    finally:
        torch_np.set_num_threads(before)
    return str(compiled.lower(*arguments))


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def layer_norm(x, g):
    d = x - np.mean(x, axis=-1, keepdims=True)
    return d / np.sqrt(np.mean(d * d, axis=-1, keepdims=True) + 1e-5) * g


def forces(p, m):
    d = p[None, :, :] - p[:, None, :]
    r2 = np.sum(d * d, axis=2) + 0.01
    w = m / (r2 * np.sqrt(r2))
    return np.sum(d * w[:, :, None], axis=1)


@pytest.mark.parametrize("rows", [64, 1000, 4099])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_softmax_and_layer_norm_are_one_step(rows, dtype):
    x, g = normal(rows, 300 if rows > 64 else 5000, dtype=dtype), normal(300 if rows > 64 else 5000, dtype=dtype, seed=1)
    for f, arguments in ((softmax, (x,)), (layer_norm, (x, g))):
        text = check(f, *arguments)
        assert text.count("tiles(") == 1 and len([line for line in text.splitlines() if line.startswith("%")]) == 1, text


@pytest.mark.parametrize("n", [100, 331])
def test_forces_among_bodies(n):
    text = check(forces, normal(n, 3, dtype="f8"), np.abs(normal(n, dtype="f8", seed=1)) + 1)
    assert n < 200 or text.count("tiles(") == 1, text


REDUCTIONS = {name: getattr(np, name) for name in ("sum", "prod", "mean", "any", "all", "max", "min", "count_nonzero", "argmax", "argmin", "var", "std")}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape, axis", [((5000, 40), 1), ((3000, 3, 30), 1), ((3000, 3, 30), 2), ((2000, 3, 40), (1, 2)), ((20000, 9), -1),
                                         ((600, 7, 5, 20), (1, 3)), ((2000, 100, 2), 1), ((64, 5000), 1), ((64, 2500, 2), 1), ((40000, 3), 1)])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_rows_have_the_bits_of_all(name, shape, axis):
    reduction = REDUCTIONS[name]
    if name.startswith("arg") and isinstance(axis, tuple):
        axis = axis[-1]
    for dtype in ("f4", "f8", "i4", "?", "f2"):
        x, y = normal(*shape, dtype=dtype), normal(*shape, dtype=dtype, seed=1)

        def f(x, y):
            z = x * y
            r = reduction(z, axis=axis, keepdims=True)
            return np.where(z > 0, r, z), r * 2, reduction(np.where(z < 0, r, z), axis=axis)
        text = check(f, x, y)
        # The errors of var and std depend on values, so each array is reduced as a whole.
        assert "tiles(" in text or dtype in ("f2", "?") or name in ("var", "std"), (dtype, text)


@pytest.mark.parametrize("f, is_tiled", [
    # the last step reads other rows
    (lambda x, g: (lambda s: (s, s[::-1] * x))(np.sum(x * g, axis=1, keepdims=True)), False),
    (lambda x, g: (lambda e: np.sum(e, axis=0) + np.sum(e * e, axis=0))(np.exp(x)), False),     # along columns
    (lambda x, g: (lambda e: e * np.sum(e))(np.exp(x)), False),                                 # over all elements
    (lambda x, g: (lambda e: (e[:, ::-1] - np.max(e, axis=1, keepdims=True)))(np.exp(x)), True),  # within a row
    (lambda x, g: (lambda e: (e.T - np.max(e, axis=1)).T)(np.exp(x)), None),
    # another number of rows
    (lambda x, g: (lambda e: (e[:-1] - np.max(e[:-1], axis=1, keepdims=True)))(np.exp(x)), None),
])
def test_steps_that_need_other_rows_are_apart(f, is_tiled):
    text = check(f, normal(2000, 120), normal(120, seed=1))
    assert is_tiled is None or ("tiles(" in text) == is_tiled, text


def test_rows_of_others_are_not_read_before_they_are_there():
    """A step reads an operand in another order than it was written, in the middle of steps over
    rows."""
    def f(x):
        s = np.sum(x * x, axis=1)
        t = s[::-1]
        m = np.max(x - t[:, None], axis=1)
        return np.sum(x * m[:, None] * s[None, ::-1][0][:, None], axis=1)
    check(f, normal(3000, 100))


def test_what_the_caller_gets_is_written():
    def f(x):
        e = np.exp(x)
        s = np.sum(e, axis=1)
        d = e / s[:, None]
        return s, d, np.max(d, axis=1)
    assert "tiles(" in check(f, normal(2000, 150))


def test_arguments_that_are_views_broadcast_and_strided():
    x = normal(2000, 300)
    for view in (x[:, ::2], x[::-1], np.broadcast_to(x[:1], x.shape), x[:, 100:]):
        check(softmax, view)
    check(lambda x, y: np.sum(np.exp(x - y), axis=1) * np.max(x, axis=1), x, x[:, ::-1])


def test_warnings_name_their_operators():
    x = normal(2000, 150, dtype="f8")
    x[3, 4] = numpy.inf
    x[5] = 0

    def f(x):
        r = x / np.sum(x, axis=1, keepdims=True)
        return r, np.sum(np.sqrt(r), axis=1)

    def told(g):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            g(x)
        return sorted({str(w.message) for w in caught})
    compiled = torch_np.compile(f, fullgraph=True)
    compiled(normal(2000, 150, dtype="f8"))
    assert told(compiled) == told(f) != []
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        compiled(x)


def test_in_threads():
    x = normal(3000, 200)
    compiled = torch_np.compile(softmax, fullgraph=True)
    expected, failed = bits(softmax(x)), []

    def work():
        for _ in range(30):
            if bits(compiled(x)) != expected:
                failed.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


@pytest.mark.usefixtures("unverified")
def test_memory_of_what_nobody_else_reads_is_a_tile_s():
    x = normal(4000, 500)
    def f(x):
        return np.sum(softmax(x) ** 2, axis=1)
    compiled = torch_np.compile(f, fullgraph=True)
    compiled(x)

    def allocated(f):
        with torch_np.profiler.profile(memory=True) as p, torch_np.fusion.off():
            f(x)
        return sum(e.allocated_bytes for e in p.events())
    assert allocated(compiled) < x.nbytes // 4 < x.nbytes <= allocated(f)


def test_a_tile_has_bounds():
    """A long run of steps over wide rows is split, and memory of dead values is reused for new
    ones."""
    def f(x):
        for _ in range(60):
            x = x * 0.5 - np.mean(x, axis=1, keepdims=True)
        return np.max(x, axis=1)
    text = check(f, normal(64, 10_000))
    assert text.count("tiles(") > 3, text
    tiles = int(check(f, normal(4000, 256)).split("tiles(")[1].split(" of ")[0])
    assert tiles >= 25, tiles


def test_gradients():
    x = normal(2000, 200, dtype="f8")
    x._requires_grad_()

    def step(x):
        y = softmax(x)
        loss = np.sum(y * y * y)
        loss._backward()
        return loss
    step(x)
    expected = bits(x._grad)
    x._grad = None
    compiled = torch_np.compile(step)
    for _ in range(3):
        x._grad = None
        compiled(x)
        assert bits(x._grad) == expected
    assert "tiles(" in str(compiled.lower(x))


def test_explain_tells_of_groups():
    compiled = torch_np.compile(softmax)
    told = str(torch_np.compiler.explain(compiled, normal(2000, 300)))
    lines = {line.split("(")[0].strip(): line for line in told.splitlines()[1:]}
    assert lines["sub"].endswith(": fused 0, tiles 0") and lines["div"].endswith(": tiles 0") and lines["sum"].endswith(": tiles 0"), told
    drawn = compiled.lower(normal(2000, 300)).dot()
    assert drawn.count("subgraph cluster_tiles0 {") == drawn.count("subgraph cluster0 {") == 1
    assert drawn.index("cluster_tiles0") < drawn.index("cluster0 {") < drawn.index("label=\"div\"") < drawn.index("shape=ellipse, style=bold")
