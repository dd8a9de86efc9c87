"""torch_np.compile of functions of arrays on GPUs: traces, chains of pointwise operators as one
kernel, graphs.

Each test runs in separate processes (device_processes.py), so that this file needs no GPU. On the
emulated device, the host's compiler compiles chains from the same sources that NVRTC gets on a GPU.
test/cpp/test_cuda_fused_kernels.cpp checks that NVRTC accepts them.
"""
import os
import shutil
import textwrap

import device_processes
import pytest
from device_processes import needs_device

pytestmark = [needs_device,
              pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]
COMPILER = os.environ.get("CXX") or shutil.which("c++") or ""
needs_compiler = pytest.mark.skipif(not COMPILER, reason="there is no C++ compiler for chains")

PRELUDE = """
import warnings, numpy, torch_np, torch_np.numpy as np
warnings.simplefilter("error")
def arrays(seed, *shapes, dtype="f8"):
    generator = numpy.random.default_rng(seed)
    return [np.array(generator.standard_normal(s) * 3).astype(dtype)._cuda() for s in shapes]
def host(x):
    return numpy.asarray(x.cpu() if isinstance(x, torch_np.Tensor) else x._cpu() if isinstance(x, np.ndarray) else x)
def same(a, b):
    assert type(a) is type(b), (type(a), type(b))
    if isinstance(a, (tuple, list)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
        return
    if hasattr(a, "device"):
        assert str(a.device) == str(b.device)
    x, y = host(a), host(b)
    assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes(), (x, y)
def check(function, *calls, times=(1,)):
    compiled = torch_np.compile(function, fullgraph=True)
    for make in calls:
        mine, other = make(), make()
        expected, got = function(*mine), compiled(*other)
        same(expected, got)
        for a, b in zip(mine, other):
            same(a, b)
    return compiled
def counts(f):
    s = f.statistics()
    return s["recorded"], s["replayed"], s["plain"]
"""


def run(code, **options):
    """Runs `code` on the emulated device, once in each direction, and on a GPU."""
    device_processes.run(code, PRELUDE, **options)


def test_calls_after_the_first_are_replayed():
    run("""
        def f(x, y):
            return (x * y + 1) * x - np.sin(y), x.sum(), x @ y.T, x[1:, ::2]
        g = check(f, *(lambda s=s: arrays(s, (5, 4), (5, 4)) for s in range(5)))
        assert counts(g) == (1, 4, 0), g.statistics()
        """)


def test_an_array_of_the_cpu_is_another_record():
    run("""
        def f(x, k):
            return x * k + 1
        g = torch_np.compile(f, fullgraph=True)
        two = torch_np.cuda.device_count() > 1
        for make in (lambda: np.ones(3)._cuda(), lambda: np.ones(3), *[lambda: np.ones(3)._cuda(1)] * two, lambda: np.ones(3)._cuda()):
            same(g(make(), 2.0), f(make(), 2.0))
        assert counts(g) == (2 + two, 1, 0), g.statistics()
        """)


def test_changes_in_place_views_and_out():
    run("""
        def f(x, y):
            np.add(x, y, out=y)
            y *= 3
            y[x > 1] = 4
            rows = x[1:, ::2]
            rows += 1
            z = np.zeros_like(x)
            np.sqrt(abs(x), out=z, where=x > 0)
            return z, np.full((2, 2), 7.0, _device="cuda"), x.T
        g = check(f, *(lambda s=s: arrays(s, (6, 5), (6, 5)) for s in range(4)))
        assert counts(g) == (1, 3, 0), g.statistics()
        """)


def test_what_python_looks_at_leads_to_other_records():
    run("""
        def f(x):
            return x * 2 if x.sum() > 0 else x - 1
        g = check(f, *(lambda v=v: (np.array([v, 1.0])._cuda(),) for v in (1.0, -5.0, 2.0, -6.0, 3.0)))
        assert counts(g) == (2, 3, 0), g.statistics()
        """)


def test_numbers_of_the_host_and_arrays_outside():
    run("""
        table = np.arange(4.0)._cuda()
        weight = np.array(2.5)
        def f(x, k):
            return x * table + weight * k, x + np.array(3.0), table
        g = check(f, *(lambda s=s: [*arrays(s, (3, 4)), np.array(float(s))] for s in range(4)))
        assert counts(g) == (1, 3, 0), g.statistics()
        table += 1
        weight[...] = 7
        x, = arrays(9, (3, 4))
        same(g(x, np.array(1.0)), f(x, np.array(1.0)))
        assert counts(g) == (1, 4, 0), g.statistics()
        """)


