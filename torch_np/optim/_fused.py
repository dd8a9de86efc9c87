"""Shared parts of the optimisers with a fused step: option checks and the lists of tensors that
native operators update.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.optim.optimizer import Optimizer


def check(condition: bool, name: str, value: Any) -> None:
    """Raises ValueError with PyTorch's text unless `condition` holds."""
    if not condition:
        raise ValueError(f"Invalid {name}: {value}")


def check_lr(lr: float | Tensor) -> None:
    if isinstance(lr, Tensor):
        if lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
    else:
        check(lr >= 0, "learning rate", lr)


def check_betas(betas: tuple[float | Tensor, float | Tensor]) -> None:
    for i in (0, 1):
        check(0 <= float(betas[i]) < 1, f"beta parameter at index {i}", betas[i])


def check_ways(foreach: bool | None, differentiable: bool, fused: bool | None = None) -> None:
    """Rejects implementation options that contradict each other.

    `foreach` and `fused` have no effect: every step is one fused operator.
    """
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")


def check_fused(parameters: list[Tensor]) -> None:
    """Raises RuntimeError for parameters that PyTorch's fused steps refuse."""
    for p in parameters:
        if p.device.type == "meta" or not p.is_floating_point():
            raise RuntimeError("`fused=True` requires all the params to be floating point Tensors of supported devices: ['cpu', 'cuda'] "
                               f"but {p.dtype} and {p.device.type}")


def number() -> Tensor:
    """A step counter: a float32 Tensor of shape ()."""
    return torch_np.zeros((), dtype=torch_np.float32)


def filled_like(p: Tensor, value: complex = 0) -> Tensor:
    return torch_np.full_like(p, value) if value else torch_np.zeros_like(p)


class FusedOptimizer(Optimizer):
    """Base class of optimisers whose step is one native operator for each group.

    Subclasses define the state of a parameter and call the operator. `_formula` names the function
    of _steps.py that composes the step of operators, for `differentiable=True`.
    """

    _formula: str
    _sparse_name, _sparse_advice = "", ""  # what the message about sparse gradients says

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        raise NotImplementedError

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        """Updates `parameters` in place.

        Args:
          others: the gradients of all parameters, followed by the state tensors in the order of
            `_state_names(group)`
        """
        raise NotImplementedError

    def _update_sparse(self, group: dict[str, Any], p: Tensor, grad: Tensor) -> None:
        """Updates a parameter with a sparse gradient. Errors: RuntimeError unless the optimiser has such steps."""
        raise RuntimeError(f"{self._sparse_name or type(self).__name__} does not support sparse gradients{self._sparse_advice}")

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)
        for own in self.state.values():
            for name in ("step", "mu_product", "eta", "mu"):
                if name in own and not isinstance(own[name], Tensor):
                    own[name] = torch_np.tensor(float(own[name]), dtype=torch_np.float32)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates all parameters that have a gradient.

        Args:
          closure: function without arguments that computes the loss; it is called before the
            update, with gradients enabled

        Returns the closure's result, or None without a closure.
        """
        if self.defaults.get("differentiable"):
            return self._recorded_step(closure)
        loss = None
        with torch_np.no_grad():
            if closure is not None:
                with torch_np.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                if group.get("fused"):
                    check_fused(group["params"])
                parameters, others = self._gather(group)
                if parameters:
                    self._update(group, parameters, others)
        return loss

    def _recorded_step(self, closure: Callable[[], Any] | None) -> Any:
        from torch_np.optim import _steps
        formula = getattr(_steps, self._formula)
        with torch_np.enable_grad():
            loss = None if closure is None else closure()
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        if _is_sparse(p.grad):
                            self._update_sparse(group, p, p.grad)
                            continue
                        own = self.state[p]
                        if not own:
                            own.update(self._new_state(p, group))
                        formula(p, p.grad, own, group)
        return loss

    def _gather(self, group: dict[str, Any]) -> tuple[list[Tensor], list[Tensor]]:
        parameters, others, states = [], [], []
        state = self.state
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            if _is_sparse(grad):
                self._update_sparse(group, p, grad)
                continue
            own = state[p]
            if not own:
                own.update(self._new_state(p, group))
            parameters.append(p)
            others.append(grad)
            states.append(own)
        for name in self._state_names(group):
            others += [own[name] for own in states]
        return parameters, others
