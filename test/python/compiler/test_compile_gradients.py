"""Gradients through results of torch_np.compile: replayed backward passes, and calls that fall back
to the function itself."""
from __future__ import annotations

import gc
import sys
import threading
import warnings
import weakref
from pathlib import Path

import numpy
import pytest

import torch_np
import torch_np.numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz import compiled_programs, fused_programs  # noqa: E402


def counts(f):
    s = f.statistics()
    return s["recorded"], s["replayed"], s["plain"], s["backwards"]


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(v) for v in value]
    return None if value is None else fused_programs.shown(value)


def tensors(seed, *shapes, dtype="f4"):
    generator = numpy.random.default_rng(seed)
    return [torch_np.tensor(generator.standard_normal(s).astype(dtype)) for s in shapes]


def leaves(seed, *shapes, dtype="f4"):
    return [t.requires_grad_() for t in tensors(seed, *shapes, dtype=dtype)]


def check(function, make, use, rounds=4, fullgraph=True):
    """Calls `use` with a function and arguments, for the compiled and the original function in
    turn. The results must be bitwise equal. Returns the compiled one."""
    compiled = torch_np.compile(function, fullgraph=fullgraph)
    for i in range(rounds):
        expected, got = use(function, *make(i)), use(compiled, *make(i))
        assert shown(expected) == shown(got), i
    return compiled


def gradients(f, *inputs):
    """The result of a loss, and the gradients of all inputs."""
    loss = f(*inputs)
    loss.backward()
    return [loss.detach(), *(x.grad for x in inputs if x.requires_grad)]


def loss_of_two_layers(w, b, v, x):
    return (((x @ w + b).tanh() @ v).exp() * 0.1).mean()


def test_a_backward_pass_is_replayed():
    f = check(loss_of_two_layers, lambda i: leaves(i, (5, 8), (8,), (8, 3)) + tensors(i + 10, (6, 5)), gradients)
    assert counts(f) == (1, 3, 0, 3)
    text = str(f.lower(*leaves(0, (5, 8), (8,), (8, 3)), *tensors(0, (6, 5))))
    assert "backward:" in text


def test_on_numpys_face():
    def f(w, x):
        return (np.tanh(x @ w) ** 2).sum()

    def make(i):
        w, x = tensors(i, (4, 3), (5, 4), dtype="f8")
        return w.requires_grad_()._np_compat(), x._np_compat()

    def use(f, w, x):
        loss = f(w, x)
        assert type(loss) is np.ndarray and loss._torch().requires_grad
        loss._backward()
        return [loss._torch().detach(), w._torch().grad]
    assert counts(check(f, make, use)) == (1, 3, 0, 3)


def test_gradients_of_operators_around_the_function():
    def use(f, x, y):
        z = (x * 3).sin()
        first = f(z, y)
        second = f(first * 2, z)
        ((second + z).square().mean() + x.sum()).backward()
        return x.grad, y.grad, second.detach()
    f = check(lambda a, b: a * b + a.exp() * a, lambda i: leaves(i, (4, 3), (4, 3)), use, rounds=6)
    assert counts(f)[3] > 6


def test_sums_are_rounded_as_they_are_without():
    # 1 + 2**-24 + 2**-24 depends on the order of additions: the function uses x twice, and so does
    # its caller.
    def f(x):
        return x * 2.0**-24 + x * 2.0**-24

    def use(f, x):
        later = f(x)
        (later + x).sum().backward()
        after = x.grad.clone()
        x.grad = None
        (x + f(x)).sum().backward()
        return after, x.grad
    check(f, lambda i: leaves(i, (7,)), use)


