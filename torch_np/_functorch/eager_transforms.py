"""torch_np._functorch.eager_transforms: the derivatives of torch_np.func under an older name."""
from __future__ import annotations

from typing import Any

from torch_np.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from torch_np.func._argnums import numbers_of

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp"]


def _slice_argnums(args: tuple[Any, ...], argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments at these positions."""
    chosen = tuple(args[n] for n in numbers_of(argnums, len(args)))
    return chosen[0] if isinstance(argnums, int) and not as_tuple else chosen
