"""Pending results: the same bits as those of operators that run at once, whatever the program does
in between."""
import copy
import gc
import pickle
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


def arrays(count, n=1000, dtype="f8"):
    return [np.random.default_rng(i).normal(size=n).astype(dtype) for i in range(count)]


def is_pending(x):
    return torch_np.fusion.program(x) is not None


def test_an_expression_is_computed_when_it_is_looked_at():
    a, b, c = arrays(3)
    before = torch_np.fusion.statistics()
    y = 2.5 * a + b * 0.5 - a * b + c
    assert is_pending(y) and y.shape == (1000,) and y.dtype == np.float64 and y.strides == (8,) and y.nbytes == 8000 and y.flags.c_contiguous
    expected = 2.5 * numpy.asarray(a) + numpy.asarray(b) * 0.5 - numpy.asarray(a) * numpy.asarray(b) + numpy.asarray(c)
    assert numpy.asarray(y).tobytes() == expected.tobytes()
    assert not is_pending(y)
    after = torch_np.fusion.statistics()
    assert {name: after[name] - before[name] for name in after} == {"recorded": 6, "dropped": 5, "programs": 1, "steps": 6, "outputs": 1}


def test_what_waits_longest_is_computed_where_many_wait():
    a, = arrays(1)
    waiting = [a * i for i in range(300)]
    assert not any(is_pending(x) for x in waiting[:200]) and all(is_pending(x) for x in waiting[-50:])
    for i, x in enumerate(waiting):
        numpy.testing.assert_array_equal(x, numpy.asarray(a) * i)


@pytest.mark.parametrize("n", [100, 100_000])
def test_what_machine_code_reads_is_not_given_away_twice(n):
    def f(x):
        a = np.logaddexp(x, 1.0)
        b = np.where(a > -1.25, a, -1.25)
        d = b + np.clip(b, -1, 0.5)
        return d * d
    x, = arrays(1, n)
    with torch_np.fusion.off():
        expected = f(x)
    assert f(x).tobytes() == expected.tobytes()


def test_the_program_of_an_array_names_its_steps():
    a, b = arrays(2)
    y = (a + b) * 2 > a
    assert torch_np.fusion.program(y).splitlines() == ["r0:float64 = add(m0:float64, m1:float64)", "r0:float64 = mul(r0:float64, 2)",
                                                       "m2:bool = gt(r0:float64, m0:float64)"]
    assert torch_np.fusion.program(a) is None
    with pytest.raises(TypeError):
        torch_np.fusion.program(1.0)


def test_what_somebody_holds_is_written_along():
    a, b = arrays(2)
    s = a + b
    y, z = np.exp(s), s * 2
    before = torch_np.fusion.statistics()
    float(y[0])
    assert not is_pending(y) and not is_pending(s)  # s is an operand of y
    assert is_pending(z)
    assert z.tobytes() == (numpy.asarray(s) * 2).tobytes()
    after = torch_np.fusion.statistics()
    assert after["steps"] - before["steps"] == 3


def test_what_nobody_holds_is_computed_once_for_all_that_need_it():
    a, b = arrays(2)
    s = np.exp(a + b)
    y, z = s + 1, s * 2
    del s
    before = torch_np.fusion.statistics()["steps"]
    y.sum(), z.sum()
    assert torch_np.fusion.statistics()["steps"] - before == 4


@pytest.mark.parametrize("change", [
    lambda a: a.__iadd__(1), lambda a: a.__setitem__(0, 7), lambda a: a.fill(0), lambda a: a.sort(), lambda a: np.add(a, 1, out=a), lambda a: a[::2].__imul__(3),
    lambda a: numpy.asarray(a).fill(3), lambda a: memoryview(a).__setitem__(0, 2.0), lambda a: a._torch().mul_(2), lambda a: a._torch().detach().zero_(),
    lambda a: numpy.from_dlpack(a).fill(1), lambda a: np.random.shuffle(a), lambda a: np.put(a, [1], 2), lambda a: np.copyto(a, 1), lambda a: a._torch().normal_(),
    lambda a: a._torch().index_fill_(0, torch_np.tensor([3]), 9), lambda a: np.add.at(a, [0, 0], 1), lambda a: np.cumsum(a, out=a), lambda a: a.resize(1200, refcheck=False),
    lambda a: a._torch().untyped_storage().fill_(0), lambda a: a._torch().masked_fill_(a._torch() > 0, 0), lambda a: a._torch().scatter_(0, torch_np.tensor([1]), 3.0)])
