"""Options and errors of gradcheck."""
import pytest

import torch_np as torch
from torch_np.autograd import Function, GradcheckError, gradcheck, gradgradcheck


class Scaled(Function):
    """The identity, with a gradient that a function of the output gradient gives."""

    @staticmethod
    def forward(ctx, x, gradient):
        ctx.gradient = gradient
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return ctx.gradient(g), None


def x(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def test_gradient_that_is_not_zero_where_that_of_the_output_is():
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(lambda a: Scaled.apply(a, lambda g: g + 0.01), x(1.0, 2.0))
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(lambda a: Scaled.apply(a, lambda g: g + 0.01), x(1.0), atol=0.1, check_undefined_grad=False)


def test_gradient_that_differs_between_passes():
    jitter = iter(range(1, 1000))
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(lambda a: Scaled.apply(a, lambda g: g * (1 + 1e-9 * next(jitter))), x(1.0))
    assert gradcheck(lambda a: Scaled.apply(a, lambda g: g * (1 + 1e-9 * next(jitter))), x(1.0), nondet_tol=1e-5)


def test_imaginary_part_is_named():
    with pytest.raises(GradcheckError, match="While considering the imaginary part of complex outputs only, Jacobian mismatch for output 0"):
        gradcheck(lambda a: Scaled.apply(a, lambda g: g + 0.01), x(1 + 1j, dtype=torch.complex128))
    assert gradcheck(lambda a: Scaled.apply(a, lambda g: g), x(1 + 1j, dtype=torch.complex128))


def test_only_differentiable_outputs_are_compared():
    assert gradcheck(lambda a: (a * a, a.detach() * 3), x(1.0, 2.0))
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda a: a.detach() * 3, x(1.0, 2.0))
    assert not gradcheck(lambda a: a.detach() * 3, x(1.0, 2.0), raise_exception=False)
    assert gradcheck(lambda a: (), x(1.0))
    assert gradcheck(lambda a: torch.ones(2, dtype=torch.float64), x(1.0))


@pytest.mark.parametrize("word, function", [
    ("shape", lambda a: torch.cat([a, a]) if a.item() >= 1 else a), ("dtype", lambda a: a.float() if a.item() >= 1 else a)])
def test_outputs_whose_kind_depends_on_values(word, function):
    with pytest.raises(AssertionError, match=f"return outputs with the same {word} when inputs are perturbed"):
        gradcheck(function, x(1.0), raise_exception=False, check_undefined_grad=False)


def test_inputs_whose_elements_share_memory():
    with pytest.raises(RuntimeError, match="The 1th input has a dimension with stride 0"):
        gradcheck(torch.add, (x(1.0), x(1.0).expand(2, 2)), raise_exception=False)


class Pair(Function):
    """Two copies; its backward gets None for an output that was not used."""

    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(False)
        return a.clone(), a.clone()

    @staticmethod
    def backward(ctx, g, h):
        return g if h is None else h if g is None else g + h


@pytest.mark.parametrize("check_undefined_grad, calls", [(True, 3), (False, 0)])
def test_outputs_without_a_gradient(check_undefined_grad, calls):
    seen = []
    assert gradcheck(lambda a: seen.append(a) or Pair.apply(a), x(1.0), check_undefined_grad=check_undefined_grad)
    assert len(seen) == 3 + calls  # the outputs, and two sides of a difference


def test_input_without_a_tangent():
    seen = []

    class Sum(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def jvp(ctx, s, t):
            seen.append((s is None, t is None))
            return s + t

    assert gradcheck(Sum.apply, (x(1.0), x(2.0)), check_forward_ad=True, check_backward_ad=False)
    assert len(seen) == 6

    def wrong(a, b):
        tangent = torch.autograd.forward_ad.unpack_dual(b).tangent
        return a * (1.0 if tangent is not None else 2.0)

    with pytest.raises(GradcheckError, match="undefined tangent|forward mode mismatch"):
        gradcheck(wrong, (x(1.0), x(2.0)), check_forward_ad=True, check_backward_ad=False)


def test_batches_of_tangents():
    assert gradcheck(torch.sin, x(1.0, 2.0), check_forward_ad=True, check_batched_forward_grad=True)
    assert gradgradcheck(torch.sin, x(1.0, 2.0), check_fwd_over_rev=True)


def test_inputs_keep_their_versions():
    a = x(1.0, 2.0)
    y = (a * a).sum()
    assert gradcheck(torch.sin, a, check_batched_grad=True)
    y.backward()
    assert a.grad.tolist() == [2.0, 4.0]
