"""Arguments of `grad` and `backward`, and the words of their errors."""
import warnings

import pytest

import torch_np as torch
from torch_np.autograd import grad
from torch_np.autograd.graph import get_gradient_edge


def test_gradients_of_other_shapes():
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 2
    with pytest.raises(RuntimeError, match=r"grad_output\[0\] has a shape of torch_np.Size\(\[2\]\) and output\[0\] has a shape of torch_np.Size\(\[2, 2\]\)"):
        grad(y, x, torch.ones(2))


@pytest.mark.parametrize("batch", [torch.ones(2, 2), torch.ones(3, 2, 1)])
def test_batches_of_other_shapes(batch):
    x = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="we interpret the first dimension of each grad_output as the batch dimension"):
        grad(x * 2, x, batch, is_grads_batched=True)
    assert grad(x * 2, x, torch.ones(3, 2, 2), is_grads_batched=True)[0].shape == (3, 2, 2)


def test_zeros_of_unused_inputs_can_be_differentiated():
    x, a = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    first = grad(x * a, x, create_graph=True)
    assert grad(first, x, create_graph=True, allow_unused=True) == (None,)
    second = grad(first, x, create_graph=True, materialize_grads=True)
    assert second[0].item() == 0 and second[0].requires_grad
    assert grad(second, x, materialize_grads=True)[0].item() == 0
    assert not grad(x * 2, a, materialize_grads=True)[0].requires_grad


def test_a_gradient_edge_has_no_zeros():
    x, y = (torch.ones(2, requires_grad=True).clone() for _ in range(2))
    out, edge = x.clone(), get_gradient_edge(y)
    assert grad(out.sum(), (x, edge), allow_unused=True)[1] is None
    assert grad(out.sum(), (get_gradient_edge(x), y), materialize_grads=True)[1].tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        grad(out.sum(), (x, edge), materialize_grads=True)


def test_decorated_classes_warn():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        @torch.no_grad()
        class Made:
            def __init__(self):
                self.enabled = torch.is_grad_enabled()
    assert not Made().enabled
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.no_grad()(torch._C.is_grad_enabled)() is False


def test_identity_in_parts():
    parts = torch.autograd.functional._construct_standard_basis_for((torch.ones(1), torch.ones(2, dtype=torch.float64)), (1, 2))
    assert [p.dtype for p in parts] == [torch.float32, torch.float64]
    assert torch.cat([p.double() for p in parts], 1).tolist() == torch.eye(3).tolist()


def test_pytorchs_names_in_the_extension():
    from torch_np._C import _autograd
    assert _autograd.SavedTensor is torch.autograd.SavedTensor and _autograd.DeviceType is torch.autograd.DeviceType
    assert _autograd.ProfilerActivity is torch.profiler.ProfilerActivity and not _autograd.kineto_available()
    _autograd._saved_tensors_hooks_disable("not here")
    try:
        assert not _autograd._saved_tensors_hooks_is_enabled()
        with pytest.raises(RuntimeError, match="not here"), torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
    finally:
        _autograd._saved_tensors_hooks_enable()
    assert _autograd._saved_tensors_hooks_is_enabled()


def test_saved_variables_are_deprecated():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_variables
            return 2 * x * g
    x = torch.tensor([3.0], requires_grad=True)
    with pytest.warns(DeprecationWarning, match="use 'saved_tensors'"):
        Square.apply(x).backward(torch.ones(1))
    assert x.grad.tolist() == [6.0]


def test_numpy_of_a_tensor_that_requires_a_gradient():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad. Use tensor.detach\(\).numpy\(\) instead"):
        x.numpy()
    with torch.no_grad():
        assert x.numpy().tolist() == [1.0, 1.0]
