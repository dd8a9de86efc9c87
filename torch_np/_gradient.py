"""Derivatives of sampled functions."""
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
            raise RuntimeError(f"gradient(): expected spacing of {input.ndim} elements, one for each axis of input, got {count}")
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
        raise RuntimeError(f"gradient(): expected spacing of {len(axes)} elements, one for each dim, got {len(spacing)}")
    return axes


def _along(f: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    """Differences over `step`, a distance or the places of the samples, along one axis."""
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


def gradient(input: Tensor, *, spacing: Any = 1, dim: int | Sequence[int] | None = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The partial derivatives of the function that `input` has samples of, along each axis of `dim` (all of them by default): central
    differences, at both ends one-sided ones of the order `edge_order`, 1 or 2.

    `spacing`: the distance of samples, a list of distances or of vectors of places, one for each axis.
    Shapes: each result as `input`. Errors: RuntimeError for too few samples and other lengths, IndexError for an axis that is not there.
    Source: Fornberg, Math. Comput. 51 (1988) 699-706.
    """
    if edge_order not in (1, 2):
        raise RuntimeError(f"gradient(): edge_order must be 1 or 2, got {edge_order}")
    if isinstance(spacing, Tensor) and spacing.ndim > 0:  # a 0-d one is a number
        spacing = [spacing]
    axes = _axes(input, dim, spacing)
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(axes)
    return tuple(_along(input, axis, step, edge_order) for axis, step in zip(axes, steps))
