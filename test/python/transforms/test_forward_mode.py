"""Duals: levels, parts, operators in place, views, other transformations, printing."""
import math

import pytest

import torch_np as torch
from torch_np.autograd import forward_ad as fwAD


def dual_of(values, tangent):
    return fwAD.make_dual(torch.tensor(values, dtype=torch.float64), torch.tensor(tangent, dtype=torch.float64))


def tangent_of(x):
    return fwAD.unpack_dual(x).tangent


def test_a_tangent_goes_along_with_operators():
    with fwAD.dual_level():
        x = dual_of([1.0, 2.0], [1.0, 10.0])
        y, t = fwAD.unpack_dual((x * x).sin())
        assert y.tolist() == [math.sin(1), math.sin(4)]
        assert t.tolist() == pytest.approx([2 * math.cos(1), 40 * math.cos(4)])


def test_tensors_without_a_tangent_have_none():
    with fwAD.dual_level():
        x = torch.ones(2)
        assert tangent_of(x * 2) is None and tangent_of(dual_of([1.0], [1.0]) > 0) is None
        assert tangent_of(torch.zeros_like(dual_of([1.0], [1.0]))) is None


def test_duals_become_tensors_at_the_end_of_their_level():
    with fwAD.dual_level():
        x = dual_of([1.0, 2.0], [1.0, 1.0])
        y = x * 3
    assert y.tolist() == [3.0, 6.0] and (y + 1).tolist() == [4.0, 7.0] and tangent_of(y) is None


def test_levels_do_not_nest_by_dual_level():
    with fwAD.dual_level() as level:
        assert level == 0 and fwAD._current_level == 0
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported at the moment"):
            fwAD.enter_dual_level()
    assert fwAD._current_level == -1
    with pytest.raises(RuntimeError, match="not the last one"):
        fwAD.exit_dual_level()
    with pytest.raises(RuntimeError, match="no level exists"):
        fwAD.make_dual(torch.ones(1), torch.ones(1))


@pytest.mark.parametrize(("primal", "tangent", "error", "says"), [
    (torch.ones(2), torch.ones(3), RuntimeError, "Trying to set a forward gradient that has a different size"),
    (torch.ones(2), torch.ones(2, dtype=torch.long), ValueError, "Expected tangent to be floating point or complex"),
    (torch.ones(2, dtype=torch.long), torch.ones(2), ValueError, "Expected primal to be floating point or complex"),
    (torch.ones(2), torch.ones(2, dtype=torch.float64), RuntimeError, "dtype"),
])
def test_tangents_fit_their_primals(primal, tangent, error, says):
    with fwAD.dual_level(), pytest.raises(error, match=says):
        fwAD.make_dual(primal, tangent)


def test_a_tangent_is_used_as_it_is():
    primal, tangent = torch.ones(2), torch.ones(2)
    with fwAD.dual_level():
        x = fwAD.make_dual(primal, tangent)
        assert tangent_of(x) is tangent
        x *= 2
        assert primal.tolist() == [2.0, 2.0] and tangent.tolist() == [2.0, 2.0]
        with pytest.raises(RuntimeError, match="has a forward gradient at the same level"):
            fwAD.make_dual(torch.ones(2), x)


def test_views_share_their_tangent():
    with fwAD.dual_level():
        x = dual_of([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]) * 1
        row = x.t()[1]
        row.mul_(10)
        assert tangent_of(x).tolist() == [[1.0, 0.0], [0.0, 10.0]]
        x[0] = 0
        assert tangent_of(row).tolist() == [0.0, 10.0]


@pytest.mark.parametrize("change", [
    lambda x, y: x.add_(y), lambda x, y: x.mul_(y), lambda x, y: x.copy_(y), lambda x, y: x.sub_(y, alpha=2), lambda x, y: x.div_(y),
    lambda x, y: x.addcmul_(y, y), lambda x, y: x.lerp_(y, 0.25), lambda x, y: x.clamp_(min=0.5), lambda x, y: x.zero_(), lambda x, y: x.sin_(),
    lambda x, y: x.index_add_(0, torch.tensor([1, 1]), y[:2]), lambda x, y: x.masked_fill_(y > 1, 3), lambda x, y: x.__setitem__(1, y[0] * y[1]),
    lambda x, y: x.scatter_(0, torch.tensor([2, 0]), y[1:]), lambda x, y: x.index_put_((torch.tensor([0, 2]),), y[:2], accumulate=True)])
