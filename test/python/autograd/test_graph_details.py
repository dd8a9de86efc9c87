"""Details of the graph that PyTorch's programs see: saved tensors, grad_fn objects, views of several, layouts of gradients."""
import gc
import weakref

import pytest

import torch_np as torch
from torch_np.autograd import functional


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


def test_a_node_has_one_object():
    x = leaf(2)
    y = x * 2
    z = y + 1
    assert z.grad_fn.next_functions[0][0] is y.grad_fn
    assert y.grad_fn.next_functions[0][0] is (x * 3).grad_fn.next_functions[0][0]


def test_saved_tensors_are_attributes():
    x = leaf(2)
    y = x.exp()
    assert torch.equal(y.grad_fn._saved_result, y) and y.grad_fn._saved_result is not y
    assert (x * y).grad_fn._saved_self is x
    y.sum().backward()
    with pytest.raises(RuntimeError, match="already been freed"):
        y.grad_fn._saved_result
    with pytest.raises(AttributeError):
        y.grad_fn._saved_other


def test_saved_tensors_take_hooks():
    x = leaf(2)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: t * 2, lambda t: t * 3)
    with pytest.raises(RuntimeError, match="already been set"):
        y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
    y.sum().backward()
    assert torch.allclose(x.grad, 6 * y)
    with pytest.raises(RuntimeError, match="modifying its input in place"):
        x.exp().grad_fn._raw_saved_result.register_hooks(lambda t: t.add_(1), lambda t: t)


def test_attributes_of_a_function_s_context():
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None
    assert Scaled.apply(leaf(2), 3).grad_fn.factor == 3


def test_a_hook_may_refer_to_its_node():
    class Sentinel:
        pass

    def cycle():
        node, sentinel = leaf(2).clone().grad_fn, Sentinel()
        node.register_hook(lambda *grads: (node, sentinel))
        return weakref.ref(sentinel)
    reference = cycle()
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("split", [lambda t: t.unbind(), lambda t: t.split(1), lambda t: t.chunk(3), lambda t: t.tensor_split(3),
                                   lambda t: t.split([1, 2])])
def test_views_of_several_cannot_change_in_place(split):
    base = leaf(3, 3).clone()
    view = split(base)[0]
    for changed in (view, view.view_as(view)):
        with pytest.raises(RuntimeError, match="function that returns multiple views"):
            changed.mul_(2)
    with torch.no_grad():
        view.mul_(2)
    assert base[0, 0] == 2
    split(torch.ones(3, 3))[0].mul_(2)


def test_views_of_a_custom_function_cannot_change_in_place():
    class View(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        View.apply(leaf(2).clone()).mul_(2)


def test_retained_gradients_of_views_whose_base_changes():
    base = leaf(1).clone()
    first, second = base[:], base[:]
    first.retain_grad(), second.retain_grad()
    first.mul_(2)
    (first + second).sum().backward()
    assert second.grad.tolist() == [1]


def test_gradients_have_the_layout_of_a_dense_leaf():
    x = torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_()
    (x * torch.ones(2, 3, 4, 5)).sum().backward()
    assert x.grad.stride() == x.stride() and torch.equal(x.grad, torch.ones(2, 3, 4, 5))
    gaps = torch.ones(4, 4)[:, ::2].requires_grad_()
    gaps.sum().backward()
    assert gaps.grad.is_contiguous()


def test_a_graph_that_saved_nothing_runs_again():
    x = leaf(2)
    y = x.sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2, 2]


def test_resize_counts_changes():
    x = torch.ones(1)
    before = x._version
    x.resize_((1, 2))
    x.resize_((3,))
    assert x._version == before + 2
    x.resize_((3,))
    assert x._version == before + 2


def test_data_of_leaves():
    x = leaf(2)
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        x.data = torch.ones(2, dtype=torch.int64)
    with torch.no_grad():
        x.set_(torch.zeros(3))
    assert x.shape == (3,) and x.requires_grad


def test_functions_return_a_tensor_twice():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            return y, y

        @staticmethod
        def backward(ctx, first, second):
            return 2 * (first + second)
    x = leaf(2)
    a, b = Twice.apply(x)
    assert a is b
    (a + b).sum().backward()
    assert x.grad.tolist() == [4, 4]


def test_forward_with_defaults_and_vjp():
    class Power(torch.autograd.Function):
        @staticmethod
        def forward(x, n=3):
            return x ** n

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.x, ctx.n = inputs

        @staticmethod
        def vjp(ctx, grad):
            return grad * ctx.n * ctx.x ** (ctx.n - 1), None
    x = torch.tensor(2.0, requires_grad=True)
    Power.apply(x).backward()
    assert x.grad == 12

    class Both(Power):
        @staticmethod
        def vjp(ctx, grad):
            return grad, None

        @staticmethod
        def backward(ctx, grad):
            return grad, None
    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        Both.apply(x).backward()


