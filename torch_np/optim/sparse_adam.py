"""Adam for sparse gradients."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.optim import _sparse_steps
from torch_np.optim._fused import check, check_betas
from torch_np.optim.optimizer import Optimizer, ParamsT

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for parameters with sparse gradients, such as those of `nn.Embedding(..., sparse=True)`. Only
    the rows that have a gradient are changed, and only their running means decay.

    Args:
      params: parameters to optimise, which are dense: Tensors, (name, Tensor) pairs, or dictionaries
        that each define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      betas: decay rates of the running means of the gradient and its square
      eps: term added to the denominator, for numerical stability
      maximize: step along the gradient instead of against it

    Errors: ValueError for options out of range, and for sparse and complex parameters; `step()` raises
    RuntimeError for dense gradients.
    Source: Kingma and Ba, ICLR 2015, arXiv:1412.6980.
    """

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 maximize: bool = False) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        check(float(lr) > 0, "learning rate", lr)
        check(eps > 0, "epsilon value", eps)
        check_betas(betas)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))
        places = [([i, k], p) for i, group in enumerate(self.param_groups) for k, p in enumerate(group["params"])]
        if found := [place for place, p in places if _is_sparse(p)]:
            raise ValueError(f"Sparse params at indices {found}: SparseAdam requires dense parameter tensors")
        if found := [place for place, p in places if p.is_complex()]:
            raise ValueError(f"Complex params at indices {found}: SparseAdam does not support complex parameters")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates all parameters that have a gradient.

        Args:
          closure: function without arguments that computes the loss; it is called before the
            update, with gradients enabled

        Returns the closure's result, or None without a closure.
        """
        loss = None
        with torch_np.no_grad():
            if closure is not None:
                with torch_np.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                trained = [p for p in group["params"] if p.grad is not None]
                if not all(p.grad.is_sparse for p in trained):
                    raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
                for p in trained:
                    own = self.state[p]
                    if not own:
                        own.update(step=0, exp_avg=torch_np.zeros_like(p), exp_avg_sq=torch_np.zeros_like(p))
                    own["step"] += 1
                    _sparse_steps.adam(p, p.grad, own["exp_avg"], own["exp_avg_sq"], own["step"], group)
        return loss