@pytest.mark.parametrize("which", ["both", "other"])
def test_operators_in_place(change, which):
    """Against central differences; the changed tensor has a tangent before, or gets one."""
    a, b = torch.tensor([0.3, 0.9, 1.7], dtype=torch.float64), torch.tensor([1.2, 0.7, 1.4], dtype=torch.float64)
    s, t = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64), torch.tensor([1.5, 1.0, -0.5], dtype=torch.float64)

    def value(step):
        x, y = a + (step * s if which == "both" else 0), b + step * t
        change(x, y)
        return x
    expected = (value(1e-6) - value(-1e-6)) / 2e-6
    with fwAD.dual_level():
        x = fwAD.make_dual(a.clone(), s.clone()) if which == "both" else a.clone()
        change(x, fwAD.make_dual(b.clone(), t.clone()))
        found = fwAD.unpack_dual(x)
        assert torch.equal(found.primal, value(0))
        assert torch.allclose(torch.zeros(3, dtype=torch.float64) if found.tangent is None else found.tangent, expected, atol=1e-8)


def test_a_view_of_a_tensor_that_gets_a_tangent():
    with fwAD.dual_level():
        out = torch.zeros(2, 3)
        out[1] = fwAD.make_dual(torch.ones(3), torch.arange(3.0))
        assert tangent_of(out).tolist() == [[0.0, 0.0, 0.0], [0.0, 1.0, 2.0]]
        assert tangent_of(out * 2).tolist() == [[0.0, 0.0, 0.0], [0.0, 2.0, 4.0]]
    assert out.tolist() == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]


def test_other_views_of_a_tensor_that_gets_a_tangent():
    out = torch.zeros(2, 3)
    first, last, apart = out[0], out[:, 2], out.detach()
    with fwAD.dual_level():
        out[1][2] = fwAD.make_dual(torch.tensor(1.0), torch.tensor(5.0))
        assert tangent_of(first).tolist() == [0.0, 0.0, 0.0] and tangent_of(last).tolist() == [0.0, 5.0] and tangent_of(apart) is None
        assert tangent_of(out.sum()).item() == 5.0
    assert last.tolist() == [0.0, 1.0] and apart[1].tolist() == [0.0, 0.0, 1.0]


def test_out_is_refused():
    with fwAD.dual_level(), pytest.raises(RuntimeError, match="out= function"):
        torch.add(dual_of([1.0], [1.0]), 1, out=torch.zeros(1, dtype=torch.float64))


def test_detach_drops_the_tangent():
    with fwAD.dual_level():
        x = dual_of([2.0], [1.0])
        assert tangent_of(x.detach()) is None and tangent_of(x.data) is None
        assert tangent_of(x * x.detach()).tolist() == [2.0]


def test_values_come_from_the_primal():
    with fwAD.dual_level():
        x = dual_of([2.0], [1.0])
        assert x.item() == 2.0 and float(x) == 2.0 and bool(x > 1) and "tangent=tensor([1." in str(x)
        assert str(x).startswith("tensor([2.]")


def test_backward_through_tangents():
    a = torch.tensor([0.5, 2.0], requires_grad=True)
    b = torch.tensor([1.0, 3.0], requires_grad=True)
    with fwAD.dual_level():
        y, t = fwAD.unpack_dual(fwAD.make_dual(a, b).pow(3))
    of_a, of_b = torch.autograd.grad(t.sum(), (a, b))
    assert of_b.tolist() == pytest.approx([0.75, 12.0]) and of_a.tolist() == pytest.approx([3.0, 36.0])


def test_no_grad_and_fwd_grad_are_apart():
    with fwAD.dual_level():
        x = dual_of([2.0], [1.0])
        with torch.no_grad():
            assert tangent_of(x * 3).tolist() == [3.0]
        with fwAD._set_fwd_grad_enabled(False):
            assert not fwAD._is_fwd_grad_enabled() and tangent_of(x * 3) is None
        assert fwAD._is_fwd_grad_enabled()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g

    @staticmethod
    def jvp(ctx, t):
        return 3 * ctx.saved_tensors[0] ** 2 * t


def test_functions_of_users():
    x = torch.tensor(3.0)
    one = torch.tensor(1.0)
    assert torch.func.jvp(Cube.apply, (x,), (one,))[1].item() == 27.0
    assert torch.func.jvp(torch.func.grad(Cube.apply), (x,), (one,))[1].item() == 18.0
    assert torch.func.grad(lambda x: torch.func.jvp(Cube.apply, (x,), (one,))[1])(x).item() == 18.0
    assert torch.func.jvp(lambda x: torch.func.jvp(Cube.apply, (x,), (one,))[1], (x,), (one,))[1].item() == 18.0