def test_results_of_which_some_are_used():
    def f(x, y):
        a = x * y
        return {"a": a.exp(), "b": [a.sin() * x, (y / x).sqrt()], "count": x.shape[0], "plain": x.detach() * 2}

    def use_of(*names):
        def use(f, x, y):
            r = f(x, y)
            parts = {"a": r["a"], "b0": r["b"][0], "b1": r["b"][1]}
            sum(parts[n].sum() for n in names).backward()
            return x.grad, y.grad, r["plain"]
        return use

    def make(i):
        x, y = leaves(i, (6,), (6,))
        with torch_np.no_grad():
            x.abs_()
            y.abs_()
        y.data[0] = 0.0  # the gradient of sqrt is infinite there; an unused one must not give NaN
        return x, y
    for names in (["a"], ["b0"], ["b1"], ["a", "b1"], ["a", "b0", "b1"]):
        assert counts(check(f, make, use_of(*names)))[3] == 2
    g = torch_np.compile(f, fullgraph=True)
    for i, names in enumerate([["a"], ["a", "b1"], ["b0"], ["a"], ["b1"], ["a", "b0", "b1"], ["a", "b1"], ["b0"], ["a"], ["b1"]]):
        assert shown(use_of(*names)(g, *make(i))) == shown(use_of(*names)(f, *make(i))), names
    assert counts(g)[3] >= 3


def test_gradients_arrive_in_any_layout():
    def uses(f, x, w):
        out = []
        for reduce in (lambda y: y.sum(), lambda y: (y.T @ torch_np.ones(9)).sum(), lambda y: y[:, ::2].sum(), lambda y: (y * y).sum(), lambda y: y.flip(0).sum()):
            x.grad = w.grad = None
            reduce(f(x, w)).backward()
            out += [x.grad, w.grad]
        return out
    check(lambda x, w: (x @ w).tanh() + w.sum(0), lambda i: leaves(i, (9, 4), (4, 6)), uses)


def test_inputs_that_get_no_gradient():
    def f(x, y, n):
        return x.sin() * n if n > 2 else x * y

    def use(f, x, y):
        f(x, y, 3).sum().backward()
        a = x.grad, y.grad
        f(x, y, 2).sum().backward()
        return [*a, x.grad, y.grad]
    check(f, lambda i: leaves(i, (3,), (3,)), use)
    g = torch_np.compile(f, fullgraph=True)
    x, y = leaves(0, (3,), (3,))
    for _ in range(3):
        with pytest.raises(RuntimeError, match="appears to not have been used"):
            torch_np.autograd.grad(g(x, y, 3).sum(), [x, y])
        assert torch_np.autograd.grad(g(x, y, 3).sum(), [x, y], allow_unused=True)[1] is None


def test_hooks_and_kept_gradients_outside():
    def use(f, x):
        seen = []
        x.register_hook(lambda g: seen.append(g.clone()) or g * 2)
        z = x * 3
        z.retain_grad()
        y = f(z)
        y.register_hook(lambda g: seen.append(g.clone()) or g * 5)
        y.retain_grad()
        y.sum().backward()
        return [*seen, x.grad, y.grad, z.grad]
    f = check(lambda z: z.exp() * z, lambda i: leaves(i, (4,)), use)
    assert counts(f)[3] >= 2


def test_a_graph_that_is_kept():
    f = torch_np.compile(lambda x: (x * x).exp(), fullgraph=True)
    x, = leaves(0, (3,))
    for _ in range(4):
        y = f(x).sum()
        first, = torch_np.autograd.grad(y, x, retain_graph=True)
        second, = torch_np.autograd.grad(y, x)
        assert shown(first) == shown(second)
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            torch_np.autograd.grad(y, x)
    assert counts(f)[3] >= 4


def test_arrays_that_change_between_the_call_and_the_gradient():
    f = torch_np.compile(lambda x, w: x.sin() * w, fullgraph=True)
    g = torch_np.compile(lambda x: x.exp() + 1, fullgraph=True)
    h = torch_np.compile(lambda x: x.exp(), fullgraph=True)
    for _ in range(4):
        x, w = leaves(0, (3,), (3,))
        y = f(x, w)
        with torch_np.no_grad():
            w.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
        y = h(x)
        y.detach().zero_()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
        y = g(x)
        y.detach().zero_()  # memory that the gradient does not read
        y.sum().backward()
        assert shown(x.grad) == shown(x.detach().exp())
    assert counts(f)[1] == 2 and counts(g)[3] == 2


def test_results_that_are_changed_in_place():
    def use(f, x):
        y = f(x)
        y *= 3
        y[0] = 1.0
        y.sum().backward()
        return y.detach(), x.grad
    f = check(lambda x: x.sin() + x, lambda i: leaves(i, (4,)), use)
    assert counts(f)[3] >= 2


