"""torch_np.distributed.checkpoint.state_dict, and modules wrapped for checkpoints: against the states of the bare network."""
import functools

import pytest

import torch_np as torch
from torch_np import nn
from torch_np.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl, CheckpointWrapper, OffloadWrapper, apply_activation_checkpointing, checkpoint_wrapper, offload_wrapper,
)
from torch_np.distributed.checkpoint.state_dict import (
    StateDictOptions, get_model_state_dict, get_optimizer_state_dict, get_state_dict, set_model_state_dict, set_optimizer_state_dict,
    set_state_dict,
)
from torch_np.distributed.fsdp.wrap import CustomPolicy, ModuleWrapPolicy, enable_wrap, size_based_auto_wrap_policy, wrap

X = torch.linspace(-1, 1, 6).reshape(2, 3)


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU()), nn.Linear(4, 2))


def kinds(net):
    return [type(m).__name__ for m in net.modules()]


def gradients(net):
    net.zero_grad()
    net(X).sum().backward()
    return [p.grad for p in net.parameters()]


@pytest.mark.parametrize("kind", list(CheckpointImpl))
def test_wrapped_modules(kind):
    net, bare = network(), network()
    apply_activation_checkpointing(net, functools.partial(checkpoint_wrapper, checkpoint_impl=kind), lambda m: isinstance(m, nn.Linear))
    assert kinds(net).count("CheckpointWrapper") == 3 and isinstance(net[1][0], CheckpointWrapper)
    inputs = X.clone().requires_grad_()  # a reentrant checkpoint needs an input with a gradient
    net(inputs).sum().backward()
    for p, want in zip(net.parameters(), gradients(bare)):
        assert torch.equal(p.grad, want)
    assert list(net.state_dict()) == list(bare.state_dict()) and net[0].in_features == 3
    assert not any(net.load_state_dict(bare.state_dict()))
    assert [n for n, _ in net[0].named_parameters()] == ["weight", "bias"]


def test_keywords_of_a_wrapped_module():
    class Scaled(nn.Module):
        def forward(self, x, by=1.0):
            return x * by
    x = torch.ones(2, requires_grad=True)
    checkpoint_wrapper(Scaled(), CheckpointImpl.REENTRANT)(x, by=3.0).sum().backward()
    checkpoint_wrapper(Scaled())(x, by=2.0).sum().backward()
    offload_wrapper(Scaled())(x, by=1.0).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_policies():
    net = network()
    apply_activation_checkpointing(net, auto_wrap_policy=ModuleWrapPolicy({nn.Linear}))
    assert kinds(net).count("CheckpointWrapper") == 3
    net = network()
    apply_activation_checkpointing(net, offload_wrapper, auto_wrap_policy=functools.partial(size_based_auto_wrap_policy, min_num_params=16))
    assert [isinstance(m, OffloadWrapper) for m in (net[0], net[1], net[1][0], net[2])] == [True, False, True, False]
    net = network()
    apply_activation_checkpointing(net, auto_wrap_policy=CustomPolicy(
        lambda m: isinstance(m, nn.ReLU) or (isinstance(m, nn.Sequential) and {"checkpoint_impl": CheckpointImpl.REENTRANT})))
    assert net[1].checkpoint_impl == CheckpointImpl.REENTRANT and net[1][1].checkpoint_impl == CheckpointImpl.NO_REENTRANT
    assert kinds(net).count("CheckpointWrapper") == 2
    with pytest.raises(ValueError, match="Expected 3 to be callable"):
        apply_activation_checkpointing(net, auto_wrap_policy=3)
    with enable_wrap(wrapper_cls=checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT):
        assert wrap(nn.Linear(1, 1)).checkpoint_impl == CheckpointImpl.REENTRANT
    assert type(wrap(nn.Linear(1, 1))) is nn.Linear