def test_results_are_new_in_each_call():
    run("""
        f = torch_np.compile(lambda x: (x + 1, np.exp(x) * 2 - 1, np.zeros(2, _device="cuda")), fullgraph=True)
        x, = arrays(0, (3,))
        expected = f(x)
        calls = [f(x) for _ in range(5)]
        for call in calls:
            same(call, expected)
        for a in calls[0]:
            a[...] = 9
        for call in calls[1:]:
            same(call, expected)
        same(f(x), expected)
        """)


def test_random_draws_are_drawn_again():
    run("""
        def f(x, rng):
            return x + rng.normal(size=4, _device="cuda"), rng.random(3, _device="cuda")
        g = torch_np.compile(f, fullgraph=True)
        x, = arrays(0, (4,))
        mine, other = (np.random.Generator(np.random.Philox(5)) for _ in range(2))
        for _ in range(4):
            same(f(x, mine), g(x, other))
        assert counts(g) == (1, 3, 0), g.statistics()
        """)


STEP = """
    def step(w, b, x, y):
        w, b = w.detach().requires_grad_(), b.detach().requires_grad_()
        h = torch_np.tanh(x @ w + b)
        loss = ((h - y) ** 2).mean()
        loss.backward()
        return (w - 0.1 * w.grad).detach(), (b - 0.1 * b.grad).detach(), loss.detach()
    def make(s):
        g = numpy.random.default_rng(s)
        return [torch_np.tensor(g.standard_normal(n), dtype=torch_np.float32, device="cuda") for n in ((6, 3), (3,), (8, 6), (8, 3))]
    g = torch_np.compile(step, fullgraph=True)
    for s in range(4):
        w, b, x, y = make(s)
        for _ in range(3):
            expected, got = step(w, b, x, y), g(w, b, x, y)
            same(expected, got)
            w, b, _ = got
    assert counts(g) == (1, 11, 0), g.statistics()
"""


def test_a_training_step_with_its_gradients():
    run(STEP)


GRADIENTS = """
    def loss(w, b, v, x):
        return (((x @ w + b).tanh() @ v).exp() * 0.1).mean()
    def make(s, leaves=(True, True, True, False)):
        g = numpy.random.default_rng(s)
        shapes = (6, 3), (3,), (3, 2), (8, 6)
        return [torch_np.tensor(g.standard_normal(n), dtype=torch_np.float32, device="cuda").requires_grad_(leaf) for n, leaf in zip(shapes, leaves)]
    def use(f, *inputs):
        y = f(*inputs)
        y.backward()
        return [y.detach(), *(t.grad for t in inputs if t.requires_grad)]
    def backwards(f):
        return *counts(f), f.statistics()["backwards"]
    g = torch_np.compile(loss, fullgraph=True)
    for s in range(6):
        same(use(loss, *make(s)), use(g, *make(s)))
    assert backwards(g) == (1, 5, 0, 5), g.statistics()
"""


def test_backward_passes_are_replayed():
    run(GRADIENTS + """
    for leaves in (False, True, False, True), (True, False, False, False):
        for s in range(3):
            same(use(loss, *make(s, leaves)), use(g, *make(s, leaves)))
    assert backwards(g) == (3, 9, 0, 9), g.statistics()
""")


def test_gradients_that_arrive_in_other_ways():
    run("""
        def f(x, y):
            return (x * y).exp(), (x + y).sin(), x @ y.T
        def make(s):
            return [t._torch().requires_grad_() for t in arrays(s, (4, 3), (4, 3))]
        uses = [lambda a, b, c: a.sum() + b.sum() + c.sum(), lambda a, b, c: b.sum(), lambda a, b, c: (a.T @ b).sum(), lambda a, b, c: (c.T * 2).mean() + a[1].sum()]
        g = torch_np.compile(f, fullgraph=True)
        def use(function, s, inputs):
            uses[s % 4](*function(*inputs)).backward()
            return [t.grad for t in inputs]
        for s in range(16):
            same(use(f, s, make(s)), use(g, s, make(s)))
        assert g.statistics()["backwards"] >= 8, g.statistics()
        """)


def test_gradients_that_are_elsewhere():
    run("""
        def total(x):
            return x.exp() * 3
        def each(x):
            return (x.exp() * 3).sin()
        def make(s, shape=(3,)):
            x, = arrays(s, shape)
            return x._torch().requires_grad_()
        f, g = torch_np.compile(total, fullgraph=True), torch_np.compile(each, fullgraph=True)
        for s in range(6):
            x, y = make(s, ()), make(s, ())
            total(x).backward(torch_np.tensor(2.5, dtype=torch_np.float64))
            f(y).backward(torch_np.tensor(2.5, dtype=torch_np.float64))
            same(x.grad, y.grad)
            for function in each, g:
                try:
                    function(make(s)).backward(torch_np.ones(3, dtype=torch_np.float64))
                except RuntimeError as error:
                    assert "device" in str(error), error
                else:
                    raise AssertionError("a gradient of the CPU for a result on a GPU")
        assert f.statistics()["backwards"] == 5 and counts(g) == (1, 5, 0), (f.statistics(), g.statistics())
        """)