def test_an_operand_that_changes_is_read_before(change):
    a, b = arrays(2)
    expected = (numpy.array(a) * 2 + numpy.array(b)).tobytes()
    view = a[:]
    y = a * 2 + b
    change(a)
    assert y.tobytes() == expected
    del view


def test_a_pending_operand_that_changes_is_read_before():
    a, b = arrays(2)
    p = a + b
    y = p * 2
    p += 1
    s = numpy.asarray(a) + numpy.asarray(b)
    assert y.tobytes() == (s * 2).tobytes() and p.tobytes() == (s + 1).tobytes()


def test_memory_of_others_is_not_waited_for():
    outside = numpy.ones(1000)
    a = np.asarray(outside)
    y = a + 1
    outside[:] = 5
    assert (y == 2).all()
    b = np.ones(1000)
    held = numpy.asarray(b)
    z = b + 1
    held[:] = 5
    assert (z == 2).all()


def test_copies_pickles_views_and_faces():
    a, b = arrays(2)
    expected = (numpy.asarray(a) + numpy.asarray(b)).tobytes()
    for look in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: x[:], lambda x: x.reshape(10, 100), lambda x: x._torch(),
                 lambda x: x._torch().detach(), lambda x: np.asarray(x), lambda x: x.T.T):
        assert numpy.asarray(look(a + b)).tobytes() == expected
    t = torch_np.zeros(1000, dtype=torch_np.float64)
    t.data = (a + b)._torch()
    assert t.numpy().tobytes() == expected


def test_long_chains_and_many_variables():
    a, = arrays(1)
    x, y = a, numpy.asarray(a)
    for i in range(300):
        x, y = x * 0.5 + i, y * 0.5 + i
    assert x.tobytes() == y.tobytes()
    z, w = a, numpy.asarray(a)
    for _ in range(40):  # the same operand twice
        z, w = z * z * 0.5, w * w * 0.5
    assert z.tobytes() == w.tobytes()


def test_warnings_name_the_operator_that_met_the_error():
    a = np.ones(1000)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        y = a * 2 / (a - 1)
        y.sum()
    with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        y = np.sqrt(-a) + 1
        y.tobytes()


def test_errors_of_casts_are_those_of_the_operator():
    with pytest.warns(RuntimeWarning, match="overflow encountered in add"):
        (np.full(300, 6e4, "float16") + np.full(300, 6e4, "float16")).tobytes()


def test_no_operator_hides_the_errors_of_another():
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        np.cbrt(np.ones(1000) / np.zeros(1000)).tobytes()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        np.arctan2(np.log(np.zeros(1000)), 1.0).tobytes()


