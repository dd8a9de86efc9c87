"""The graph of a checkpoint: hooks, memory, repeated passes, and where the second computation ends."""
import weakref

import pytest

import torch_np as torch
from torch_np.autograd import Function, grad
from torch_np.utils.checkpoint import checkpoint

BOTH = pytest.mark.parametrize("reentrant", [False, True])


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


@BOTH
def test_hooks_of_parameters_run_once(reentrant):
    w, x, seen = leaf(3.0, 3.0), leaf(1.0, 2.0), []
    w.register_hook(lambda g: seen.append(g.tolist()) or g * 2)
    out = checkpoint(lambda t: w * t, x, use_reentrant=reentrant) + w  # used inside and outside
    out.sum().backward()
    assert seen == [[2.0, 3.0]] and w.grad.tolist() == [4.0, 6.0] and x.grad.tolist() == [3.0, 3.0]


@BOTH
def test_hooks_of_captured_tensors_run_once(reentrant):
    w, seen = leaf(3.0, 3.0), []
    captured = w * 1
    captured.register_hook(lambda g: seen.append(g.tolist()) or g * 2)
    checkpoint(lambda t: captured * t, leaf(1.0, 2.0), use_reentrant=reentrant).sum().backward()
    assert seen == [[1.0, 2.0]] and w.grad.tolist() == [2.0, 4.0]


@BOTH
def test_intermediate_tensors_are_released(reentrant):
    alive = []

    def f(x):
        for _ in range(3):
            x = x.sin()
            alive.append(weakref.ref(x))
        return x.exp()
    y = checkpoint(f, leaf(1.0), use_reentrant=reentrant)
    assert [r() for r in alive] == [None] * 3
    y.sum().backward()
    assert all(r() is None for r in alive)


def test_the_second_computation_ends_early():
    reached = []

    def f(x):
        y = x.sin()
        reached.append("sin")
        z = y + 1
        reached.append("end")
        return z
    for early, expected in ((True, ["sin", "end"]), (False, ["sin", "end"] * 2)):
        reached.clear()
        x = leaf(1.0)
        checkpoint(f, x, use_reentrant=False, early_stop=early).sum().backward()
        assert reached == expected and torch.allclose(x.grad, x.cos())


def test_each_pass_computes_again():
    calls, x = [], leaf(1.0, 2.0)
    y = checkpoint(lambda t: calls.append(1) or t.sin().exp(), x, use_reentrant=False).sum()
    first, = grad(y, x, retain_graph=True)
    second, = grad(y, x)
    assert len(calls) == 3 and torch.equal(first, second) and torch.allclose(first, x.cos() * x.sin().exp())
    with pytest.raises(RuntimeError, match="second time"):
        grad(y, x)


def test_saved_tensors_outside_of_a_pass():
    calls, x = [], leaf(1.0, 2.0)
    y = checkpoint(lambda t: calls.append(1) or t.sin().exp(), x, use_reentrant=False)
    for n in (2, 3):
        assert torch.allclose(y.grad_fn._saved_result, x.sin().exp()) and len(calls) == n
    y.sum().backward()
    assert len(calls) == 4


def test_a_function_may_read_its_saved_tensors_twice():
    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            a, = ctx.saved_tensors
            b, = ctx.saved_tensors
            return 3 * g * a * b
    x = leaf(2.0)
    checkpoint(lambda t: Cube.apply(t.sin()), x, use_reentrant=False).backward(torch.ones(1))
    assert torch.allclose(x.grad, 3 * x.sin() ** 2 * x.cos())


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nested_checkpoints_and_second_derivatives(depth):
    def nested(function, n):
        return function if n == 0 else lambda t: checkpoint(nested(function, n - 1), t * 1, use_reentrant=False).sin()
    x = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)
    f = nested(lambda t: (t.sin() * t).exp(), depth)
    assert torch.autograd.gradcheck(f, x) and torch.autograd.gradgradcheck(f, x)


def test_arguments_are_checked_for_changes():
    x, scale = leaf(1.0, 2.0), torch.tensor([2.0, 3.0])
    y = checkpoint(lambda t, s: (t * s).sin(), x, scale, use_reentrant=False)
    scale.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_an_error_in_the_second_computation_reaches_the_program():
    calls, x = [], leaf(1.0)

    def f(t):
        calls.append(1)
        if len(calls) == 2:
            raise KeyError("second")
        return t.exp()
    y = checkpoint(f, x, use_reentrant=False).sum()
    with pytest.raises(KeyError, match="second"):
        y.backward(retain_graph=True)
    y.backward()
    assert torch.allclose(x.grad, x.exp())


def test_checkpoints_in_transforms():
    def f(t):
        return checkpoint(lambda s: (s.sin() * s).exp(), t, use_reentrant=False).sum()

    def plain(t):
        return (t.sin() * t).exp().sum()
    x = torch.tensor([[0.1, 0.2], [0.3, 0.4]])
    assert torch.allclose(torch.func.vmap(torch.func.grad(f))(x), torch.func.vmap(torch.func.grad(plain))(x))
    for a, b in zip(torch.func.jvp(f, (x,), (x,)), torch.func.jvp(plain, (x,), (x,))):
        assert torch.allclose(a, b)


def test_checkpoints_in_compiled_functions():
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4))

    def step(x):
        return grad(checkpoint(net, x, use_reentrant=False).square().sum(), list(net.parameters()))
    x = torch.ones(3, 4)
    compiled, expected = torch.compile(step), step(x)
    for _ in range(3):
        assert all(torch.allclose(a, b) for a, b in zip(compiled(x), expected))


def test_a_reentrant_checkpoint_that_records_nothing_raises():
    def f(t):
        with torch.no_grad():
            return t * 2, 3
    x = leaf(1.0)
    y, number = checkpoint(f, x, use_reentrant=True)
    assert number == 3
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True"):
        (y + x).sum().backward()
    x.grad = None
    y, _ = checkpoint(f, x, use_reentrant=False)
    (y + x).sum().backward()
    assert x.grad.tolist() == [1.0]


def test_functions_that_catch_exceptions():
    def f(t):
        try:
            return t.sin() + 1
        except Exception:
            return t
    x = leaf(1.0)
    checkpoint(f, x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad, x.cos())