def test_second_derivatives_and_changes_before_the_gradient():
    run("""
        def f(x, w):
            return (x * w).sin() * w
        def make(s):
            return [t._torch().requires_grad_() for t in arrays(s, (3,), (3,))]
        def use(function, x, w):
            y = function(x * 2, w)
            g, = torch_np.autograd.grad(y.sum(), x, create_graph=True)
            (g.square().sum() + y.sum()).backward()
            return g.detach(), x.grad, w.grad
        warnings.simplefilter("ignore")
        g = torch_np.compile(f)
        for s in range(3):
            same(use(f, *make(s)), use(g, *make(s)))
        g = torch_np.compile(f)
        for s in range(4):
            x, w = make(s)
            y = g(x, w)
            w.detach().zero_()
            try:
                y.sum().backward()
            except RuntimeError as error:
                assert "modified by an inplace operation" in str(error), error
            else:
                raise AssertionError("a changed array")
        assert counts(g) == (2, 2, 0), g.statistics()   # the second trace is for the strides of the sum's gradient
        """)


# ------------------------------------------------------------------------------------------------------------- chains

def chains(code, **options):
    run("""
        def kernels():
            return torch_np.compiler.kernel_statistics()
    """ + textwrap.indent(textwrap.dedent(code), "        "), TORCH_NP_CUDA_EMULATED_COMPILER=COMPILER, **options)


@needs_compiler
def test_neighbouring_pointwise_operators_are_one_kernel():
    chains("""
        def f(x, y):
            return (x * y + 1) * x - np.sin(y), x > y
        g = check(f, *(lambda s=s: arrays(s, (40, 70), (40, 70)) for s in range(3)))
        assert counts(g) == (1, 2, 0)
        (record,) = g.lower(*arrays(0, (40, 70), (40, 70))).records
        assert len(record.splitlines()) == 1 and record.count("kernel(") == 1, record
        k = kernels()
        assert k["compiled"] == 1 and k["refused"] == 0 and k["launched"] >= 2, k
        for n in (1, 255, 256, 1023, 1024, 1025, 5000):
            check(f, *(lambda: arrays(n, (n,), (n,)) for _ in range(3)))
        """)


@needs_compiler
def test_numbers_of_numpy_are_numbers_wherever_new_arrays_go():
    chains("""
        torch_np.set_default_device("cuda")
        def f(a, b):
            for _ in range(3):
                a = np.tanh(a * b + numpy.float32(0.5)) - np.float32(0.1) * b
            return a
        make = lambda s: arrays(s, (64,), (64,), dtype="f4")
        g = check(f, *(lambda s=s: make(s) for s in range(3)))
        (record,) = g.lower(*make(0)).records
        assert len(record.splitlines()) == 1, record
        assert (make(0)[0] * numpy.float32(2))._device == "cuda:0" and str(np.asarray(numpy.float32(2)).device) == "cuda:0"
        """)


@needs_compiler
def test_equal_chains_share_a_kernel():
    chains("""
        f = lambda x, k: np.exp(x * k) + x
        for shape in ((3,), (4, 5), (2, 3, 4)):
            check(f, *(lambda k=k: [*arrays(1, shape), k] for k in (2.0, 3.0, 2.0, 3.0)))
        k = kernels()
        assert k["compiled"] == 6 and k["refused"] == 0, k   # one source, requested by each trace
        """)


@needs_compiler
def test_operands_of_a_chain_are_broadcast():
    chains("""
        def f(x, row, column, middle, one):
            return ((x + row) * column - middle) / one + 2
        shapes = (2, 3, 4, 5), (5,), (4, 1), (3, 1, 1), ()
        g = check(f, *(lambda s=s: arrays(s, *shapes) for s in range(3)))
        assert kernels()["launched"] >= 2 and len(g.lower(*arrays(0, *shapes)).records[0].splitlines()) == 1
        # neither dense nor periodic: not fused
        def h(x, y):
            return (x + y) * 2 - x
        check(h, *(lambda s=s: arrays(s, (2, 3, 4), (2, 1, 4)) for s in range(3)))
        def transposed(x, y):
            return (x + y.T) * 2 - x
        check(transposed, *(lambda s=s: arrays(s, (3, 4), (4, 3)) for s in range(3)))
        """)


