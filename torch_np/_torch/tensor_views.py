"""Methods of Tensor: objects of subclasses, older constructors, orders of axes, functions of each
element, and those that functions of torch_np have, too.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from torch_np import _C
from torch_np._torch.dtype_names import LEGACY
from torch_np._transforms.dispatch import _disabled_torch_dispatch_impl, has_dispatch, make_wrapper_subclass, with_data


def as_subclass(self: _C.Tensor, cls: type) -> Any:
    """Returns a tensor of a subclass with the same memory and history.

    Args:
      cls: The subclass of Tensor.

    Shapes: unchanged.
    Errors: TypeError unless `cls` is a subclass of Tensor.
    """
    if not isinstance(cls, type) or not issubclass(cls, _C.Tensor):
        raise TypeError(f"as_subclass(): cls must be a subclass of Tensor, not {cls!r}")
    if has_dispatch(cls):
        if self.requires_grad:
            raise NotImplementedError("as_subclass(): a tensor that requires grad as a subclass with __torch_dispatch__; detach it")
        return with_data(cls, self)
    if not self.requires_grad:
        return _C._make_subclass(cls, self)
    _C._make_subclass(cls, _C._torch.empty((0,)))  # tells the engine of a class that overrides functions
    made: Any = self.view_as(self)
    made.__class__ = cls
    return made


def _make_subclass(cls: type, data: _C.Tensor, require_grad: bool = False) -> Any:
    """Returns a leaf of a subclass with the memory of `data`.

    Args:
      cls: The subclass of Tensor.
      data: The tensor.
      require_grad: Whether the result requires a gradient.

    Shapes: as `data`.
    """
    return with_data(cls, data, require_grad) if has_dispatch(cls) else _C._make_subclass(cls, data, require_grad)


def new(self: _C.Tensor, *args: Any, device: Any = None) -> _C.Tensor:
    """Returns a tensor of the same dtype and device: PyTorch's older constructor.

    Args:
      args: Sizes, of which the elements are uninitialised; or a sequence of values; or a tensor,
        whose memory the result shares. Nothing makes an empty tensor.
      device: Device of the result; None is that of the tensor.

    Shapes: the sizes, or as the values.
    Errors: TypeError for a tensor of another dtype.
    """
    where = self.device if device is None else device
    if len(args) == 1 and isinstance(args[0], _C.Tensor):
        if args[0].dtype != self.dtype:
            raise TypeError(f"new(): the tensor has dtype {args[0].dtype}, expected {self.dtype}")
        return args[0].detach().to(where)
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], _C.Size):
        return _C._torch.tensor(args[0], dtype=self.dtype, device=where)
    size = tuple(args[0]) if len(args) == 1 and isinstance(args[0], _C.Size) else args or (0,)
    return _C._torch.empty(size, dtype=self.dtype, device=where)


def new_empty_strided(self: _C.Tensor, size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, layout: Any = None,
                      device: Any = None, pin_memory: bool = False, requires_grad: bool = False) -> _C.Tensor:
    """Returns an uninitialised tensor with the given strides.

    Args:
      size: Shape of the result.
      stride: Its strides, in elements.
      dtype: Dtype of the result; None is the dtype of this tensor.
      layout: None or strided.
      device: Device of the result; None is the device of this tensor.
      pin_memory: Whether the memory is pinned.
      requires_grad: Whether the result requires a gradient.

    Shapes: `size`.
    Errors: NotImplementedError for another layout.
    """
    if layout is not None:
        from torch_np._torch.windows import check_layout

        check_layout("new_empty_strided", layout)
    made = _C._torch.empty_strided(tuple(size), tuple(stride), dtype=self.dtype if dtype is None else dtype,
                                   device=self.device if device is None else device)
    made = made.pin_memory() if pin_memory else made
    return made.requires_grad_() if requires_grad else made


def _order(size: Sequence[int], stride: Sequence[int]) -> list[int]:
    """The axes from the outermost in memory to the innermost. Axes whose order does not matter stay
    in place.
    """
    def inner(a: int, b: int) -> bool | None:
        if not stride[a] or not stride[b]:
            return None
        if stride[a] != stride[b]:
            return stride[a] < stride[b]
        return True if size[b] > size[a] else None

    order = list(reversed(range(len(size))))  # from the innermost
    for i in range(1, len(order)):
        at = i
        for before in reversed(range(i)):
            swapped = inner(order[at], order[before])
            if swapped:
                order[at], order[before] = order[before], order[at]
                at = before
            elif swapped is False:
                break
    return order[::-1]


def dim_order(self: _C.Tensor, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Returns the axes in the order of their strides, from the outermost in memory to the
    innermost.

    Args:
      ambiguity_check: True raises if another order fits, too; a list of memory formats raises
        unless the tensor has exactly one of them.

    Errors: RuntimeError for an ambiguous order; TypeError for another `ambiguity_check`.
    """
    import torch_np

    size, stride = tuple(self.shape), self.stride()
    unclear = RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory formats.")
    if isinstance(ambiguity_check, (list, tuple)):
        if sum(self.is_contiguous(memory_format=f) for f in ambiguity_check) != 1:
            raise unclear
    elif not isinstance(ambiguity_check, bool):
        raise TypeError(f"dim_order(): ambiguity_check must be a bool or a list of memory formats, not {ambiguity_check!r}")
    elif ambiguity_check and (len(set(stride)) < len(stride) or 0 in stride):
        raise unclear
    if self.is_contiguous():
        return tuple(range(self.dim()))
    channels_last = {4: torch_np.channels_last, 5: torch_np.channels_last_3d}.get(self.dim())
    if channels_last is not None and self.is_contiguous(memory_format=channels_last):
        return (0, *range(2, self.dim()), 1)
    return tuple(_order(size, stride))


