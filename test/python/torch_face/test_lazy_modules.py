"""Modules whose shapes come later, parametrised and pruned modules: states, copies, hooks."""
import copy
import pickle

import pytest

import torch_np as torch
from torch_np import nn
from torch_np.nn.utils import parametrizations, parametrize, prune, skip_init


def network():
    return nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(3))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_of_lazy_modules_are_lazy(copied):
    x = torch.randn(2, 3, 8, 8)
    m = network()
    other = copied(m)
    assert m(x).shape == other(x).shape == (2, 3)
    assert type(other[0]) is nn.Conv2d and type(other[1]) is nn.BatchNorm2d and not other[0]._forward_pre_hooks


def test_lazy_modules_load_and_save_states():
    x = torch.randn(2, 3, 8, 8)
    lazy, ready = network(), network()
    assert all(nn.parameter.is_lazy(v) for k, v in lazy.state_dict().items() if "num_batches" not in k)
    ready(x)
    lazy.load_state_dict(ready.state_dict())
    assert torch.equal(lazy.eval()(x), ready.eval()(x)) and type(lazy[4]) is nn.Linear
    with pytest.raises(RuntimeError, match="uninitialized parameter"):
        ready.load_state_dict(network().state_dict())


def test_lazy_modules_change_dtype_and_device():
    m = network().double()
    assert m(torch.randn(2, 3, 8, 8, dtype=torch.float64)).dtype == torch.float64
    assert m[1].running_mean.dtype == torch.float64
    assert str(nn.LazyLinear(2).weight.device) == "cpu"


def test_uninitialized_tensors_give_no_values():
    w = nn.LazyLinear(3).weight
    with pytest.raises(RuntimeError, match="Can't access the shape"):
        w.shape  # noqa: B018
    with pytest.raises(RuntimeError, match="meta"):
        w.sum().item()
    w.materialize((2, 3), dtype=torch.float64)
    assert type(w) is nn.Parameter and w.shape == (2, 3) and w.dtype == torch.float64 and w.requires_grad
    with pytest.raises(RuntimeError, match="has not been fully initialized"):
        class Never(nn.modules.lazy.LazyModuleMixin, nn.Linear):
            def initialize_parameters(self, input):
                self.bias = nn.UninitializedParameter()
        Never(2, 2)(torch.ones(1, 2))


def test_registration_hooks_may_replace_values():
    from torch_np.nn.modules import module
    seen = []
    handles = [register(lambda m, name, value: seen.append(name)) for register in (
        module.register_module_parameter_registration_hook, module.register_module_buffer_registration_hook,
        module.register_module_module_registration_hook)]
    handles.append(module.register_module_parameter_registration_hook(lambda m, name, value: nn.Parameter(value * 0)))
    m = nn.Sequential(nn.Linear(1, 1, bias=False))
    m.register_buffer("b", torch.ones(1))
    for handle in handles:
        handle.remove()
    nn.Linear(1, 1)
    assert seen == ["weight", "0", "b"] and module._addindent("a\nb", 2) == "a\n  b"


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)

    def right_inverse(self, a):
        return a.triu()


def test_parametrised_modules():
    m = nn.Linear(3, 3)
    parametrize.register_parametrization(m, "weight", Symmetric())
    assert type(m).__name__ == "ParametrizedLinear" and parametrize.type_before_parametrizations(m) is nn.Linear
    assert torch.equal(m.weight, m.weight.T) and "parametrizations.weight.original" in m.state_dict()
    m.weight = torch.full((3, 3), 2.0)
    assert m.weight.tolist() == [[2.0] * 3] * 3
    other = copy.deepcopy(m)
    with torch.no_grad():
        other.parametrizations.weight.original.fill_(5.0)
    assert m.weight[0, 0] == 2 and other.weight[0, 0] == 5
    with parametrize.cached():
        assert m.weight is m.weight
    assert m.weight is not m.weight
    m(torch.ones(2, 3)).sum().backward()
    assert m.parametrizations.weight.original.grad is not None
    with pytest.raises(RuntimeError, match="state_dict"):
        pickle.dumps(m)
    parametrize.remove_parametrizations(m, "weight")
    assert type(m) is nn.Linear and isinstance(m.weight, nn.Parameter) and m.weight[0, 0] == 2
    with pytest.raises(ValueError, match="shape"):
        parametrize.register_parametrization(nn.Linear(2, 3), "weight", nn.Flatten(0))


def test_older_states_of_weight_norm_load():
    old = nn.utils.weight_norm(nn.Linear(4, 3))
    new = parametrizations.weight_norm(nn.Linear(4, 3))
    new.load_state_dict(old.state_dict())
    x = torch.randn(2, 4)
    assert torch.allclose(new(x), old(x), atol=1e-6)


@pytest.mark.parametrize("kind", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (3, 3)])
def test_orthogonal_weights(kind, shape):
    m = parametrizations.orthogonal(nn.Linear(shape[1], shape[0], dtype=torch.float64), orthogonal_map=kind)
    w = m.weight
    product = w @ w.T if shape[0] <= shape[1] else w.T @ w
    assert torch.allclose(product, torch.eye(3, dtype=torch.float64), atol=1e-10)


def test_pruned_modules_train():
    m = nn.Linear(4, 3)
    prune.l1_unstructured(m, "weight", 6)
    m(torch.ones(1, 4)).sum().backward()
    assert ((m.weight_orig.grad == 0) == (m.weight_mask == 0)).all() and prune.is_pruned(m)
    prune.ln_structured(m, "weight", 1, 2, 0)
    assert len(list(m._forward_pre_hooks.values())[0]) == 2
    prune.remove(m, "weight")
    assert sorted(m.state_dict()) == ["bias", "weight"] and not prune.is_pruned(m)
    for amount, error in ((-1, ValueError), ("a", TypeError), (1.5, ValueError), (100, ValueError)):
        with pytest.raises(error):
            prune.l1_unstructured(nn.Linear(2, 2), "weight", amount)


def test_skip_init_and_sync_batch_norm_of_one_process():
    m = skip_init(nn.Linear, 3, 4)
    assert m.weight.shape == (4, 3) and str(m.weight.device) == "cpu"
    with pytest.raises(RuntimeError, match="Expected a Module"):
        skip_init(int)
    plain = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 3))
    synced = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(plain))
    x = torch.randn(5, 3)
    assert type(synced[0]) is nn.SyncBatchNorm and torch.equal(synced(x), plain(x))


def test_states_have_pytorchs_layout():
    m = nn.LSTM(3, 4)
    m.register_forward_pre_hook(print, with_kwargs=True)
    state = m.__getstate__()
    assert type(state["_forward_pre_hooks"]).__name__ == "OrderedDict" and state["_forward_pre_hooks_with_kwargs"]
    assert state["_flat_weights_names"][0] == "weight_ih_l0"
    again = nn.LSTM.__new__(nn.LSTM)
    again.__setstate__(state)
    assert again._forward_pre_hooks.has(next(iter(again._forward_pre_hooks)), "with_kwargs")
    assert nn.MultiheadAttention.__module__ == "torch_np.nn.modules.activation"
