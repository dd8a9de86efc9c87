"""The steps of the optimisers as compositions of operators, for one parameter each.

They are recorded for gradients where recording is on: for `differentiable=True`. Each function
changes the parameter `p` and the tensors of `state` in place; `g` is the gradient, `o` the options
of the group. State that a nonlinear operator reads is copied first, since the next step changes it.
"""
from __future__ import annotations

import math
from typing import Any

import torch_np
from torch_np import Tensor

_Options = dict[str, Any]


def _real(p: Tensor, g: Tensor, state: dict[str, Any]) -> tuple[Tensor, Tensor, dict[str, Any]]:
    """Complex tensors as pairs of real numbers."""
    if not p.is_complex():
        return p, g, state
    seen = {k: torch_np.view_as_real(v) if isinstance(v, Tensor) and v.is_complex() else v for k, v in state.items()}
    return torch_np.view_as_real(p), torch_np.view_as_real(g), seen


def _direction(p: Tensor, g: Tensor, o: _Options, decays: bool = True) -> Tensor:
    if o["maximize"]:
        g = -g
    return g + p * o["weight_decay"] if decays and o["weight_decay"] != 0 else g


def _decay_apart(p: Tensor, o: _Options) -> bool:
    """Multiplies the parameter by its decoupled weight decay. Returns whether the penalty is still
    to be added to the gradient.
    """
    if not o.get("decoupled_weight_decay"):
        return True
    if o["weight_decay"] != 0:
        p.mul_(1 - o["lr"] * o["weight_decay"])
    return False


def _count(state: dict[str, Any]) -> float:
    state["step"] += 1
    return float(state["step"])


def _moments(state: dict[str, Any], g: Tensor, beta1: Any, beta2: Any) -> tuple[Tensor, Tensor]:
    m, v = state["exp_avg"], state["exp_avg_sq"]
    m.mul_(beta1).add_(g * (1 - beta1))
    v.mul_(beta2).add_(g * g * (1 - beta2))
    return m, v


def sgd(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    d = _direction(p, g, o)
    if o["momentum"] != 0:
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = d.detach().clone()  # as PyTorch: a start, not a function of the gradient
        else:
            buffer.mul_(o["momentum"]).add_(d * (1 - o["dampening"]))
        d = d + buffer * o["momentum"] if o["nesterov"] else buffer
    p.sub_(d * o["lr"])


def adam(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    beta1, beta2 = o["betas"]
    step = _count(state)
    g = _direction(p, g, o, _decay_apart(p, o))
    m, v = _moments(seen, g, beta1, beta2)
    if o["amsgrad"]:
        most = seen["max_exp_avg_sq"]
        most.copy_(torch_np.maximum(most.clone(), v.clone()))
        v = most
    root = v.clone().sqrt() / (1 - beta2 ** step) ** 0.5 + o["eps"]
    p.sub_(m.clone() / root * (o["lr"] / (1 - beta1 ** step)))


def nadam(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    beta1, beta2 = o["betas"]
    step = _count(state)
    g = _direction(p, g, o, _decay_apart(p, o))
    mu, after = (beta1 * (1 - 0.5 * 0.96 ** (t * o["momentum_decay"])) for t in (step, step + 1))
    state["mu_product"] *= mu
    product = state["mu_product"].clone() if state["mu_product"].requires_grad else float(state["mu_product"])
    m, v = _moments(seen, g, beta1, beta2)
    root = (v.clone() / (1 - beta2 ** step)).sqrt() + o["eps"]
    p.sub_(g / root * (o["lr"] * (1 - mu) / (1 - product)))
    p.sub_(m.clone() / root * (o["lr"] * after / (1 - product * after)))


def radam(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    beta1, beta2 = o["betas"]
    step = _count(state)
    g = _direction(p, g, o, _decay_apart(p, o))
    m, v = _moments(seen, g, beta1, beta2)
    correction = 1 - beta2 ** step
    rho_inf = 2 / (1 - beta2) - 1
    rho = rho_inf - 2 * step * beta2 ** step / correction
    update = m.clone() / (1 - beta1 ** step) * o["lr"]
    if rho > 5:
        rectified = math.sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
        update = update * (correction ** 0.5 / (v.clone().sqrt() + o["eps"])) * rectified
    p.sub_(update)


def adamax(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    beta1, beta2 = o["betas"]
    step = _count(state)
    g = _direction(p, g, o)
    m, largest = seen["exp_avg"], seen["exp_inf"]
    m.mul_(beta1).add_(g * (1 - beta1))
    largest.copy_(torch_np.maximum(largest * beta2, g.abs() + o["eps"]))
    p.sub_(m.clone() / largest.clone() * (o["lr"] / (1 - beta1 ** step)))


def adagrad(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    step = _count(state)
    g = _direction(p, g, o)
    sums = seen["sum"]
    sums.add_(g * g)
    p.sub_(g / (sums.clone().sqrt() + o["eps"]) * (o["lr"] / (1 + (step - 1) * o["lr_decay"])))


def adadelta(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    _count(state)
    g = _direction(p, g, o)
    squares, deltas, rho = seen["square_avg"], seen["acc_delta"], o["rho"]
    squares.mul_(rho).add_(g * g * (1 - rho))
    delta = (deltas + o["eps"]).sqrt() / (squares + o["eps"]).sqrt() * g
    deltas.mul_(rho).add_(delta * delta * (1 - rho))
    p.sub_(delta * o["lr"])


def asgd(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    step = _count(state)
    eta, mu = float(state["eta"]), float(state["mu"])
    g = _direction(p, g, o)
    p.mul_(1 - o["lambd"] * eta)
    p.sub_(g * eta)
    average = state["ax"]
    if mu != 1:
        average.add_((p - average) * mu)
    else:
        average.copy_(p)
    state["eta"].fill_(float(o["lr"]) / (1 + o["lambd"] * float(o["lr"]) * step) ** o["alpha"])
    state["mu"].fill_(1 / max(1.0, step - o["t0"]))


def rmsprop(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    _count(state)
    g = _direction(p, g, o)
    squares, alpha = seen["square_avg"], o["alpha"]
    squares.mul_(alpha).add_(g * g * (1 - alpha))
    variance = squares.clone()
    if o["centered"]:
        mean = seen["grad_avg"]
        mean.mul_(alpha).add_(g * (1 - alpha))
        variance = variance - mean.clone().square()
    update = g / (variance.sqrt() + o["eps"])
    if o["momentum"] > 0:
        buffer = seen["momentum_buffer"]
        buffer.mul_(o["momentum"]).add_(update)
        update = buffer
    p.sub_(update * o["lr"])


def rprop(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    p, g, seen = _real(p, g, state)
    _count(state)
    if o["maximize"]:
        g = -g
    (smaller, larger), (least, most) = o["etas"], o["step_sizes"]
    before, size = seen["prev"], seen["step_size"]
    sign = (g.detach() * before.detach()).sign()
    factor = torch_np.where(sign > 0, larger, torch_np.where(sign < 0, smaller, 1.0)).to(size.dtype)
    size.copy_((size * factor).clamp(least, most))
    g = torch_np.where(sign < 0, 0.0, g)
    p.sub_(g.sign() * size.clone())
    before.copy_(g)