def test_views_of_what_the_function_made():
    def use(f, x):
        y = f(x)
        (y * torch_np.arange(12.0).reshape(4, 3)).sum().backward()
        return x.grad, y.detach()
    f = check(lambda x: (x * x).T, lambda i: leaves(i, (3, 4)), use)
    assert counts(f)[3] >= 2
    f = check(lambda x: x.exp().reshape(4, 3)[::2], lambda i: leaves(i, (3, 4)), lambda f, x: gradients(lambda z: f(z).sum(), x))
    assert counts(f)[3] >= 2


@pytest.mark.parametrize(("function", "reason"), [
    (lambda x: x[1:], "a view of an array from outside"),
    (lambda x: x.T * 1 if x is None else x.reshape(-1), "a view of an array from outside"),
    (lambda x: (lambda y: (y, y[0]))(x * 2), "share memory"),
    (lambda x: torch_np.ones(3, requires_grad=True), "is a leaf"),
    (lambda x: torch_np.ones(3, requires_grad=True) * 2, "neither an argument"),
])
def test_what_runs_as_it_is(function, reason):
    f = torch_np.compile(function)
    for i in range(3):
        x, = leaves(i, (3, 4))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            y = f(x)
        if i == 0:
            assert reason in str(caught[0].message)
        y = y[0] if isinstance(y, (tuple, list)) else y
        y.sum().backward()
        other, = leaves(i, (3, 4))
        z = function(other)
        (z[0] if isinstance(z, (tuple, list)) else z).sum().backward()
        assert shown(x.grad) == shown(other.grad)
    assert counts(f) == (1, 0, 2, 0)


def test_hooks_within_the_function_run_as_they_are():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 10)
        return y.sin()
    g = torch_np.compile(f)
    with pytest.warns(RuntimeWarning, match="a hook on a gradient"):
        assert shown(gradients(lambda x: g(x).sum(), *leaves(0, (3,)))) == shown(gradients(lambda x: f(x).sum(), *leaves(0, (3,))))


