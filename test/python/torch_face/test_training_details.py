"""Optimisers, schedules and modules: details that programs for PyTorch meet."""
import collections
import pickle
import warnings

import pytest

import torch_np as torch
from torch_np import nn, optim
from torch_np.nn.utils import prune
from torch_np.optim import lr_scheduler


@pytest.fixture
def swapping():
    torch.__future__.set_swap_module_params_on_conversion(True)
    yield
    torch.__future__.set_swap_module_params_on_conversion(False)


@pytest.fixture
def overwriting():
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    yield
    torch.__future__.set_overwrite_module_params_on_conversion(False)


def layer_with_gradient():
    layer = nn.Linear(2, 3)
    layer(torch.ones(4, 2)).sum().backward()
    return layer


def test_swapped_parameters_keep_their_objects(swapping):
    layer = layer_with_gradient()
    weight, grad = layer.weight, layer.weight.grad
    values = weight.tolist()
    layer.double()
    assert layer.weight is weight and weight.grad is grad
    assert weight.dtype == grad.dtype == torch.float64 and weight.tolist() == values
    other = nn.Linear(2, 3).double()
    layer.load_state_dict(other.state_dict())
    assert layer.weight is weight and isinstance(weight, nn.Parameter) and torch.equal(weight, other.weight)


def test_overwritten_parameters_are_new_objects(overwriting):
    layer = layer_with_gradient()
    weight, grad = layer.weight, layer.weight.grad
    layer.double()
    assert layer.weight is not weight and weight.dtype == torch.float32 and grad.dtype == torch.float32
    assert layer.weight.dtype == layer.weight.grad.dtype == torch.float64


def test_meta_parameters_warn_when_values_are_loaded():
    layer = nn.Linear(2, 3, device="meta")
    with pytest.warns(UserWarning, match="for weight: copying from a non-meta parameter"):
        layer.load_state_dict(nn.Linear(2, 3).state_dict())


def test_backward_hooks_keep_named_tuples():
    pair = collections.namedtuple("pair", "first second")

    class Twice(nn.Module):
        def forward(self, x):
            return pair(x, 2 * x)
    module = Twice()
    module.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    result = module(torch.ones(2, requires_grad=True))
    assert isinstance(result, pair) and result.second.tolist() == [2, 2]


def test_hooks_cannot_make_gradients_of_inputs_without_one():
    layer = nn.Linear(2, 3)
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: torch.ones(1, 2))
    with pytest.raises(RuntimeError, match="where no input requires gradient"):
        layer(torch.ones(1, 2)).sum().backward()


def test_handles_know_their_tables():
    layer = nn.Linear(2, 3)
    handle = layer.register_forward_hook(lambda *args: None)
    assert handle.id in handle.hooks_dict_ref()
    handle.remove()
    assert not handle.hooks_dict_ref()


def test_an_assignment_removes_the_hooks_of_all_modules():
    calls = []
    nn.modules.module.register_module_forward_hook(lambda *args: calls.append(1))
    nn.modules.module._global_forward_hooks = collections.OrderedDict()
    nn.Identity()(torch.ones(1))
    assert not calls


def test_lazy_modules_without_parameters_are_pickled():
    module = pickle.loads(pickle.dumps(nn.LazyInstanceNorm1d()))
    module(torch.ones(2, 3, 4))
    assert type(module) is nn.InstanceNorm1d
    module = nn.LazyInstanceNorm1d(track_running_stats=True)
    module(torch.ones(2, 3, 4))
    assert pickle.loads(pickle.dumps(module)).running_mean.shape == (3,)


def test_uninitialised_buffers_cannot_be_shared():
    module = nn.Module()
    module.register_buffer("b", nn.UninitializedBuffer())
    with pytest.raises(RuntimeError, match="share memory on an uninitialized"):
        module.share_memory()


def test_pruned_weights_of_recurrent_layers():
    layer = nn.LSTM(3, 4)
    prune.l1_unstructured(layer, "weight_ih_l0", 0.5)
    assert (layer._flat_weights[0] == 0).sum() == layer.weight_ih_l0.numel() // 2
    assert layer(torch.ones(2, 1, 3))[0].shape == (2, 1, 4)


