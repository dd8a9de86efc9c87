"""Optimisers: hooks of all of them, differentiable steps, subclasses without the constructor, other parameters for a while."""
import copy

import pytest

import torch_np as torch
from torch_np import nn, optim
from torch_np.optim import optimizer as base

OPTIONS = [("SGD", {}), ("SGD", dict(momentum=0.9, nesterov=True, weight_decay=0.1)), ("SGD", dict(momentum=0.9, dampening=0.5, maximize=True)),
           ("Adam", dict(weight_decay=0.1)), ("Adam", dict(amsgrad=True)), ("AdamW", dict(maximize=True)), ("NAdam", dict(weight_decay=0.1)),
           ("NAdam", dict(decoupled_weight_decay=True, weight_decay=0.1)), ("RAdam", dict(weight_decay=0.1)),
           ("RAdam", dict(decoupled_weight_decay=True, weight_decay=0.1)), ("Adamax", dict(weight_decay=0.1)), ("Adagrad", dict(lr_decay=0.1)),
           ("Adadelta", {}), ("ASGD", dict(t0=1.0, weight_decay=0.1)), ("RMSprop", dict(momentum=0.9, centered=True)), ("RMSprop", {}),
           ("Rprop", {})]


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("name,options", OPTIONS)
def test_differentiable_steps_are_the_fused_ones(name, options, dtype):
    torch.manual_seed(0)
    start, grads = torch.randn(4, dtype=dtype), [torch.randn(4, dtype=dtype) for _ in range(7)]
    results = []
    for differentiable in (False, True):
        p = start.clone().requires_grad_()
        p = p.clone() if differentiable else p
        made = getattr(optim, name)([p] if not differentiable else [p], lr=0.1, differentiable=differentiable, **options)
        for g in grads:
            p.grad = g.clone().requires_grad_(differentiable)
            made.step()
        results.append(p.detach())
    assert torch.allclose(results[0], results[1], rtol=1e-6, atol=1e-8)


def test_gradients_flow_through_a_step_to_the_gradient():
    g = torch.tensor([0.5, -2.0], dtype=torch.float64, requires_grad=True)

    def step(g):
        p = torch.ones(2, dtype=torch.float64, requires_grad=True).clone()
        p.grad = g
        optim.RMSprop([p], lr=0.1, differentiable=True).step()
        return p

    assert torch.autograd.gradcheck(step, g)


def test_hooks_of_all_optimisers():
    calls = []
    handles = [base.register_optimizer_step_pre_hook(lambda o, a, k: calls.append("before")),
               base.register_optimizer_step_post_hook(lambda o, a, k: calls.append("after"))]
    made = optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    made.step()
    for handle in handles:
        handle.remove()
    made.step()
    assert calls == ["before", "after"]


def test_a_subclass_need_not_call_the_constructor():
    class Wrapped(optim.Optimizer):
        def __init__(self, inner):
            self.inner, self.param_groups, self.state, self.defaults = inner, inner.param_groups, inner.state, inner.defaults

        def step(self, closure=None):
            return self.inner.step(closure)

    p = nn.Parameter(torch.ones(1))
    made = Wrapped(optim.SGD([p], lr=1.0))
    p.grad = torch.ones(1)
    made.step()
    assert p.item() == 0 and made.state_dict()["param_groups"][0]["lr"] == 1.0
    made.zero_grad()
    assert p.grad is None
    optim.lr_scheduler.StepLR(made, 1)


def test_other_parameters_for_a_while():
    p, q = nn.Parameter(torch.ones(2)), torch.zeros(2)
    made = optim.SGD([p], lr=1.0, momentum=0.9)
    p.grad = torch.ones(2)
    made.step()
    state = copy.deepcopy(made.state_dict())
    state["param_groups"][0]["lr"] = 0.5
    q.grad = torch.ones(2)
    with optim.swap_in_optimizer_params_and_state(made, {"w": q}, state):
        made.step()
    assert torch.allclose(q, torch.full((2,), -0.95)) and p.tolist() == [0.0, 0.0]
    assert made.state[p]["momentum_buffer"].tolist() == [1.0, 1.0] and state["state"][0]["momentum_buffer"].tolist() == pytest.approx([1.9, 1.9])
    with pytest.raises(ValueError, match="1 parameters in 1 groups"), optim.swap_in_optimizer_params_and_state(made, {}, state):
        pass


def test_older_names():
    assert optim.lr_scheduler._LRScheduler is optim.lr_scheduler.LRScheduler