def test_derivatives_in_python_run_as_they_are():
    calls = []

    class Double(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            calls.append(1)
            return g * 2
    f = torch_np.compile(lambda x: Double.apply(x).sin())
    for n in range(1, 4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f(leaves(0, (3,))[0]).sum().backward()
        assert len(calls) == n


def test_arguments_with_gradients_that_are_changed_in_place():
    def f(x, w):
        x *= w
        return x.exp()

    def use(f, x, w):
        z = x * 1
        y = f(z, w)
        (y + z).sum().backward()
        return x.grad, w.grad, z.detach()
    check(f, lambda i: leaves(i, (3,), (3,)), use, fullgraph=False)


def test_leaves_that_the_function_makes_of_its_arguments():
    table = torch_np.ones(3)

    def step(w, b, x):
        leaf, row, outside = w.detach().requires_grad_(), b[1].requires_grad_(), table.detach().requires_grad_()
        (((x @ leaf + row) * outside) ** 2).mean().backward()
        return w - 0.1 * leaf.grad, row.grad * 2, outside.grad
    f = torch_np.compile(step, fullgraph=True)
    for i in range(4):
        w, b, x = tensors(i, (4, 3), (2, 3), (5, 4))
        for _ in range(2):
            expected, got = step(w, b, x), f(w, b, x)
            assert shown(expected) == shown(got), i
            assert not w.requires_grad and w.grad is None and b.grad is None and table.grad is None
            w, _, _ = got
    assert counts(f) == (1, 7, 0, 0)


def test_arguments_that_the_function_makes_leaves():
    def step(w, x):
        w.requires_grad_()
        (x * w).sum().backward()
        return w.grad * 2

    def use(f, w, x):
        return f(w, x), w.grad, w.requires_grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(step, lambda i: tensors(i, (3,), (3,)), use, fullgraph=False)


def test_arguments_without_gradients_that_are_changed_in_place():
    def f(x, running):
        running += x.detach().mean()
        return x.exp() * running.sum()

    def use(f, x, running):
        y = f(x, running)
        y.sum().backward()
        return x.grad, running
    f = check(f, lambda i: leaves(i, (3,)) + [torch_np.zeros(2)], use)
    assert counts(f)[3] >= 2


def test_second_derivatives():
    def f(x, w):
        return (x * w).sin() * w

    def use(f, x, w):
        y = f(x * 2, w)
        g, = torch_np.autograd.grad(y.sum(), x, create_graph=True)
        (g.square().sum() + y.sum()).backward()
        return g.detach(), x.grad, w.grad
    check(f, lambda i: leaves(i, (4,), (4,), dtype="f8"), use)
    g = torch_np.compile(f, fullgraph=True)
    for i in range(3):  # the trace learns that its gradients are differentiated only after a replay
        inputs, others = leaves(i, (4,), (4,), dtype="f8"), leaves(i, (4,), (4,), dtype="f8")
        if i < 2:
            g(inputs[0] * 2, inputs[1]).sum().backward(), f(others[0] * 2, others[1]).sum().backward()
        else:  # two graphs instead of one, so that sums are rounded differently
            for a, b in zip(use(g, *inputs), use(f, *others), strict=True):
                assert torch_np.allclose(a, b, rtol=1e-14)
    assert "create_graph" in torch_np.compiler.explain(g, inputs[0].detach().requires_grad_() * 2, inputs[1].detach().requires_grad_())


def test_second_derivatives_of_a_replayed_call_need_what_it_was_called_with():
    f = torch_np.compile(lambda x: x * 3 + x, fullgraph=True)
    x, = leaves(0, (3,))
    f(x).sum().backward()
    y = f(x * 1).sum()
    z = x * 1
    y = f(z)
    with torch_np.no_grad():
        z.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch_np.autograd.grad(y.sum(), x, create_graph=True)

    def noisy(x):
        return x * torch_np.rand(3)
    g = torch_np.compile(noisy, fullgraph=True)
    g(x).sum().backward()
    g(x).sum().backward()
    with pytest.raises(NotImplementedError, match="create_graph"):
        torch_np.autograd.grad(g(x).sum(), x, create_graph=True)


def test_gradients_that_look_at_values():
    def f(x):
        return x.prod() * 2 + x.sum()

    def make(i):
        x = torch_np.tensor([float(i % 2), 2.0, 3.0, 4.0], requires_grad=True)  # a zero selects another formula
        return [x]
    assert counts(check(f, make, gradients, rounds=6))[3] >= 1

    def noisy(x):
        return f(x) * torch_np.rand(())

    def use(f, x):
        torch_np.manual_seed(0)
        return gradients(f, x)
    g = check(noisy, make, use, rounds=6, fullgraph=False)
    assert "depends on values" in torch_np.compiler.explain(g, *make(0))


def test_gradcheck():
    def f(x, w):
        return (x @ w).tanh().square().sum(-1) / (1 + x.abs().sum(-1))
    g = torch_np.compile(f, fullgraph=True)
    x, w = leaves(0, (5, 4), (4, 3), dtype="f8")
    for _ in range(3):
        assert torch_np.autograd.gradcheck(g, (x, w))
    assert counts(g)[3] >= 5
    assert torch_np.autograd.gradgradcheck(g, (x, w))


def training(compiled, model_of, wrap, steps=6, optimizer=torch_np.optim.Adam):
    torch_np.manual_seed(0)
    model = model_of()
    f = wrap(model) if compiled else None
    chosen = optimizer(model.parameters(), lr=0.01)
    x, y = torch_np.randn(20, 6), torch_np.randn(20, 2)
    losses = []
    for i in range(steps):
        chosen.zero_grad()
        out = (f or model)(x + i)
        loss = torch_np.nn.functional.mse_loss(out, y)
        loss.backward()
        chosen.step()
        losses.append(loss.detach())
    return f, [*losses, *(p.detach() for p in model.parameters()), *(b for b in model.buffers())]


def layers(*extra):
    nn = torch_np.nn
    return lambda: nn.Sequential(nn.Linear(6, 16), *[e() for e in extra], nn.GELU(), nn.Linear(16, 2))


@pytest.mark.parametrize("extra", [[], [lambda: torch_np.nn.BatchNorm1d(16)], [lambda: torch_np.nn.Dropout(0.3)], [lambda: torch_np.nn.LayerNorm(16)]])
@pytest.mark.parametrize("wrap", [lambda m: torch_np.compile(m, fullgraph=True), lambda m: torch_np.compile(m.forward, fullgraph=True)])
def test_a_model_is_trained(extra, wrap):
    _, expected = training(False, layers(*extra), wrap)
    f, got = training(True, layers(*extra), wrap)
    assert shown(expected) == shown(got)
    assert counts(f)[1] == 5 and counts(f)[3] == 5


def test_a_training_step_that_returns_its_loss():
    def outcomes(compiled):
        torch_np.manual_seed(0)
        model = torch_np.nn.Linear(3, 2)
        optimizer = torch_np.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch_np.randn(20, 3), torch_np.randn(20, 2)

        def step(x, y):
            for p in model.parameters():
                p.grad = None
            loss = torch_np.nn.functional.mse_loss(model(x), y)
            loss.backward()
            with torch_np.no_grad():
                for p in model.parameters():
                    p -= 0.1 * p.grad
            return loss
        f = torch_np.compile(step, fullgraph=True) if compiled else step
        losses = [f(x, y) for _ in range(6)]
        assert all(loss.requires_grad for loss in losses)
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            losses[-1].backward()
        assert not compiled or counts(f)[1] >= 4
        del optimizer
        return [loss.detach() for loss in losses], [p.detach() for p in model.parameters()]
    assert shown(outcomes(False)) == shown(outcomes(True))


def test_the_same_place_in_the_graph_twice():
    def f(x, y):
        return x * y + x

    def use(f, x):
        z = x * 2
        f(z, z).sum().backward(retain_graph=True)
        a = x.grad
        x.grad = None
        f(z.sin(), z.sin()).sum().backward()
        f(x * 2, x * 2 + 0).sum().backward()
        return a, x.grad
    check(f, lambda i: leaves(i, (3,)), use)
    g = torch_np.compile(f, fullgraph=True)
    for function in (f, g):
        a, = leaves(0, (3,))
        z = a * 2
        views = [z.view(3), z.view(3)]
        for _ in range(2):
            function(views[0], views[0]).sum().backward(retain_graph=True)
            function(*views).sum().backward(retain_graph=True)
        expected = shown(a.grad) if function is f else expected  # noqa: F821
        assert shown(a.grad) == expected


def test_memory_goes_with_the_result():
    f = torch_np.compile(lambda x, box: x.exp() * 2, fullgraph=True)
    x, = leaves(0, (3,))

    class Box(list):
        pass
    box = Box()
    for _ in range(2):
        y = f(x, box)
        y.sum().backward()
    box = Box()
    f2 = torch_np.compile(lambda x, box: x.exp() * 2, fullgraph=True)
    for _ in range(2):
        y = f2(x, box)
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


def test_threads():
    f = torch_np.compile(loss_of_two_layers, fullgraph=True)
    failures = []

    def work(seed):
        for i in range(20):
            inputs, others = ([*leaves(seed * 100 + i, (5, 8), (8,), (8, 3)), *tensors(i, (6, 5))] for _ in range(2))
            if shown(gradients(f, *inputs)) != shown(gradients(loss_of_two_layers, *others)):
                failures.append((seed, i))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_within_a_function_that_is_recorded():
    inner = torch_np.compile(lambda x: x.sin() * x, fullgraph=True)
    inner(*leaves(0, (3,))).sum().backward()

    def outer(y, x):
        y.backward()
        return x * 2
    g = torch_np.compile(outer)
    for i in range(3):
        x, = leaves(i, (3,))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            g(inner(x).sum(), x.detach())
        z, = leaves(i, (3,))
        (z.sin() * z).sum().backward()
        assert shown(x.grad) == shown(z.grad)


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part):
    for seed in range(part * 40, part * 40 + 40):
        found = compiled_programs.gradient_difference(fused_programs.result_statements(seed))
        assert found is None, found


@pytest.mark.parametrize("is_result", [True, False])
def test_an_argument_whose_history_grows_at_each_call(is_result):
    """A replay would change its elements, and leave its history as it was."""
    def gradient(wrap):
        w = torch_np.tensor([2.0, 0.5], requires_grad=True)

        def f(x, y):
            x += w * 2
            return [x, x, y] if is_result else y
        f = wrap(f)
        x = torch_np.ones(2)
        for _ in range(4):
            f(x, torch_np.ones(1))
        x.sum().backward()
        return w.grad.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gradient(torch_np.compile) == gradient(lambda f: f) == [8.0, 8.0]