@pytest.mark.parametrize("options", [None, StateDictOptions(flatten_optimizer_state_dict=True), StateDictOptions(full_state_dict=True, cpu_offload=True)])
def test_states_of_networks_and_optimizers(options):
    source, target = network(), network()
    source[2] = checkpoint_wrapper(source[2])
    optimizer = torch.optim.Adam([{"params": [source[0].weight], "lr": 0.1}, {"params": [*source[1].parameters(), *source[2].parameters()]}], lr=0.01)
    gradients(source)
    optimizer.step()
    # Other groups, in another order.
    other = torch.optim.Adam([{"params": [target[2].bias, target[2].weight, *target[1].parameters()]}, {"params": [target[0].weight], "lr": 0.3}], lr=0.02)
    model, state = get_state_dict(source, optimizer, options=options)
    assert list(model) == list(target.state_dict())
    if options is None:
        assert [g["params"] for g in state["param_groups"]] == [["0.weight"], ["1.0.weight", "1.0.bias", "2.weight", "2.bias"]]
        assert set(state["state"]["0.weight"]) == {"step", "exp_avg", "exp_avg_sq"}
    elif options.flatten_optimizer_state_dict:
        assert state["param_groups.2.bias.lr"] == 0.01 and "state.1.0.bias.exp_avg" in state
    assert not any(set_state_dict(target, other, model_state_dict=model, optim_state_dict=state, options=options))
    assert [g["lr"] for g in other.param_groups] == [0.01, 0.1]
    for p, q in ((source[0].weight, target[0].weight), (source[2].bias, target[2].bias)):
        assert torch.equal(p, q) and torch.equal(optimizer.state[p]["exp_avg"], other.state[q]["exp_avg"])


def test_states_before_the_first_step_and_of_parts():
    net = network()
    net[0].bias.requires_grad_(False)
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    before = [p.clone() for p in net.parameters()]
    state = get_optimizer_state_dict(net, optimizer)
    assert set(state["state"]) == {"0.weight", "1.0.weight", "1.0.bias", "2.weight", "2.bias"} and optimizer.param_groups[0]["lr"] == 0.1
    assert all(torch.equal(p, q) for p, q in zip(before, net.parameters())) and all(p.grad is None for p in net.parameters())
    assert "0.bias" not in get_model_state_dict(net, options=StateDictOptions(ignore_frozen_params=True))
    assert list(get_model_state_dict(net, submodules={net[2]})) == ["2.weight", "2.bias"]
    assert list(get_model_state_dict(net, submodules={net[2]}, options=StateDictOptions(keep_submodule_prefixes=False))) == ["weight", "bias"]


def test_wrapped_and_shared_parameters():
    compiled = torch.compile(network())
    state = get_model_state_dict(compiled)
    assert list(state) == list(network().state_dict()) and list(compiled.state_dict())[0] == "_orig_mod.0.weight"
    assert not any(set_model_state_dict(compiled, state))
    layer = nn.Linear(2, 2)
    net = nn.Sequential(layer, layer)
    optimizer = torch.optim.Adam(net.parameters())
    model, state = get_state_dict(net, optimizer)
    assert list(model) == ["0.weight", "0.bias", "1.weight", "1.bias"] and state["param_groups"][0]["params"] == ["0.weight", "0.bias"]
    set_state_dict(net, optimizer, model_state_dict=model, optim_state_dict=state)


def test_errors():
    net = network()
    optimizer = torch.optim.Adam(net.parameters())
    with pytest.raises(ValueError, match="full_state_dict must be True"):
        get_model_state_dict(net, options=StateDictOptions(broadcast_from_rank0=True))
    with pytest.raises(RuntimeError, match="Missing key"):
        set_model_state_dict(net, {"x": torch.ones(1)})
    assert set_model_state_dict(net, {"x": torch.ones(1)}, options=StateDictOptions(strict=False)).unexpected_keys == ["x"]
    with pytest.raises(RuntimeError, match="Missing optimizer state for parameter '0.weight'"):
        set_optimizer_state_dict(net, optimizer, {"state": {}, "param_groups": []})
    with pytest.raises(NotImplementedError, match="Flattening optimizer state_dict only supports"):
        optimizer.state[net[0].weight]["name"] = "text"
        get_optimizer_state_dict(net, optimizer, options=StateDictOptions(flatten_optimizer_state_dict=True))
