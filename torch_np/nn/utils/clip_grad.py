"""Gradient clipping."""
from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

from torch_np._C import Tensor, _is_sparse
from torch_np.autograd import no_grad

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def _listed(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [p.grad for p in _listed(parameters) if p.grad is not None]


def get_total_norm(tensors: Tensor | Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The norm of all elements of several tensors together.

    Args:
      tensors: a tensor or an iterable of tensors
      norm_type: order of the norm
      error_if_nonfinite: raise if the norm is infinite or NaN
      foreach: accepted for compatibility; has no effect

    Shapes: any; the result is ().
    Errors: RuntimeError if `error_if_nonfinite` and the norm is infinite or NaN.
    """
    from torch_np import linalg, stack, tensor
    tensors = _listed(tensors)
    if not tensors:
        return tensor(0.0)
    norms = [linalg.vector_norm(t.coalesce().values() if _is_sparse(t) else t, norm_type) for t in tensors]
    total = linalg.vector_norm(stack([n.to(norms[0].device) for n in norms]), norm_type) if len(norms) > 1 else norms[0]
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
                           "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`")
    return total


def clip_grads_with_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Scales gradients in place by `max_norm / total_norm`, if that is less than 1.

    Args:
      parameters: a parameter or an iterable of parameters
      max_norm: largest norm
      total_norm: norm of the gradients
      foreach: accepted for compatibility; has no effect

    Shapes: any; `total_norm` ().
    """
    grads, max_norm = _gradients(parameters), float(max_norm)
    if not grads:
        return
    with no_grad():
        factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                    foreach: bool | None = None) -> Tensor:
    """Scales gradients in place so that their joint norm is at most `max_norm`, and returns the
    norm before.

    Args:
      parameters: a parameter or an iterable of parameters
      max_norm: largest norm
      norm_type: order of the norm
      error_if_nonfinite: raise if the norm is infinite or NaN
      foreach: accepted for compatibility; has no effect

    Shapes: any; the result is ().
    Errors: RuntimeError if `error_if_nonfinite` and the norm is infinite or NaN.
    """
    parameters = _listed(parameters)
    with no_grad():
        total = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite, foreach)
        clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamps the elements of gradients to [-`clip_value`, `clip_value`] in place.

    Args:
      parameters: a parameter or an iterable of parameters
      clip_value: largest absolute value
      foreach: accepted for compatibility; has no effect

    Shapes: any.
    """
    clip_value = float(clip_value)
    with no_grad():
        for g in _gradients(parameters):
            g.clamp_(min=-clip_value, max=clip_value)


def clip_grad_norm(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The older name of `clip_grad_norm_`. It warns.

    Args:
      parameters: a parameter or an iterable of parameters
      max_norm: largest norm
      norm_type: order of the norm
      error_if_nonfinite: raise if the norm is infinite or NaN
      foreach: accepted for compatibility; has no effect

    Shapes: any; the result is ().
    """
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.", FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)
