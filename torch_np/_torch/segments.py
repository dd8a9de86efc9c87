"""Reductions of segments of a tensor, and hashes of its elements."""
from __future__ import annotations

from collections.abc import Sequence

from torch_np import _C
from torch_np._C import Tensor, _torch
from torch_np.numpy import bitwise_xor

__all__ = ["hash_tensor", "segment_reduce"]

_START = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": float("-inf"), "min": float("inf")}
_SCATTER = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}


def _ends(data: Tensor, lengths: Tensor | None, offsets: Tensor | None, axis: int, unsafe: bool) -> tuple[Tensor, Tensor]:
    """The begin and the end of each segment."""
    given = offsets if lengths is None else lengths
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if given.dim() != axis + 1 or given.shape[:axis] != data.shape[:axis]:
        raise RuntimeError(f"segment_reduce(): lengths or offsets of shape {tuple(given.shape)} must have axis + 1 = {axis + 1} dimensions, "
                           f"and before the last one the sizes of data of shape {tuple(data.shape)}")
    if lengths is None:
        return given[..., :-1], given[..., 1:]
    if not unsafe:
        if bool((lengths < 0).any()):
            raise RuntimeError("segment_reduce(): lengths contains negative value!")
        if bool((lengths.sum(-1) != data.shape[axis]).any()):
            raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.")
    ends = lengths.cumsum(-1)
    return ends - lengths, ends


def segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
                   offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False, initial: float | None = None) -> Tensor:
    """Reduces consecutive segments of an axis.

    Args:
      data: Values.
      reduce: 'sum', 'mean', 'prod', 'max' or 'min'.
      lengths: Lengths of the segments.
      indices: Not implemented, as in PyTorch; must be None.
      offsets: In place of `lengths`: the begin of each segment, and the end of the last one.
      axis: Axis of the segments.
      unsafe: Whether to skip the check of `lengths`.
      initial: Value that each reduction begins with; None is its neutral element, for the mean of an
        empty segment NaN.

    Shapes: `data` (d0, ..., dn); `lengths` (d0, ..., k) with `axis` + 1 dimensions, `offsets` (d0, ...,
    k + 1); the result has k in place of the size of `axis`.
    Dtypes: floats; `lengths` and `offsets` int32 or int64.
    Errors: RuntimeError for other reductions, shapes and dtypes, and for lengths that do not add up to the
    size of `axis`.
    """
    reduce = {"amax": "max", "amin": "min"}.get(reduce, reduce)
    if reduce not in _START:
        raise RuntimeError(f"segment_reduce(): Unsupported reduction: {reduce}; expected one of {', '.join(map(repr, _START))}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if not data.dtype.is_floating_point:
        raise NotImplementedError(f"segment_reduce(): not implemented for {data.dtype}")
    axis = axis % data.dim() if -data.dim() <= axis < data.dim() else axis
    begins, ends = _ends(data, lengths, offsets, axis, unsafe)
    size, count = data.shape[axis], ends.shape[-1]
    # The segment of each place; places outside of all segments belong to an additional one.
    places = _torch.arange(size, device=data.device).expand(*data.shape[:axis], size).contiguous()
    segment = _torch.searchsorted(ends.contiguous().long(), places, right=True)
    segment = segment.masked_fill(places < begins[..., :1], count)
    index = segment.reshape(*segment.shape, *(1,) * (data.dim() - axis - 1)).expand(data.shape)
    start = _START[reduce] if initial is None else float(initial)
    made = data.new_full((*data.shape[:axis], count + 1, *data.shape[axis + 1:]), start)
    if reduce in ("max", "min"):
        made = _extremes(made, axis, index, data, _SCATTER[reduce])
    elif reduce == "prod" and data.requires_grad and _C._is_grad_enabled():
        made = _products(made, axis, index, data)
    else:
        made = made.scatter_reduce(axis, index, data, _SCATTER[reduce], include_self=True)
    made = made.narrow(axis, 0, count)
    if reduce == "mean":
        counts = (ends - begins).reshape(*ends.shape, *(1,) * (data.dim() - axis - 1)).expand(made.shape)
        empty = made if initial is not None else _torch.full_like(made, float("nan"))
        made = _torch.where(counts > 0, made / counts.clamp(min=1), empty)
    return made


def _products(start: Tensor, axis: int, index: Tensor, data: Tensor) -> Tensor:
    """Products. The gradient of a NaN is the product of the others in its segment."""
    missing = data.detach().isnan()
    numbers = start.scatter_reduce(axis, index, _torch.where(missing, 1.0, data), "prod", include_self=True)
    count = _torch.zeros_like(start).scatter_add(axis, index, missing.to(start.dtype))
    nans = _torch.zeros_like(start).scatter_reduce(axis, index, _torch.where(missing, data, 0.0), "sum")
    return numbers * _torch.where(count == 0, 1.0, nans * _torch.where(count <= 1, _torch.ones_like(count), float("nan")))


def _extremes(start: Tensor, axis: int, index: Tensor, data: Tensor, how: str) -> Tensor:
    """Maxima or minima. Equal ones of a segment share the gradient, and so do NaNs."""
    found = start.scatter_reduce(axis, index, data.detach(), how, include_self=True)
    if not (data.requires_grad and _C._is_grad_enabled()):
        return found
    chosen = (data.detach() == found.gather(axis, index)) | data.detach().isnan()
    count = _torch.zeros_like(found).scatter_add(axis, index, chosen.to(found.dtype))
    shares = _torch.where(chosen, data / count.gather(axis, index).clamp(min=1), 0.0)
    shared = _torch.zeros_like(found).scatter_reduce(axis, index, shares, "sum")
    # `found + 0` has the gradient of `shared`. Infinities and NaNs would give NaN there; sums of their shares are exact.
    return _torch.where(found.isfinite() | (count == 0), found + (shared - shared.detach()), shared)


_xor = bitwise_xor.reduce


def _check_axes(input: Tensor, axis: int | tuple[int, ...] | None) -> None:  # noqa: A002
    """Raises the errors of `hash_tensor` for its dimensions."""
    rank = input.dim()
    if axis is None and not input.numel():
        raise RuntimeError("hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
                           "'dim' argument.")
    most = max(rank, 1)
    for one in () if axis is None else (axis,) if isinstance(axis, int) else axis:
        if not -most <= one < most:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {one})")
        if rank and not input.shape[one]:
            raise IndexError(f"hash_tensor: Expected reduction dim {one} to have non-zero size.")