def is_set_to(self: _C.Tensor, tensor: _C.Tensor) -> bool:
    """Whether both tensors are the same view of the same memory.

    Args:
      tensor: The other tensor.

    Shapes: any.
    """
    return (_C._storage_id(self) == _C._storage_id(tensor) and self.storage_offset() == tensor.storage_offset()
            and self.shape == tensor.shape and self.stride() == tensor.stride())


def slice_inverse(self: _C.Tensor, src: _C.Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> _C.Tensor:
    """Returns the tensor that this one is a slice of, as a view of its memory.

    Args:
      src: A tensor with the shape and strides of the result.
      dim: Has no effect.
      start: Has no effect.
      end: Has no effect.
      step: Has no effect.

    Shapes: as `src`.
    Errors: RuntimeError if the result exceeds the memory.
    """
    return self.as_strided(tuple(src.shape), src.stride(), src.storage_offset())


def storage_type(self: _C.Tensor) -> Any:
    """Returns the class of storages with this dtype, such as torch_np.FloatStorage."""
    import torch_np

    return getattr(torch_np, f"{LEGACY[self.dtype]}Storage")


def module_load(self: _C.Tensor, other: _C.Tensor, assign: bool = False) -> _C.Tensor:
    """Returns what `load_state_dict` puts in place of this tensor.

    Args:
      other: The loaded tensor.
      assign: Whether it is `other` itself, instead of this tensor with its values.

    Shapes: both the same.
    """
    return other.detach() if assign else self.copy_(other).detach()


def _checked(name: str, tensor: _C.Tensor) -> Callable[[Any], Any]:
    if tensor.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    if not tensor.is_cpu:
        raise TypeError(f"{name}() is only implemented on CPU tensors, not on {tensor.device}")
    floating = tensor.is_floating_point() or tensor.is_complex()
    return (lambda v: v) if floating else bool if tensor.dtype == _C.bool else operator.index


def _set_elements(self: _C.Tensor, values: list[Any]) -> _C.Tensor:
    return self.copy_(_C._torch.tensor(values, dtype=self.dtype, device="cpu").reshape(tuple(self.shape)))


def apply_(self: _C.Tensor, callable: Callable[[Any], Any]) -> _C.Tensor:  # noqa: A002
    """Replaces each element by a function of it, and returns the tensor. It is slow.

    Args:
      callable: Function of a Python number.

    Shapes: unchanged.
    Errors: RuntimeError for a tensor that requires a gradient; TypeError for a tensor on a GPU, and
    for results that the dtype does not take.
    """
    convert = _checked("apply_", self)
    return _set_elements(self, [convert(callable(v)) for v in self.reshape(-1).tolist()])


def map_(self: _C.Tensor, tensor: _C.Tensor, callable: Callable[[Any, Any], Any]) -> _C.Tensor:  # noqa: A002
    """Replaces each element by a function of it and of one of another tensor. It is slow.

    Args:
      tensor: The other tensor.
      callable: Function of two Python numbers.

    Shapes: `tensor` broadcasts to this tensor.
    Errors: as `apply_`.
    """
    convert = _checked("map_", self)
    other = tensor.expand_as(self).reshape(-1).tolist()
    return _set_elements(self, [convert(callable(*v)) for v in zip(self.reshape(-1).tolist(), other, strict=True)])


def map2_(self: _C.Tensor, x: _C.Tensor, y: _C.Tensor, callable: Callable[[Any, Any, Any], Any]) -> _C.Tensor:  # noqa: A002
    """Replaces each element by a function of it and of those of two other tensors. It is slow.

    Args:
      x: A tensor.
      y: A tensor.
      callable: Function of three Python numbers.

    Shapes: `x` and `y` broadcast to this tensor.
    Errors: as `apply_`.
    """
    convert = _checked("map2_", self)
    others = [t.expand_as(self).reshape(-1).tolist() for t in (x, y)]
    return _set_elements(self, [convert(callable(*v)) for v in zip(self.reshape(-1).tolist(), *others, strict=True)])


def _false(self: _C.Tensor) -> bool:
    """False: conjugates and negatives are computed at once, and there are no tensors of this kind.
    """
    return False


def is_inference(self: _C.Tensor) -> bool:
    """Whether the memory of the tensor was allocated in `inference_mode`."""
    return _C._is_inference(self)


def _itself(self: _C.Tensor) -> _C.Tensor:
    """Returns the tensor itself, as conjugates and negatives are computed at once. Shapes:
    unchanged.
    """
    return self


def dequantize(self: _C.Tensor) -> _C.Tensor:
    """Returns the tensor in float32. Shapes: unchanged."""
    return self.to(_C.float32)


def _named(name: str, method: Any) -> Any:
    """A copy of a method, with its own name."""
    return type(method)(method.__code__, method.__globals__, name, None, method.__closure__)


def _by_function(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        import torch_np

        return getattr(torch_np, name)(self, *args, **kwargs)
    method.__doc__ = f"Calls torch_np.{name} with the tensor as the first argument. Shapes: see there."
    return method


_METHODS: dict[str, Any] = {f.__name__: f for f in (
    apply_, as_subclass, dequantize, dim_order, is_inference, is_set_to, map2_, map_, module_load, new, new_empty_strided, slice_inverse, storage_type)}
_conj = _C.Tensor.conj


def conj(self: _C.Tensor, *, out: _C.Tensor | None = None) -> _C.Tensor:
    """Complex conjugate of each element; a real tensor is returned itself, unless there is an `out`.
    Shapes: the result has the shape of the tensor.
    """
    return self if out is None and not self.is_complex() else _conj(self, out=out)


_METHODS["conj"] = conj
_METHODS |= {name: _by_function(name) for name in (
    "nanquantile", "narrow_copy", "quantile", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes")}
for _name in ("is_conj", "is_distributed", "is_neg", "resolve_conj", "resolve_neg"):
    _same = _itself if _name.startswith("resolve") else _false
    _METHODS[_name] = _named(_name, _same)
    _METHODS[_name].__doc__, _METHODS[_name].__annotations__ = _same.__doc__, _same.__annotations__
for _name, _method in _METHODS.items():
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    setattr(_C.Tensor, _name, _method)
setattr(_C.Tensor, "const_data_ptr", _C.Tensor.data_ptr)
setattr(_C.Tensor, "_make_subclass", staticmethod(_make_subclass))
setattr(_C.Tensor, "_make_wrapper_subclass", staticmethod(make_wrapper_subclass))
setattr(_C.Tensor, "__torch_dispatch__", staticmethod(_disabled_torch_dispatch_impl))
