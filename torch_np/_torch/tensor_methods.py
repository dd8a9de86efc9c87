"""Methods of Tensor that are written in Python."""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from torch_np import _C
from torch_np._shared_memory import is_shared, share_memory_
from torch_np._torch.dtype_names import LEGACY
from torch_np._torch.storage import TypedStorage, UntypedStorage, set_tensor

# PyTorch's names of tensor types by dtype.
_CLASSES = {dtype: f"{name}Tensor" for dtype, name in LEGACY.items()} | {
    _C.uint16: "UInt16Tensor", _C.uint32: "UInt32Tensor", _C.uint64: "UInt64Tensor"}


def _type(self: _C.Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
    """Returns the name of PyTorch's class for this dtype and device, such as 'torch.FloatTensor';
    or, with `dtype`, converts the tensor.

    Args:
      dtype: Dtype, class such as FloatTensor, or its name, to convert to; None returns the name.
        The tensor itself is returned if no conversion is needed.
      non_blocking: Whether a copy between CPU and GPU may be asynchronous.
      kwargs: Only `memory_format`, the memory layout of the result.

    Shapes: as the tensor.
    Errors: ValueError for an unknown name, TypeError for a keyword that is not `memory_format`.
    """
    memory_format = kwargs.pop("memory_format", None)
    if kwargs:
        raise TypeError(f"type() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if dtype is None:
        name = _CLASSES[self.dtype]
        return f"torch.cuda.{name}" if self.is_cuda else f"torch.{name}"
    if isinstance(dtype, type) and isinstance(of_class := getattr(dtype, "dtype", None), _C.dtype):  # FloatTensor and the like
        return self.to("cpu", of_class, non_blocking, memory_format=memory_format)
    if not isinstance(dtype, str):
        return self.to(dtype, non_blocking=non_blocking, memory_format=memory_format)
    package, _, name = dtype.rpartition(".")
    known = {c: d for d, c in _CLASSES.items()}
    if name not in known or package not in ("torch", "torch_np", "torch.cuda", "torch_np.cuda"):
        raise ValueError(f"invalid type: '{dtype}'")
    device = "cuda" if package.endswith("cuda") else "cpu"
    return self.to(device, known[name], non_blocking, memory_format=memory_format)


def _storage(self: _C.Tensor) -> TypedStorage:
    """Returns the memory of the tensor as a storage of its dtype."""
    return TypedStorage(wrap_storage=UntypedStorage._of(self), dtype=self.dtype)


def _set_(self: _C.Tensor, source: Any = None, storage_offset: int = 0, size: Sequence[int] | None = None,
          stride: Sequence[int] | None = None) -> _C.Tensor:
    """Makes the tensor a view of the memory of `source`.

    Args:
      source: Tensor or storage; None makes the tensor empty.
      storage_offset: Index of the first element in the memory.
      size: Shape of the view; None is the shape of `source`, or all elements if `source` is a
        storage.
      stride: Strides in elements; None is row-major.

    Shapes: `size`; without it as `source`, (n,) for a storage of n elements, and (0,) without a
    `source`.
    Errors: RuntimeError if the view exceeds the memory, if `source` has another dtype or device
    than the tensor, and if the tensor is part of a graph.
    """
    return set_tensor(self, source, storage_offset, size, stride)


def _resize(self: _C.Tensor, *sizes: Any) -> _C.Tensor:
    """Returns the elements in another shape with the same number of elements.

    Args:
      sizes: The new shape.

    Shapes: `sizes`.
    Errors: RuntimeError if the two numbers of elements differ.
    """
    size = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    return self.contiguous().reshape(tuple(size))


def _resize_as(self: _C.Tensor, tensor: _C.Tensor) -> _C.Tensor:
    """Returns the elements in the shape of another tensor with the same number of elements.

    Args:
      tensor: Tensor whose shape the result has.

    Shapes: as `tensor`.
    """
    return _resize(self, tensor.size())


def _index(self: _C.Tensor, positions: Any, dims: Any) -> _C.Tensor:
    """Indexes the tensor along some of its axes: `x.index(1, i)` is `x[:, i]`, and `x.index((0, 2),
    (i, j))` is `x[i, :, j]`.

    Args:
      positions: An axis, or a sequence of axes. A sequence in place of one axis stands for these
        axes flattened into one, at the position of the first.
      dims: Index for the axis, or a sequence with an index for each: anything that `x[...]` accepts
        for one axis.

    Shapes: as `x[...]`.
    Errors: TypeError for invalid or repeated axes, and if the lengths of `positions` and `dims`
    differ; IndexError where `x[...]` raises it.
    """
    several = isinstance(positions, (tuple, list)) and isinstance(dims, (tuple, list))
    places, keys = (list(positions), list(dims)) if several else ([positions], [dims])
    if len(places) != len(keys):
        raise TypeError(f"index(): positions ({len(places)}) and dims ({len(keys)}) must have the same length")
    groups = [[_axis(self, p) for p in (place if isinstance(place, (tuple, list)) else [place])] for place in places]
    named = [axis for group in groups for axis in group]
    if len(set(named)) < len(named):
        raise TypeError(f"index(): positions has an axis twice: {positions!r}")
    # Maps the first axis of each group to the group, which is flattened into one axis.
    joined = {group[0]: group for group in groups if group}
    parts = [joined.get(axis, [axis]) for axis in range(self.dim()) if axis in joined or axis not in named]
    x = self
    if any(len(part) > 1 for part in parts):
        sizes = [math.prod(self.size(axis) for axis in part) for part in parts]
        x = self.permute([axis for part in parts for axis in part]).reshape(sizes)
    key: list[Any] = [slice(None)] * len(parts)
    for group, given in zip(groups, keys):
        if group:
            key[parts.index(joined[group[0]])] = list(given) if isinstance(given, tuple) else given
    return x[tuple(key)] if named else self


def _axis(x: _C.Tensor, place: Any) -> int:
    try:
        axis = operator.index(place)
    except TypeError:
        raise TypeError(f"index(): positions must be axes, not {place!r}") from None
    if not -x.dim() <= axis < x.dim():
        raise TypeError(f"index(): there is no axis {axis} in a tensor of {x.dim()} dimensions")
    return axis % x.dim()


def _chalf(self: _C.Tensor, *, memory_format: Any = None) -> _C.Tensor:
    """Raises NotImplementedError, as there is no complex dtype with 16-bit parts. Shapes: any."""
    raise NotImplementedError("Tensor.chalf(): the dtype complex32 is not implemented")


def _like(self: _C.Tensor, dtype: Any, device: Any, layout: Any, pin_memory: bool) -> dict[str, Any]:
    options = {"dtype": self.dtype if dtype is None else dtype, "device": self.device if device is None else device}
    return options | {"layout": layout, "pin_memory": pin_memory} if layout is not None or pin_memory else options


def _beside(self: _C.Tensor, made: _C.Tensor) -> _C.Tensor:
    """A new tensor beside this one: within vmap, if this one is batched, it has a value for each sample."""
    if _C._is_wrapped(self):
        from torch_np._transforms import batching

        return batching.beside(self, made)
    return made


def _new_tensor(self: _C.Tensor, data: Any, *, dtype: Any = None, device: Any = None, layout: Any = None,
                requires_grad: bool = False, pin_memory: bool = False) -> _C.Tensor:
    """Returns a copy of `data` as a tensor.

    Args:
      data: Numbers, nested sequences or an array.
      dtype: Dtype of the result; None is the dtype of this tensor.
      device: Device of the result; None is the device of this tensor.
      layout: Layout of the result; None is strided.
      requires_grad: Whether the result requires a gradient.
      pin_memory: Whether the memory is pinned.

    Shapes: as `data`.
    """
    return _C._torch.tensor(data, requires_grad=requires_grad, **_like(self, dtype, device, layout, pin_memory))


def _new_full(self: _C.Tensor, size: Sequence[int], fill_value: Any, *, dtype: Any = None, device: Any = None, layout: Any = None,
              requires_grad: bool = False, pin_memory: bool = False) -> _C.Tensor:
    """Returns a tensor that is filled with `fill_value`.

    Args:
      size: Shape of the result.
      fill_value: Value of all elements.
      dtype: Dtype of the result; None is the dtype of this tensor.
      device: Device of the result; None is the device of this tensor.
      layout: Layout of the result; None is strided.
      requires_grad: Whether the result requires a gradient.
      pin_memory: Whether the memory is pinned.

    Shapes: `size`.
    """
    return _beside(self, _C._torch.full(tuple(size), fill_value, **_like(self, dtype, device, layout, pin_memory))).requires_grad_(requires_grad)


def _new_empty(self: _C.Tensor, *size: Any, dtype: Any = None, device: Any = None, layout: Any = None,
               requires_grad: bool = False, pin_memory: bool = False) -> _C.Tensor:
    """Returns an uninitialised tensor.

    Args:
      size: Shape of the result.
      dtype: Dtype of the result; None is the dtype of this tensor.
      device: Device of the result; None is the device of this tensor.
      layout: Layout of the result; None is strided.
      requires_grad: Whether the result requires a gradient.
      pin_memory: Whether the memory is pinned.

    Shapes: `size`.
    """
    return _beside(self, _C._torch.empty(*(size or ((),)), **_like(self, dtype, device, layout, pin_memory))).requires_grad_(requires_grad)


def _new_zeros(self: _C.Tensor, *size: Any, dtype: Any = None, device: Any = None, layout: Any = None,
               requires_grad: bool = False, pin_memory: bool = False) -> _C.Tensor:
    """Returns a tensor of zeros.

    Args:
      size: Shape of the result.
      dtype: Dtype of the result; None is the dtype of this tensor.
      device: Device of the result; None is the device of this tensor.
      layout: Layout of the result; None is strided.
      requires_grad: Whether the result requires a gradient.
      pin_memory: Whether the memory is pinned.

    Shapes: `size`.
    """
    return _beside(self, _C._torch.zeros(*(size or ((),)), **_like(self, dtype, device, layout, pin_memory))).requires_grad_(requires_grad)


def _new_ones(self: _C.Tensor, *size: Any, dtype: Any = None, device: Any = None, layout: Any = None,
              requires_grad: bool = False, pin_memory: bool = False) -> _C.Tensor:
    """Returns a tensor of ones.

    Args:
      size: Shape of the result.
      dtype: Dtype of the result; None is the dtype of this tensor.
      device: Device of the result; None is the device of this tensor.
      layout: Layout of the result; None is strided.
      requires_grad: Whether the result requires a gradient.
      pin_memory: Whether the memory is pinned.

    Shapes: `size`.
    """
    return _beside(self, _C._torch.ones(*(size or ((),)), **_like(self, dtype, device, layout, pin_memory))).requires_grad_(requires_grad)


for _name, _method in {"type": _type, "storage": _storage, "set_": _set_, "resize": _resize,
                       "resize_as": _resize_as, "index": _index, "chalf": _chalf, "new_tensor": _new_tensor, "new_full": _new_full,
                       "new_empty": _new_empty, "new_zeros": _new_zeros, "new_ones": _new_ones, "share_memory_": share_memory_,
                       "is_shared": is_shared}.items():
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    setattr(_C.Tensor, _name, _method)
_C.Tensor.untyped_storage = _C._untyped_storage_method(UntypedStorage)  # type: ignore[method-assign]
for _name, _old in {"__truediv__": "__div__", "__rtruediv__": "__rdiv__", "__itruediv__": "__idiv__"}.items():  # names of Python 2
    setattr(_C.Tensor, _old, getattr(_C.Tensor, _name))