@needs_compiler
@pytest.mark.parametrize("dtypes", ["f4 f8", "f2 f4", "f2 f2", "i4 f4", "i1 u1", "?  i8", "c8 f4", "c16 c8", "u8 i8"])
def test_dtypes_are_those_of_the_operators(dtypes):
    chains("""
        a, b = DTYPES.split()
        def f(x, y):
            z = x * y + x
            return z, (z > y) & (x == x), abs(z) * 2, z * 2.5, np.where(z == y, x, z)
        check(f, *(lambda s=s: [*arrays(s, (37,), dtype=a), *arrays(s + 1, (37,), dtype=b)] for s in range(3)))
        k = kernels()
        assert k["refused"] == 0 and k["launched"] > 0, k
        """.replace("DTYPES", repr(dtypes)).replace(" > y", " != y"), emulated=("1",))


@needs_compiler
def test_what_is_read_in_another_shape_ends_a_chain():
    chains("""
        def f(x):
            y = x * 2 + 1
            z = y.reshape(6, 4) + y.reshape(6, 4)[::-1]
            return z * y.T.reshape(6, 4), y
        check(f, *(lambda s=s: arrays(s, (4, 6)) for s in range(4)))
        """)


@needs_compiler
def test_backward_passes_with_chains():
    chains(GRADIENTS + """
    k = kernels()
    assert k["launched"] > 0 and k["refused"] == 0, k
    (record,) = g.lower(*make(0)).records
    assert "kernel(" in record.partition("backward:")[2], record
""")


@needs_compiler
def test_a_training_step_with_chains():
    chains(STEP + "\n    assert kernels()['launched'] > 0 and kernels()['refused'] == 0")


def test_where_the_compiler_refuses_operators_run_one_by_one():
    run("""
        def f(x, y):
            return (x * y + 1) * x - np.sin(y), x > y
        check(f, *(lambda s=s: arrays(s, (40, 70), (40, 70)) for s in range(3)))
        k = torch_np.compiler.kernel_statistics()
        assert k["refused"] == 1 and k["launched"] == 0, k
        """, needs_gpus=0, TORCH_NP_CUDA_EMULATED_COMPILER="false")


def test_where_there_is_no_compiler_nothing_is_joined():
    run("""
        def f(x, y):
            return (x * y + 1) * x
        g = check(f, *(lambda s=s: arrays(s, (4, 7), (4, 7)) for s in range(3)))
        assert "kernel(" not in g.lower(*arrays(0, (4, 7), (4, 7))).records[0]
        """, needs_gpus=0, TORCH_NP_CUDA_EMULATED_COMPILER="")


# ------------------------------------------------------------------------------------------------------------- graphs

def graphs(code, compiler="", **options):
    run("""
        def statistics():
            s = torch_np.compiler.kernel_statistics()
            return s["graphs"], s["graph_launches"]
    """ + textwrap.indent(textwrap.dedent(code), "        "), TORCH_NP_CUDA_EMULATED_COMPILER=compiler, **options)


@pytest.mark.parametrize("compiler", ["", pytest.param(COMPILER, marks=needs_compiler)])
def test_replays_become_a_graph(compiler):
    graphs("""
        def f(x, y):
            z = (x * y + 1) * x - np.sin(y)
            return z, z.sum(axis=0), z @ y.T, x > y, z[::2]
        g = check(f, *(lambda s=s: arrays(s, (5, 4), (5, 4)) for s in range(6)))
        assert counts(g) == (1, 5, 0)
        assert statistics() == (1, 4), statistics()   # the first replay is step by step
        """, compiler)


def test_results_of_a_graph_are_new_in_each_call():
    graphs("""
        def f(x):
            y = np.exp(x) * 2
            return y, y.T, y[1:] + 1
        g = torch_np.compile(f, fullgraph=True)
        x, = arrays(0, (3, 4))
        calls = [g(x) for _ in range(6)]
        expected = f(x)
        assert statistics() == (1, 4), statistics()
        for call in calls:
            same(call, expected)
        calls[2][0][...] = 9     # its second result is a view of it; results of other calls are not
        assert (host(calls[2][1]) == 9).all()
        for i in (0, 1, 3, 4, 5):
            same(calls[i], expected)
        same(g(x), expected)
        """)