def test_second_derivative_of_products_with_zeros():
    x, src = torch.ones(1, dtype=torch.float64, requires_grad=True), torch.zeros(2, dtype=torch.float64, requires_grad=True)
    y = x.scatter_reduce(0, torch.tensor([0, 0]), src, "prod")
    with pytest.raises(RuntimeError, match="Double backward is unsupported"):
        torch.autograd.grad(y, src, create_graph=True)
    assert torch.autograd.grad(x.scatter_reduce(0, torch.tensor([0, 0]), src, "prod"), src)[0].tolist() == [0, 0]


def test_errors_of_functional_derivatives():
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="^v has invalid size: should be torch"):
        functional.hvp(lambda x: (x ** 3).sum(), x, torch.ones(3))
    with pytest.raises(RuntimeError, match="^The given v should contain a single Tensor"):
        functional.jvp(lambda x: x ** 3, x, (x, x))
    with pytest.raises(RuntimeError, match="^Output 0 of the user-provided function does not require gradients"):
        functional.jacobian(lambda x: x.detach(), x, strict=True)
    with pytest.raises(RuntimeError, match="^While computing the hessian, found that the jacobian"):
        functional.hessian(lambda x: 2 * x.sum(), x, strict=True)
    with pytest.raises(RuntimeError, match="^The jacobian of the user-provided function is independent of input 0"):
        functional.vjp(lambda x: 2 * x, x, x, create_graph=True, strict=True)


def test_jacobians_of_checks():
    from torch_np.autograd.gradcheck import get_analytical_jacobian, get_numerical_jacobian
    a, b = (torch.ones(2, dtype=torch.float64, requires_grad=True) for _ in range(2))
    with pytest.warns(FutureWarning, match="private API"):
        first, second = get_numerical_jacobian(lambda xs: 2 * xs[0] + xs[1], (a, b), eps=1e-6)
    assert torch.allclose(first, 2 * torch.eye(2, dtype=torch.float64)) and torch.allclose(second, torch.eye(2, dtype=torch.float64))
    with pytest.warns(FutureWarning, match="private API"):
        (first, second), same, _, _ = get_analytical_jacobian((a, b), 2 * a + b)
    assert torch.equal(first, 2 * torch.eye(2, dtype=torch.float64)) and same


def test_callbacks_of_the_engine():
    calls = []
    x = leaf(2)
    y = x * 2
    y.register_hook(lambda grad: torch.autograd.Variable._execution_engine.queue_callback(lambda: calls.append(x.grad is not None)))
    y.sum().backward()
    assert calls == [True]


def test_inference_tensors():
    ordinary = torch.ones(2)
    with torch.inference_mode():
        made, view = torch.ones(2), ordinary[:1]
        assert made.is_inference() and torch.is_inference(made + ordinary) and not view.is_inference()
        made.add_(1)
    assert not torch.ones(2).is_inference() and made[:1].is_inference() and not made.clone().is_inference()
    with pytest.raises(RuntimeError, match="do not track version counter"):
        made._version
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        made.add_(leaf(2))
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        made.requires_grad_()
    with pytest.raises(RuntimeError, match="cannot be saved for backward"):
        made * leaf(2)
    assert (made + leaf(2)).requires_grad and made.clone().requires_grad_().requires_grad


@pytest.mark.parametrize("split", [lambda x: torch.unsafe_split(x, 2), lambda x: torch.unsafe_chunk(x, 2),
                                   lambda x: torch.unsafe_split_with_sizes(x, [2, 2])])
def test_parts_of_unsafe_splits_change_in_place(split):
    leaf = torch.arange(4.0, requires_grad=True)
    first, _ = split(leaf * 1)
    first.mul_(3)
    first.sum().backward()
    assert leaf.grad.tolist() == [3, 3, 0, 0]


@pytest.mark.parametrize("multiply", [
    lambda a, x: a @ x, lambda a, x: x.T @ a, lambda a, x: torch.einsum("i,ij->j", a, x), lambda a, x: torch.tensordot(a, x, 1),
    lambda a, x: torch.mm(a[None], x), lambda a, x: torch.addmm(a[:2], torch.ones(1, 3), x), lambda a, x: torch.mv(x.T, a),
    lambda a, x: torch.bmm(torch.ones(1, 2, 3), x[None])])
def test_a_factor_is_saved_only_if_the_other_one_needs_a_gradient(multiply):
    rows = leaf(4, 2) * 1
    result = multiply(torch.arange(3.0), rows[:3])
    rows[:] = 5  # the gradient of the rows does not read them
    result.sum().backward()


def test_a_factor_that_a_gradient_needs_must_not_change():
    weights, rows = leaf(3), torch.ones(3, 2)
    result = weights @ rows
    rows[:] = 7
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()
