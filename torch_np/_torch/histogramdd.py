"""Multidimensional histograms."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from torch_np import _C
from torch_np._C import Tensor, _torch


class HistogramddResult(NamedTuple):
    """Result of histogramdd() (torch_np.return_types.histogramdd): the histogram and the bin edges.
    """

    hist: Tensor
    bin_edges: tuple[Tensor, ...]

    def __repr__(self) -> str:
        return f"torch_np.return_types.histogramdd(hist={self.hist!r}, bin_edges={self.bin_edges!r})"


HistogramddResult.__name__ = HistogramddResult.__qualname__ = "histogramdd"
HistogramddResult.__module__ = "torch_np.return_types"


def histogramdd(input: Tensor, bins: Any, *, range: Sequence[float] | None = None, weight: Tensor | None = None,  # noqa: A002
                density: bool = False) -> HistogramddResult:
    """Computes a histogram of points with several dimensions: how many points, or which sum of
    their weights, fall into each box of a grid. Returns the histogram and the edges of the grid.

    Args:
      input: Points, one in each row.
      bins: Number of bins in all dimensions, a list of numbers for each, or a list of 1-d tensors
        of edges.
      range: Lowest and highest edge of each dimension, one after the other; None is the range of
        the points.
      weight: Weight of each point; None is 1.
      density: Whether to divide by the volumes of the boxes and by the total, so that the histogram
        integrates to 1.

    Shapes: `input` (..., k), leading axes are flattened; `weight` (...); `hist` (n1, ..., nk).
    Dtypes: float32 and float64.
    Errors: RuntimeError if shapes, dtypes or numbers do not match; NotImplementedError unless
    `input` is float32 or float64.
    """
    if input.dtype not in (_C.float32, _C.float64):
        if input.ndim >= 2:
            raise NotImplementedError(f"histogramdd(): not implemented for {input.dtype}")
    if input.ndim < 2:
        raise RuntimeError(f"histogramdd(): input must have two dimensions at least, but its shape is {tuple(input.shape)}")
    points = input.detach().reshape(-1, input.shape[-1])
    k = points.shape[1]
    bins = [bins] * k if isinstance(bins, int) else list(bins)
    if len(bins) != k:
        raise RuntimeError(f"histogramdd(): bins has {len(bins)} items, but the points have {k} dimensions")
    if range is not None and len(range) != 2 * k:
        raise RuntimeError(f"histogramdd(): range must have {2 * k} numbers, not {len(range)}")
    if weight is not None and (weight.dtype != input.dtype or weight.shape != input.shape[:-1]):
        raise RuntimeError(f"histogramdd(): weight of {weight.dtype} and shape {tuple(weight.shape)} must have the dtype and shape of the points, {input.dtype} and {tuple(input.shape[:-1])}")
    edges = [_edges(points[:, d], b, None if range is None else range[2 * d:2 * d + 2]) for d, b in enumerate(bins)]
    amounts = _torch.ones(len(points), dtype=input.dtype, device=input.device) if weight is None else weight.detach().reshape(-1)
    sizes = [len(e) - 1 for e in edges]
    place = _torch.zeros(len(points), dtype=_C.int64, device=input.device)
    inside = _torch.ones(len(points), dtype=_C.bool, device=input.device)
    for d, (e, n) in enumerate(zip(edges, sizes)):
        x = points[:, d].contiguous()
        own = _torch.searchsorted(e, x, right=True) - 1
        own = _torch.where(x == e[-1], n - 1, own)
        inside = inside & (x >= e[0]) & (x <= e[-1])
        place = place * n + own
    total = math.prod(sizes)
    place = _torch.where(inside, place, total)
    hist = _torch.zeros(total + 1, dtype=input.dtype, device=input.device).index_add(0, place, amounts)[:total].reshape(sizes)
    if density:
        hist = hist / hist.sum()
        for d, e in enumerate(edges):
            hist = hist / (e[1:] - e[:-1]).reshape([-1 if i == d else 1 for i, _ in enumerate(edges)])
    return HistogramddResult(hist, tuple(edges))


def _edges(x: Tensor, bins: Any, ends: Sequence[float] | None) -> Tensor:
    if isinstance(bins, _C.Tensor):
        if bins.dtype != x.dtype or bins.ndim != 1 or not len(bins):
            raise RuntimeError(f"histogramdd(): edges of {bins.dtype} and shape {tuple(bins.shape)} must be one-dimensional and have the points' dtype {x.dtype}")
        return bins.detach().contiguous()
    if bins <= 0:
        raise RuntimeError(f"histogramdd(): bins must be positive, not {bins}")
    low, high = ends if ends is not None else (float(x.min()), float(x.max())) if len(x) else (0.0, 0.0)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise RuntimeError(f"histogramdd(): the range [{low}, {high}] must be finite and must not decrease")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _torch.linspace(low, high, bins + 1, dtype=x.dtype, device=x.device)