def hash_tensor(input: Tensor, dim: int | Sequence[int] | None = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:  # noqa: A002
    """A hash of the elements: the exclusive or of their bits as 64-bit numbers. The order of the elements
    does not matter.

    Args:
      input: Values.
      dim: Dimension or dimensions to reduce; None and () are all.
      keepdim: Whether the reduced dimensions stay, with size 1.
      mode: Kind of the hash; 0 is the exclusive or.

    Shapes: `input` without the dimensions in `dim`.
    Dtypes: all real ones; floats count as float64, others as int64; the result is uint64.
    Errors: RuntimeError for another mode, and for no elements unless `dim` is given; NotImplementedError for
    complex numbers.
    """
    if mode != 0:
        raise RuntimeError(f"hash_tensor(): Unknown hash_mode: {mode}")
    if input.dtype.is_complex:
        raise NotImplementedError(f"hash_tensor(): not implemented for {input.dtype}")
    rank, whole = input.dim(), dim is None or dim == ()
    axis = None if whole else dim if isinstance(dim, int) else tuple(dim)  # type: ignore[arg-type]
    if not whole or not rank or not input.numel():
        _check_axes(input, axis)
    plain = input.detach() if input.requires_grad else input
    wide = (plain.double() if plain.is_floating_point() else plain.long()).view(_C.uint64)
    if not rank:
        return wide.clone()
    if whole or keepdim or not isinstance(axis, int) or rank == 1:  # without kept dimensions, the ufunc's result might be a scalar of NumPy's
        made = _xor(wide._np_compat(), axis, None, None, True)._torch()
        return made if keepdim else made.reshape(()) if whole else made.squeeze(axis)
    return _xor(wide._np_compat(), axis)._torch()


def _hash_tensor(self: Tensor, dim: int | Sequence[int] | None = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """Returns a hash of the elements; see torch_np.hash_tensor(). Shapes: this tensor's without `dim`."""
    return hash_tensor(self, dim, keepdim=keepdim, mode=mode)


_hash_tensor.__name__, _hash_tensor.__qualname__ = "hash_tensor", "Tensor.hash_tensor"
Tensor.hash_tensor = _hash_tensor  # type: ignore[method-assign]