def test_functions_of_users_without_jvp():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2
    with fwAD.dual_level(), pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        Double.apply(dual_of([1.0], [1.0]))


def test_a_function_in_place_changes_the_tangent():
    class Halved(Doubled):
        @staticmethod
        def jvp(ctx, t):
            return t, None
    with fwAD.dual_level(), pytest.raises(RuntimeError, match="jvp function must modify the corresponding gradient inplace"):
        Halved.apply(dual_of([1.0], [1.0]))


class Doubled(torch.autograd.Function):
    """Doubles its argument in place, and returns another result that has no derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        ones = torch.ones_like(x)
        ctx.mark_non_differentiable(ones)
        ctx.save_for_backward(x)
        return x, ones

    @staticmethod
    def backward(ctx, g, _):
        return 2 * g * ctx.saved_tensors[0].cos() / ctx.saved_tensors[0].cos()

    @staticmethod
    def jvp(ctx, t):
        return t.mul_(2), None


def test_functions_of_users_in_place():
    a, b = torch.tensor([0.5, 2.0], requires_grad=True), torch.tensor([1.0, 3.0])
    for grads in (True, False):
        with fwAD.dual_level():
            x = fwAD.make_dual(a if grads else a.detach().clone(), b.clone())
            y, ones = Doubled.apply(x * 1)
            assert tangent_of(y).tolist() == [2.0, 6.0] and tangent_of(ones) is None
            z = y * y
            assert tangent_of(z).tolist() == [4.0, 48.0]
            if grads:
                g, = torch.autograd.grad(z.sum(), a)
                assert fwAD.unpack_dual(g).primal.tolist() == [4.0, 16.0] and tangent_of(g).tolist() == [8.0, 24.0]


def test_duals_carry_the_history_of_their_primal():
    a = torch.tensor([0.5, 2.0], requires_grad=True)
    with fwAD.dual_level():
        x = fwAD.make_dual(a, torch.tensor([1.0, 3.0]))
        assert x.requires_grad
        y = (x ** 3).sum()
        g, = torch.autograd.grad(y, x, create_graph=True)
        assert tangent_of(g).tolist() == [3.0, 36.0]
        y.backward()
        assert tangent_of(a.grad).tolist() == [3.0, 36.0]
    assert a.grad.tolist() == [0.75, 12.0]


def test_compiled_derivatives_replay():
    def f(x):
        return torch.tanh(x * x).sum() * x.exp()
    x, t = torch.tensor([0.3, 0.7]), torch.tensor([1.0, -1.0])
    compiled = torch.compile(lambda x, t: torch.func.jvp(f, (x,), (t,)))
    for scale in (1, 2, 3):
        for a, b in zip(compiled(scale * x, t), torch.func.jvp(f, (scale * x,), (t,))):
            assert torch.allclose(a, b)


def test_derivatives_of_batches_and_batches_of_derivatives():
    def f(x):
        return torch.tanh(x * x).sum() * x.exp()
    x, t = torch.tensor([[0.3, 0.7], [1.0, -0.5]], dtype=torch.float64), torch.tensor([[1.0, -1.0], [0.5, 2.0]], dtype=torch.float64)
    each = torch.stack([torch.func.jvp(f, (x[i],), (t[i],))[1] for i in range(2)])
    assert torch.allclose(torch.func.jvp(torch.vmap(f), (x,), (t,))[1], each)
    assert torch.allclose(torch.vmap(lambda x, t: torch.func.jvp(f, (x,), (t,))[1])(x, t), each)
    hessian = torch.func.hessian(lambda x: f(x).sum())
    assert torch.allclose(torch.vmap(hessian)(x), torch.stack([hessian(x[i]) for i in range(2)]))


@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers(layer):
    torch.manual_seed(0)
    net = getattr(torch.nn, layer)(3, 4).double()
    x, t = torch.randn(5, 2, 3, dtype=torch.float64), torch.randn(5, 2, 3, dtype=torch.float64)
    expected = (net(x + 1e-6 * t)[0] - net(x - 1e-6 * t)[0]) / 2e-6
    assert torch.allclose(torch.func.jvp(lambda x: net(x)[0], (x,), (t,))[1], expected, atol=1e-8)


def test_nested_derivatives():
    def f(x):
        return x.sin() * x
    x, one = torch.tensor(0.7, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64)

    def first(x):
        return torch.func.jvp(f, (x,), (one,))[1]
    second = 2 * math.cos(0.7) - 0.7 * math.sin(0.7)
    assert torch.func.jvp(first, (x,), (one,))[1].item() == pytest.approx(second)
    assert torch.func.grad(first)(x).item() == pytest.approx(second)
    assert torch.func.jvp(torch.func.grad(f), (x,), (one,))[1].item() == pytest.approx(second)
    third = -3 * math.sin(0.7) - 0.7 * math.cos(0.7)
    assert torch.func.jvp(torch.func.grad(first), (x,), (one,))[1].item() == pytest.approx(third)


def test_inner_and_outer_tangents_are_told_apart():
    """d/dx (x * d/dy (x + y)) is 1."""
    one = torch.tensor(1.0)
    found = torch.func.jvp(lambda x: x * torch.func.jvp(lambda y: x + y, (one,), (one,))[1], (torch.tensor(5.0),), (one,))
    assert found[1].item() == 1.0


def test_jacobians_agree():
    def f(x):
        return torch.stack([x.prod(), x.sin().sum(), x[0] / x[2]])
    x = torch.tensor([0.5, 1.5, 2.5], dtype=torch.float64)
    assert torch.allclose(torch.func.jacfwd(f)(x), torch.func.jacrev(f)(x))
    from torch_np.autograd.functional import jacobian
    assert torch.allclose(jacobian(f, x, vectorize=True, strategy="forward-mode"), torch.func.jacrev(f)(x))
    h = torch.func.hessian(lambda x: x.prod().exp())(x)
    assert torch.allclose(h, h.T)
    p = 1.875
    assert h[0, 1].item() == pytest.approx(math.exp(p) * (2.5 + p * 2.5))


def test_linearize():
    x = torch.tensor([0.5, 1.5], dtype=torch.float64)
    value, product = torch.func.linearize(torch.sin, x)
    assert torch.equal(value, x.sin()) and torch.allclose(product(torch.tensor([1.0, 2.0], dtype=torch.float64)), x.cos() * torch.tensor([1.0, 2.0]))
    with pytest.raises(RuntimeError, match="doesn't match the shape"):
        product(torch.ones(3, dtype=torch.float64))


def test_strict_and_aux():
    x = torch.ones(2)
    assert torch.func.jvp(lambda x: torch.ones(3), (x,), (x,))[1].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(RuntimeError, match="independent of the inputs"):
        torch.func.jvp(lambda x: torch.ones(3), (x,), (x,), strict=True)
    value, product, aux = torch.func.jvp(lambda x: (x * 2, x * 3), (x,), (x,), has_aux=True)
    assert product.tolist() == [2.0, 2.0] and aux.tolist() == [3.0, 3.0]


def test_batches_of_tangents_are_written_into_new_tensors():
    def f(x):
        y = torch.zeros(2, 3, dtype=x.dtype)
        y[0, 0] = x[1] * 2
        y[1] = x ** 2
        y.t()[2] += x[2]
        return y
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    assert torch.equal(torch.func.jacfwd(f)(x), torch.func.jacrev(f)(x))
    assert torch.equal(torch.func.jacfwd(torch.func.jacfwd(f))(x), torch.func.jacrev(torch.func.jacrev(f))(x))


def test_strides_and_offsets():
    def f(x):
        return x[2:].as_strided((2, 2), (1, 1), x[2:].storage_offset() + 1) * 3
    x = torch.arange(8.0)
    value, tangent = torch.func.jvp(f, (x,), (10 * x,))
    assert value.tolist() == [[9.0, 12.0], [12.0, 15.0]] and torch.equal(tangent, 10 * value)


def test_results_of_integer_dtype_have_no_tangent():
    with fwAD.dual_level():
        x = dual_of([1.7, 2.2], [1.0, 1.0])
        assert tangent_of(x.long()) is None and tangent_of(x.argmax()) is None and tangent_of(x.sort().indices) is None
        assert tangent_of(x[x.long() - 1]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("operator", [torch.igamma, lambda x, y: torch.special.zeta(x, y)])
def test_missing_derivatives_name_the_operator(operator):
    x = torch.tensor([1.5, 2.5])
    with fwAD.dual_level(), pytest.raises(NotImplementedError, match=r"Trying to use forward AD with \w+ that does not support it"):
        operator(fwAD.make_dual(x, x), fwAD.make_dual(x, x))
