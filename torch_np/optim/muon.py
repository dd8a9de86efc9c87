"""Muon."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.optim._functions import functions
from torch_np.optim.optimizer import Optimizer, ParamsT

__getattr__ = functions(__name__, "muon")

_RATES: dict[str | None, Callable[[int, int], float]] = {
    "original": lambda rows, columns: math.sqrt(max(1, rows / columns)),
    "match_rms_adamw": lambda rows, columns: 0.2 * math.sqrt(max(rows, columns)),
    "spectral_unclamped": lambda rows, columns: math.sqrt(rows / columns),
}
_RATES[None] = _RATES["original"]


def _orthogonalized(g: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """A matrix of about the singular vectors of `g` and singular values near 1, by steps of a
    polynomial (Newton and Schulz). Each step is rounded to bfloat16.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = g.to(torch_np.bfloat16)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = (x / x.norm().clamp(min=eps)).to(torch_np.float32)
    for _ in range(steps):
        gram = _rounded(x @ x.T)
        x = _rounded(a * x + _rounded(b * gram + c * (gram @ gram)) @ x)
    return x.T if tall else x


def _rounded(x: Tensor) -> Tensor:
    """The numbers of a float32 tensor, rounded to bfloat16."""
    return x.to(torch_np.bfloat16).to(torch_np.float32)


def muon_step(p: Tensor, g: Tensor, buffer: Tensor, *, lr: float, weight_decay: float, momentum: float, nesterov: bool,
              ns_coefficients: tuple[float, float, float], ns_steps: int, eps: float, adjust_lr_fn: str | None) -> None:
    """Updates one parameter and its momentum in place."""
    buffer.lerp_(g, 1 - momentum)
    update = _orthogonalized(g.lerp(buffer, momentum) if nesterov else buffer, ns_coefficients, ns_steps, eps)
    p.mul_(1 - lr * weight_decay)
    p.add_(update.to(p.dtype), alpha=-lr * _RATES[adjust_lr_fn](p.shape[0], p.shape[1]))


class Muon(Optimizer):
    """Muon: steps along the momentum of a matrix with its singular values replaced by about 1.

    It is for the matrices of hidden layers; other parameters need another optimiser.

    Args:
      params: matrices to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each define a
        group by "params" and options of its own
      lr: learning rate
      weight_decay: decay coefficient
      momentum: decay rate of the running mean of the gradient
      nesterov: step along the mean of the next step
      ns_coefficients: coefficients of the polynomial x, x^3, x^5
      eps: smallest norm
      ns_steps: steps of the polynomial
      adjust_lr_fn: factor of the learning rate for a matrix of A rows and B columns: 'original' or
        None is sqrt(max(1, A/B)), 'match_rms_adamw' is 0.2 sqrt(max(A, B)), 'spectral_unclamped'
        is sqrt(A/B)

    Shapes: (A, B).
    Errors: ValueError for options out of range, and for parameters that are not matrices;
    RuntimeError for complex ones.
    Source: Jordan, Muon, 2024; Liu et al., arXiv 2502.16982.
    """

    def __init__(self, params: ParamsT, lr: float = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
                 ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315), eps: float = 1e-7, ns_steps: int = 5,
                 adjust_lr_fn: str | None = None) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if value < 0:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in _RATES:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov, ns_coefficients=ns_coefficients,
                                      eps=eps, ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn))
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates all parameters that have a gradient.

        Args:
          closure: function without arguments that computes the loss; it is called before the
            update, with gradients enabled

        Returns the closure's result, or None without a closure.
        Errors: RuntimeError for complex parameters.
        """
        loss = None
        if closure is not None:
            with torch_np.enable_grad():
                loss = closure()
        with torch_np.no_grad():
            for group in self.param_groups:
                options = {k: v for k, v in group.items() if k not in ("params", "param_names", "lr", "initial_lr", "swa_lr")}
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if _is_sparse(p.grad):
                        raise RuntimeError("Muon does not support sparse gradients")
                    if p.is_complex():
                        raise RuntimeError("Muon does not support complex parameters")
                    own = self.state[p]
                    if not own:
                        own["momentum_buffer"] = torch_np.zeros_like(p.grad)
                    muon_step(p, p.grad, own["momentum_buffer"], lr=float(group["lr"]), **options)
        return loss
