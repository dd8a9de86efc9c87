"""Reductions of consecutive segments of an axis."""
from __future__ import annotations

from torch_np import _C
from torch_np._C import Tensor, _torch

__all__ = ["segment_reduce"]

_NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -float("inf"), "amax": -float("inf"), "min": float("inf"), "amin": float("inf")}


def segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
                   offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False, initial: float | None = None) -> Tensor:
    """Reduces consecutive segments of an axis.

    Args:
      data: Values.
      reduce: 'sum', 'mean', 'prod', 'max' or 'min'.
      lengths: Length of each segment. Segments begin at the start of the axis.
      indices: Not implemented, as in PyTorch; None.
      offsets: Begin of each segment, and the end of the last one, instead of `lengths`.
      axis: Axis of `data`: the last axis of `lengths`.
      unsafe: Whether not to check that the lengths add up to the size of the axis. Further elements
        belong to no segment.
      initial: Value that each reduction begins with, and the result of an empty segment; None is the
        neutral element. The mean of an empty segment is NaN then.

    Shapes: `lengths` has the shape of `data` up to `axis`, and (segments,) there; the result has
    `segments` instead of the size of `axis`.
    Dtypes: float16, bfloat16, float32, float64; `lengths` and `offsets` int32 or int64.
    Errors: RuntimeError for wrong lengths or an unknown `reduce`, and NotImplementedError for other
    dtypes.
    """
    neutral = _NEUTRAL.get(reduce)
    if neutral is None:
        raise RuntimeError(f"segment_reduce(): reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if data.dtype not in (_C.float16, _C.bfloat16, _C.float32, _C.float64):
        raise NotImplementedError(f"segment_reduce(): not implemented for data of {data.dtype}")
    given = lengths if lengths is not None else offsets
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if given.dtype not in (_C.int32, _C.int64):
        raise NotImplementedError(f"segment_reduce(): lengths and offsets are int32 or int64, not {given.dtype}")
    bounds = _bounds(data, given.to(_C.int64), lengths is not None, axis, unsafe)
    start = neutral if initial is None else initial
    before, n, inner = data.shape[:bounds.dim() - 1], data.shape[bounds.dim() - 1], data.shape[bounds.dim():]
    groups, segments = before.numel(), bounds.shape[-1] - 1
    # The segment of each element; elements before the first and after the last have one, too.
    place = _torch.arange(n, device=data.device).expand(groups, n).contiguous()
    segment = _torch.searchsorted(bounds.reshape(groups, -1), place, right=True)
    segment = (segment + _torch.arange(groups, device=data.device).unsqueeze(1) * (segments + 2)).reshape(-1)
    values = data.reshape(groups * n, inner.numel())
    counts = (bounds[..., 1:] - bounds[..., :-1]).reshape(groups, segments, 1)

    def kept(x: Tensor) -> Tensor:
        return x.reshape(groups, segments + 2, -1)[:, 1:-1]
    room = _torch.full((groups * (segments + 2), inner.numel()), start, dtype=data.dtype, device=data.device)
    if reduce in ("sum", "mean"):
        made = kept(room.index_add(0, segment, values))
        if reduce == "mean":
            made = _torch.where(counts > 0, made / counts.clamp(min=1).to(data.dtype), start if initial is not None else float("nan"))
    elif reduce == "prod":
        made = kept(room.scatter_reduce(0, segment.unsqueeze(1).expand_as(values), values, "prod"))
    else:
        made = kept(_extreme(room, segment, values, "amax" if reduce.endswith("max") else "amin"))
    return made.reshape((*before, segments, *inner))


def _bounds(data, given, are_lengths, axis, unsafe):
    """Begin and end of the segments: lengths or offsets, checked."""
    if not -data.dim() <= axis < data.dim():
        raise IndexError(f"segment_reduce(): Dimension out of range (expected to be in range of [{-data.dim()}, {data.dim() - 1}], but got {axis})")
    axis %= data.dim()
    if given.dim() != axis + 1 or given.shape[:-1] != data.shape[:axis]:
        raise RuntimeError(f"segment_reduce(): lengths and offsets must have the shape of data up to axis {axis}, {tuple(data.shape[:axis])}, "
                           f"and the number of segments, but have the shape {tuple(given.shape)}")
    bounds = given
    if are_lengths:
        bounds = _torch.cat([_torch.zeros_like(given[..., :1]), given.cumsum(-1)], -1) if given.shape[-1] else given.new_zeros((*given.shape[:-1], 1))
    if (bounds[..., 1:] < bounds[..., :-1]).any():
        raise RuntimeError("segment_reduce(): lengths contains negative value!")
    if not unsafe and are_lengths and (bounds[..., -1] != data.shape[axis]).any():
        raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.")
    return bounds


def _extreme(room, segment, values, reduce):
    """Maximum or minimum of each segment. NaNs win; equal elements share the gradient."""
    made = room.scatter_reduce(0, segment.unsqueeze(1).expand_as(values), values.detach(), reduce)
    if not (values.requires_grad and _C._is_grad_enabled()):
        return made
    chosen = (values.detach() == made[segment]) | values.detach().isnan()
    count = _torch.zeros_like(made).index_add(0, segment, chosen.to(made.dtype))
    shared = _torch.zeros_like(made).index_add(0, segment, _torch.where(chosen, values / count[segment].clamp(min=1), 0.0))
    # `made + 0` has the gradient of `shared`. Infinities and NaNs would give NaN there; their sums are exact.
    return _torch.where(made.isfinite() | (count == 0), made + (shared - shared.detach()), shared)