def test_ignored_errors_are_not_warned_of_later():
    with np.errstate(all="ignore"):
        y = np.ones(1000) / np.zeros(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(y).all()


def test_results_too_large_for_an_index_raise_at_once():
    x = np.broadcast_to(np.ones(1, "i1"), (2**61 + 100_000,))
    with pytest.raises(ValueError, match="too big"):
        x * 1.5


def test_an_operand_that_runs_python_does_not_make_a_reader_late():
    a, made = np.full(1000, 2.0), []

    class Ones:
        def __array__(self, dtype=None, copy=None):
            made.append(a + 0)
            return numpy.ones(1)
    np.add.at(a, [0], Ones())
    assert made[0][0] == 2 and a[0] == 3


@pytest.mark.parametrize("mode", ["raise", "call", "print"])
def test_nothing_waits_where_an_error_does_more_than_warn(mode):
    seen = []
    with np.errstate(divide=mode, call=lambda *args: seen.append(args)):
        assert not is_pending(np.ones(1000) / np.ones(1000))
        if mode == "raise":
            with pytest.raises(FloatingPointError):
                np.ones(1000) / np.zeros(1000)
    assert is_pending(np.ones(1000) / np.ones(1000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            np.ones(1000) / np.zeros(1000)


def test_gradients_of_pending_results():
    x = torch_np.linspace(-1, 1, 1000, dtype=torch_np.float64, requires_grad=True)
    y = (x * 2).tanh() * x + 1
    assert is_pending(y)
    y.sum().backward()
    t = numpy.tanh(2 * x.detach().numpy())
    numpy.testing.assert_allclose(x.grad.numpy(), t + 2 * (1 - t * t) * x.detach().numpy(), rtol=1e-12)


def test_threads():
    a, b = arrays(2, 20_000)
    expected = (numpy.exp(numpy.asarray(a)) * numpy.asarray(b) + 1).tobytes()
    shared = np.exp(a)
    failures = []

    def work():
        for _ in range(30):
            y = shared * b + 1
            if y.tobytes() != (numpy.asarray(shared) * numpy.asarray(b) + 1).tobytes():
                failures.append("shared")
            if (np.exp(a) * b + 1).tobytes() != numpy.asarray(np.exp(a) * b + 1).tobytes():
                failures.append("own")

    together(work, work, work, work)
    assert not failures
    numpy.testing.assert_allclose(numpy.asarray(shared * b + 1), numpy.frombuffer(expected), rtol=1e-14, atol=1e-15)


def test_an_array_that_is_lent_while_it_is_read():
    """The result is recorded while another thread takes the array's buffer. Later writes through
    the buffer do not change it."""
    failures = []

    def once():
        a, go, held = np.ones(100_000), threading.Event(), []

        def lend():
            go.wait()
            held.append(numpy.asarray(a))

        def read():
            go.set()
            y = a + 1
            while not held:
                pass
            held[0][:] = 5
            if not (numpy.asarray(y) == 2).all():
                failures.append(numpy.asarray(y))

        together(lend, read)

    for _ in range(50):
        once()
    assert not failures


def test_modes():
    with pytest.raises(ValueError, match="'sometimes'"):
        torch_np.fusion.set_mode("sometimes")
    torch_np.fusion.set_mode("auto")
    assert torch_np.fusion.get_mode() == "auto"
    assert not is_pending(np.ones(32_767) + 1) and is_pending(np.ones(32_768) + 1)
    with torch_np.fusion.off():
        assert torch_np.fusion.get_mode() == "off" and not is_pending(np.ones(100_000) + 1)
    assert torch_np.fusion.get_mode() == "auto"


def peak(work):
    torch_np.cpu.reset_peak_memory_stats()
    before = torch_np.cpu.memory_stats()["allocated_bytes"]
    work()
    return torch_np.cpu.memory_stats()["peak_allocated_bytes"] - before


def masks():
    kept = []
    for i in range(10):
        x = np.full(200_000, float(i))
        kept.append(x > 5)
        del x
    return kept


def accumulated():
    x = np.ones(200_000)
    for i in range(30):
        x = x * 0.5 + i
    return x.sum()


def of_temporaries():
    return np.ones(200_000) * 2 + np.ones(200_000) * np.ones(200_000)


def of_pending_and_temporaries():
    x = np.ones(200_000)
    return (x + 1) * np.sort(x) - np.sqrt(np.cumsum(x)) * np.cumsum(x)


def steps():
    u = np.ones(200_000)
    for _ in range(5):
        u = u + 0.1 * (np.roll(u, 1) + np.roll(u, -1) - 2 * u)
    return u


def shared():
    x = np.ones((200, 1000))
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def converted():
    x = np.ones(200_000)
    return [(x * i).astype("f4") for i in range(6)]


def summed():
    x = np.ones(200_000)
    terms = [x * i for i in range(5)]
    s = terms[0]
    for t in terms[1:]:
        s = s + t
    del terms
    return s.sum()


def adam():
    p, m, v, g = np.ones(200_000, "f4"), np.zeros(200_000, "f4"), np.zeros(200_000, "f4"), np.ones(200_000, "f4")
    for _ in range(5):
        m = np.float32(0.9) * m + np.float32(0.1) * g
        v = np.float32(0.999) * v + np.float32(0.001) * g * g
        p = p - np.float32(1e-3) * (m / np.float32(0.1)) / (np.sqrt(v / np.float32(0.001)) + np.float32(1e-8))
    return p.sum()


@pytest.mark.parametrize("work", [masks, accumulated, of_temporaries, of_pending_and_temporaries, steps, shared, converted, summed, adam])
def test_no_more_memory_is_held_than_without(work):
    with torch_np.fusion.off():
        without = peak(work)
    assert peak(work) <= without


def test_nodes_are_freed():
    gc.collect()
    before = torch_np.cpu.memory_stats()["allocated_bytes"]
    a, b = arrays(2, 100_000)
    for _ in range(20):
        y = a + b
        z = y * 2
        del y
        z.sum()
    del a, b, z
    assert torch_np.cpu.memory_stats()["allocated_bytes"] == before


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make, first", [(fused_programs.statements, first) for first in range(0, 400, 50)]
                         + [(fused_programs.gradient_statements, first) for first in range(0, 100, 50)])
def test_random_programs(make, first):
    for seed in range(first, first + 50):
        lines = make(seed)
        found = fused_programs.difference(lines)
        assert found is None, (seed, found, lines)