def test_a_graph_changes_arguments_and_arrays_outside():
    graphs("""
        def make():
            total = np.zeros(4, _device="cuda")
            def f(x, y):
                nonlocal_sum = total
                nonlocal_sum += x
                y *= 2
                y += x
                return y * nonlocal_sum
            return f, total
        (f, mine), (other_f, other) = make(), make()
        g = torch_np.compile(other_f, fullgraph=True)
        for s in range(6):
            (x, y), (z, w) = arrays(s, (4,), (4,)), arrays(s, (4,), (4,))
            version = w._torch()._version
            same(f(x, y), g(z, w))
            same(y, w)
            same(mine, other)
            assert w._torch()._version > version
        assert statistics() == (1, 4), statistics()
        """)


def test_arguments_of_a_graph_that_share_memory_and_views():
    graphs("""
        def f(x, y):
            x += 1
            return y * 2 - x, x.sum()
        def aliased(s):
            x, = arrays(s, (3, 9))
            return x[1], x[1, ::-1]
        def apart(s):
            x, = arrays(s, (5, 9))
            return x[2], x[:, 3][:1] * np.ones(9, _device="cuda")
        g = check(f, *(lambda s=s: aliased(s) for s in range(4)), *(lambda s=s: apart(s) for s in range(4)))
        assert statistics() == (2, 4), statistics()
        def strided(x):          # the graph must not write between the elements
            x += 1
            return x * 2 - 1
        check(strided, *(lambda s=s: [arrays(s, (6, 4))[0][:, 1]] for s in range(4)))
        assert statistics() == (2, 4), statistics()
        """)


def test_what_a_graph_does_not_hold_is_replayed_step_by_step():
    graphs("""
        table = np.array([1.0, 2.0])
        def looks(x):
            return x * 2 if x.sum() > -1e9 else x - 1
        def draws(x):
            return x + np.random.Generator(np.random.Philox(3)).normal(size=3, _device="cuda")
        def copies(x):
            return x * np.array([1.0, 2.0, 3.0])._cuda() + 1
        def of_the_host(x, k):
            return x * k + 1 - x
        def comes_back(x):
            return (x * 2 + 1)._cpu() * 2
        def waits(x):
            return np.linalg.inv(x[:, None] * x + np.eye(3, _device="cuda")) + 1
        for f in looks, copies, comes_back, waits:
            check(f, *(lambda s=s: arrays(s, (3,)) for s in range(5)))
        check(of_the_host, *(lambda s=s: [*arrays(s, (3,)), np.array(float(s))] for s in range(5)))
        assert statistics() == (0, 0), statistics()
        """)


def test_large_arrays_are_not_copied_for_a_graph():
    graphs("""
        def f(x):
            return x * 2 + 1
        check(f, *(lambda s=s: [np.arange(300_000.0)._cuda() + s] for s in range(4)))
        assert statistics() == (0, 0), statistics()
        """, emulated=("1",))


def test_graphs_of_several_streams_follow_each_other():
    graphs("""
        def f(x):
            return np.exp(x) * 2 - x, x.sum()
        g = torch_np.compile(f, fullgraph=True)
        x, = arrays(0, (30,))
        expected = f(x)
        for _ in range(3):
            same(g(x), expected)
        for _ in range(3):
            with torch_np.cuda.stream(torch_np.cuda.Stream()):
                same(g(x), expected)
        assert statistics() == (1, 4), statistics()
        """)


def test_the_memory_of_a_graph_comes_back():
    graphs("""
        import gc
        def once():
            g = torch_np.compile(lambda x: (np.exp(x) * 2 - x) @ x, fullgraph=True)
            x, = arrays(0, (100, 100))
            for _ in range(4):
                g(x)
        once()
        gc.collect()
        before = torch_np.cuda.memory_allocated()
        for _ in range(5):
            once()
            gc.collect()
        assert torch_np.cuda.memory_allocated() == before, (torch_np.cuda.memory_allocated(), before)
        assert statistics()[0] == 6, statistics()
        """)


def test_training_steps_as_graphs():
    graphs(STEP + "\n    assert statistics() == (1, 10), statistics()")


def test_functions_with_gradients_as_graphs():
    graphs(GRADIENTS + """
    assert statistics() == (2, 8), statistics()   # forward and backward
    held = [(g(*inputs), inputs) for inputs in map(make, range(4))]
    for s, (y, inputs) in reversed(list(enumerate(held))):     # each gradient reads the saved results of its own call
        y.backward()
        same([y.detach(), *(t.grad for t in inputs[:3])], use(loss, *make(s)))
""")


def test_graphs_can_be_switched_off():
    run("""
        check(lambda x: np.exp(x) * 2, *(lambda s=s: arrays(s, (5,)) for s in range(4)))
        assert torch_np.compiler.kernel_statistics()["graphs"] == 0
        """, TORCH_NP_CUDA_GRAPHS="0")
