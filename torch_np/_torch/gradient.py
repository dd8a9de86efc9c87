"""Numerical derivatives of sampled functions."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_np._C import Tensor, _torch

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["gradient"]


def _axes(input: Tensor, dim: Any, spacing: Any) -> list[int]:
    if dim is None:
        count = len(spacing) if isinstance(spacing, (list, tuple)) else None
        if count is not None and count != input.ndim:
            raise RuntimeError(
                f"gradient(): expected spacing to be unspecified, a scalar, or it's length to equal 'self.dim() = {input.ndim}', "
                f"got {count}")
        return list(range(input.ndim))
    given = list(dim) if isinstance(dim, (list, tuple)) else [dim]
    axes = []
    for d in given:
        if not -max(input.ndim, 1) <= d < max(input.ndim, 1):
            raise IndexError(f"gradient(): dim {d} is out of bounds for a tensor of dimension {input.ndim}")
        axes.append(d % max(input.ndim, 1))
    if len(set(axes)) != len(axes):
        raise RuntimeError(f"gradient(): dim has an axis twice: {given}")
    if isinstance(spacing, (list, tuple)) and len(spacing) != len(axes):
        raise RuntimeError(
            f"gradient(): expected spacing to be unspecified, a scalar or a list of length {len(axes)}, one for each dim, "
            f"got {len(spacing)}")
    return axes


def _along(f: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    """Returns finite differences along one axis. `step` is the distance of the samples, or a 1-d
    tensor of their coordinates.
    """
    n = f.shape[axis]
    if n <= edge_order:
        raise RuntimeError(f"gradient(): input must have at least {edge_order + 1} elements along axis {axis} for edge_order {edge_order}, "
                           f"got {n}")

    def at(first: int, length: int) -> Tensor:
        return _torch.narrow(f, axis, first, length)

    if isinstance(step, Tensor) and step.ndim == 1:
        if step.shape[0] != n:
            raise RuntimeError(f"gradient(): spacing has {step.shape[0]} places for the {n} elements along axis {axis}")
        shape = [1] * f.ndim
        shape[axis] = -1
        h = (step[1:] - step[:-1]).reshape(shape)
    else:
        h = _torch.ones((1,) * f.ndim, dtype=f.dtype if f.is_floating_point() or f.is_complex() else None, device=f.device) * step
        h = _torch.expand(h, [n - 1 if a == axis else 1 for a in range(f.ndim)]) if hasattr(_torch, "expand") else h.expand(
            *[n - 1 if a == axis else 1 for a in range(f.ndim)])

    def width(first: int, length: int) -> Tensor:
        return _torch.narrow(h, axis, first, length)

    parts = []
    if edge_order == 1:
        first, last = (at(1, 1) - at(0, 1)) / width(0, 1), (at(n - 1, 1) - at(n - 2, 1)) / width(n - 2, 1)
    else:
        a, b = width(0, 1), width(1, 1)
        first = -(2 * a + b) / (a * (a + b)) * at(0, 1) + (a + b) / (a * b) * at(1, 1) - a / (b * (a + b)) * at(2, 1)
        a, b = width(n - 3, 1), width(n - 2, 1)
        last = b / (a * (a + b)) * at(n - 3, 1) - (a + b) / (a * b) * at(n - 2, 1) + (a + 2 * b) / (b * (a + b)) * at(n - 1, 1)
    parts.append(first)
    if n > 2:
        left, right = width(0, n - 2), width(1, n - 2)
        if isinstance(step, Tensor) and step.ndim == 1:
            parts.append((left * left * at(2, n - 2) + (right * right - left * left) * at(1, n - 2) - right * right * at(0, n - 2))
                         / (left * right * (left + right)))
        else:
            parts.append((at(2, n - 2) - at(0, n - 2)) / (left + right))
    parts.append(last)
    return _torch.cat(parts, axis)


def gradient(input: Tensor, *, spacing: Any = None, dim: int | Sequence[int] | None = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Estimates the partial derivatives of a sampled function by finite differences: central ones
    inside, one-sided ones at both ends.

    Args:
      input: Samples of the function.
      spacing: Distance of the samples, None for 1; or a list with, for each axis, a distance or a 1-d
        tensor of coordinates.
      dim: Axis or axes of differentiation; None is all of them.
      edge_order: Order of accuracy of the differences at the ends: 1 or 2.

    Shapes: each result as `input`.
    Errors: RuntimeError if an axis has fewer than `edge_order` + 1 samples, if lengths do not
    match, or if `edge_order` is neither 1 nor 2; IndexError for an axis that does not exist.
    Source: Fornberg, Math. Comput. 51 (1988) 699-706.
    """
    if edge_order not in (1, 2):
        raise RuntimeError(f"gradient(): edge_order must be 1 or 2, got {edge_order}")
    if spacing is None:
        spacing = 1
    if isinstance(spacing, Tensor) and spacing.ndim > 0:  # a 0-d one is a number
        spacing = [spacing]
    axes = _axes(input, dim, spacing)
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(axes)
    return tuple(_along(input, axis, step, edge_order) for axis, step in zip(axes, steps))