def test_names_of_parameters_are_loaded():
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    unnamed, named = optim.SGD([a], lr=0.1), optim.SGD([("b", b)], lr=0.2)
    unnamed.load_state_dict(named.state_dict())
    assert unnamed.state_dict()["param_groups"][0]["param_names"] == ["b"]
    with pytest.raises(ValueError, match="cannot add param group with names"):
        optim.SGD([a], lr=0.1).add_param_group({"params": [("b", b)]})


def test_checks_of_optimisers():
    p = torch.ones(1, requires_grad=True)
    with pytest.warns(FutureWarning, match="ordered collections"):
        optim.SGD({p}, lr=0.1)
    with pytest.raises(ValueError, match="Invalid lambd value: -1"):
        optim.ASGD([p], lambd=-1)
    meta = torch.ones(1, device="meta", requires_grad=True)
    meta.grad = torch.ones(1, device="meta")
    with pytest.raises(RuntimeError, match="requires all the params to be floating point Tensors"):
        optim.SGD([meta], lr=0.1, fused=True).step()


def test_schedules_copy_rates_that_are_tensors():
    lr, top = torch.tensor(0.1), torch.tensor(0.05)
    made = optim.SGD([torch.ones(1, requires_grad=True)], lr=lr)
    optim.swa_utils.SWALR(made, swa_lr=top)
    top.mul_(0.5)
    assert made.param_groups[0]["swa_lr"].item() == pytest.approx(0.05)


def test_states_of_cycles():
    made = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    cyclic = lr_scheduler.CyclicLR(made, 0.1, 0.5, mode="exp_range", gamma=0.5, cycle_momentum=False)
    assert cyclic.scale_fn(2) == 0.25 and "_scale_fn_ref" not in pickle.loads(pickle.dumps(cyclic.state_dict()))
    once = lr_scheduler.OneCycleLR(made, 1.0, total_steps=10, cycle_momentum=False)
    del once._anneal_func_type
    once.load_state_dict({**once.state_dict(), "anneal_func": lr_scheduler.OneCycleLR._annealing_linear})
    made.step()
    once.step()
    assert once.get_last_lr()[0] == pytest.approx(0.52)


def test_warnings_of_schedules_name_the_documentation():
    made = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        lr_scheduler.StepLR(made, 1).step()
    assert "how-to-adjust-learning-rate" in str(seen[0].message)


def test_batches_of_gradients():
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    unused = torch.ones(3, requires_grad=True)
    y = x ** 2
    g, none = torch.autograd.grad(y, (x, unused), torch.eye(2, dtype=torch.float64), is_grads_batched=True, allow_unused=True)
    assert g.tolist() == [[2, 0], [0, 4]] and none is None
    with pytest.raises(RuntimeError, match="one size along their first axis"):
        torch.autograd.grad([x ** 2, x ** 3], x, [torch.ones(1, 2), torch.ones(2, 2)], is_grads_batched=True)
    assert torch.autograd.gradcheck(lambda x: x ** 3, x, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: x ** 3, x, check_batched_grad=True)


@pytest.mark.parametrize("forward,inverse,message", [
    (lambda x: x[:-1], None, "may not change the shape"), (lambda x: x.bool(), None, "may not change the dtype"),
    (lambda x: x, lambda x: (x, x), "right_inverse must return a tensor"), (lambda x: x, lambda x: x.bool(), "must have the same dtype"),
    (lambda x: x, lambda x: x[:-1], "must have the same shape")])
def test_errors_of_further_parametrisations(forward, inverse, message):
    class Parametrization(nn.Module):
        pass
    Parametrization.forward = staticmethod(forward)
    if inverse is not None:
        Parametrization.right_inverse = staticmethod(inverse)
    layer = nn.Linear(3, 4)
    nn.utils.parametrize.register_parametrization(layer, "weight", nn.Identity())
    with pytest.raises(ValueError, match=message):
        nn.utils.parametrize.register_parametrization(layer, "weight", Parametrization())


def test_hooks_are_not_called_in_second_derivatives():
    calls, loss = [], nn.MSELoss()
    loss.register_full_backward_hook(lambda *args: calls.append(1))
    x = torch.ones(1, requires_grad=True)
    first, = torch.autograd.grad(loss(x, torch.zeros(1)), x, create_graph=True)
    torch.autograd.grad(first, x)
    assert calls == [1]
