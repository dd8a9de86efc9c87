"""`__torch_dispatch__`: modes and tensor subclasses that compute operators below autograd."""
from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from torch_np import _C
from torch_np._transforms import _levels
from torch_np._transforms.aten_calls import Values, converted
from torch_np._transforms.overloads import OpOverload

LEVEL = _levels.next_level()


class _State(threading.local):
    """The active modes of a thread, the innermost last."""

    def __init__(self) -> None:
        self.modes: list[Any] = []
        self.is_disabled = False  # subclasses are not asked


_state = _State()


def _disabled_torch_dispatch_impl(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Marks classes without `__torch_dispatch__`. Calls `func` with dispatch disabled."""
    with no_dispatch():
        return func(*args, **(kwargs or {}))


def has_dispatch(kind: type) -> bool:
    """Whether objects of a class compute operators by `__torch_dispatch__`."""
    found = getattr(kind, "__torch_dispatch__", None)
    return found is not None and getattr(found, "__func__", found) is not _disabled_torch_dispatch_impl


# --- calls

def _tensors(values: Iterable[Any]) -> Iterator[Any]:
    for v in values:
        if isinstance(v, _C.Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from _tensors(v)


def _objects(args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    """One tensor of each class that dispatches: classes before their base classes, otherwise in order."""
    found: list[Any] = []
    for t in _tensors([*args, *kwargs.values()]):
        kind = type(t)
        if has_dispatch(kind) and all(type(other) is not kind for other in found):
            place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
            found.insert(place, t)
    return found


def _changed(op: OpOverload, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The tensors that a call changes."""
    if "out" in kwargs:
        return [kwargs["out"]]
    if op._text is None or not op._schema.is_mutable:
        return []
    writes = [p.name for p in op._schema.arguments if p.alias_info and p.alias_info.is_write]
    named = {**dict(zip((p.name for p in op._schema.arguments), args, strict=False)), **kwargs}
    return list(_tensors([named[n] for n in writes if n in named]))


def _finished(op: OpOverload, args: list[Any], kwargs: dict[str, Any], values: Values, result: Any) -> Any:
    """The result as autograd sees it: a changed argument for an operator in place, a view of an argument."""
    changed = _changed(op, args, kwargs)
    for t in changed:
        parts = _C._wrapped_parts(t)
        if parts is not None and parts[0] == LEVEL:
            _C._bump_version(t)
    if changed:
        return changed[0] if len(changed) == 1 else tuple(changed)
    if op.is_view and args and op._opname != "detach":
        for view in _tensors([result] if isinstance(result, _C.Tensor) else result or ()):
            if _C._wrapped_parts(view) is not None and view is not args[0]:
                _C._become_view(view, args[0])
    if values.get("requires_grad") is True and isinstance(result, _C.Tensor):
        result.requires_grad_()
    return tuple(result) if isinstance(result, tuple) else result


def _refuse(op: OpOverload, asked: list[Any]) -> Any:
    raise TypeError(f"Multiple dispatch failed for 'torch.ops.{op}'; all __torch_dispatch__ handlers returned NotImplemented:\n\n"
                    + "\n".join(f"  - {a}" for a in asked))


def _of_subclasses(call: Any) -> Any:
    """Handler of calls with objects of subclasses."""
    if _state.is_disabled:
        return _of_data(call)
    found = converted(call)
    if found is None:
        return NotImplemented
    op, args, kwargs, values = found
    objects = _objects(args, kwargs)
    if not objects:
        return _of_data(call)
    types = tuple(map(type, objects))
    for t in objects:
        result = type(t).__torch_dispatch__(op, types, tuple(args), dict(kwargs))
        if result is not NotImplemented:
            return _finished(op, args, kwargs, values, result)
    return _refuse(op, [f"tensor subclass {t}" for t in types])


def _of_data(call: Any) -> Any:
    """Computes a call with the data of the subclasses' objects."""
    if call.schema is None:
        args = [_data(a) for a in call.args]
        if call.name == "copy_":
            args[0].copy_(args[1])
        elif call.name == "fill_":
            args[0].fill_(args[1])
        else:
            return args[0].item() if call.name == "item" else args[0].detach()
        return None
    result = call.run([[_data(v) for v in a] if isinstance(a, list) else _data(a) for a in call.args])
    originals = {id(_data(a)): a for a in call.args if isinstance(a, _C.Tensor)}
    return originals.get(id(result), result)  # a changed argument


def _data(value: Any) -> Any:
    parts = _C._wrapped_parts(value)
    if parts is None or parts[0] != LEVEL:
        return value
    if not parts[2]:
        raise RuntimeError(f"a {type(value).__name__} has no data: an operator needs its __torch_dispatch__, which is disabled here")
    return parts[1][0]


_C._set_dispatch(_of_subclasses, LEVEL)


# --- modes

def push_mode(mode: Any) -> None:
    """Makes a mode the innermost one of this thread."""
    place = len(_state.modes)

    def handler(call: Any) -> Any:
        saved = _state.modes
        found = converted(call)
        if found is None:
            return NotImplemented
        op, args, kwargs, values = found
        _state.modes = saved[:place]
        try:
            result = mode.__torch_dispatch__(op, tuple(map(type, _objects(args, kwargs))), tuple(args), dict(kwargs))
        finally:
            _state.modes = saved
        return _refuse(op, [f"mode object {mode}"]) if result is NotImplemented else _finished(op, args, kwargs, values, result)

    _C._push_dispatch_mode(handler)
    _state.modes = [*_state.modes, mode]


def pop_mode() -> Any:
    """Ends the innermost mode of this thread, and returns it."""
    if not _state.modes:
        raise RuntimeError("Trying to pop from an empty mode stack")
    _C._pop_dispatch_mode()
    mode = _state.modes[-1]
    _state.modes = _state.modes[:-1]
    return mode


def modes() -> list[Any]:
    """The active modes of this thread, the innermost last."""
    return list(_state.modes)


@contextmanager
def without_modes() -> Iterator[list[Any]]:
    """A context in which no mode of this thread is active."""
    saved, _state.modes = _state.modes, []
    token = _C._leave_transforms()
    try:
        yield list(saved)
    finally:
        _C._return_to_transforms(token)
        _state.modes = saved


@contextmanager
def no_dispatch() -> Iterator[None]:
    """A context in which neither modes nor subclasses compute operators. Those on objects of subclasses
    compute with their data, and return plain tensors.
    """
    before, _state.is_disabled = _state.is_disabled, True
    try:
        with without_modes():
            yield
    finally:
        _state.is_disabled = before


@contextmanager
def reentrant() -> Iterator[None]:
    """A context in which autograd records, though a handler of `__torch_dispatch__` runs."""
    before = _C._is_grad_enabled()
    _C._set_grad_enabled(True)
    try:
        yield
    finally:
        _C._set_grad_enabled(before)


# --- objects of subclasses

def make_wrapper_subclass(cls: type, size: Any, strides: Any = None, storage_offset: Any = None, memory_format: Any = None, dtype: Any = None,
                          layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
                          dispatch_sizes_strides_policy: Any = None, dispatch_device: bool = False, dispatch_layout: bool = False,
                          _extra_dispatch_keys: Any = None, storage_size: Any = None) -> Any:
    """Returns a tensor without elements of a subclass whose `__torch_dispatch__` computes all operators.

    Args:
      cls: The subclass of Tensor.
      size: Shape.
      strides: Strides; None is row-major.
      storage_offset: Has no effect.
      memory_format: Layout if `strides` is None; only contiguous_format.
      dtype: Dtype; None is the default dtype.
      layout: Only torch_np.strided.
      device: Device that the tensor shows; None is the CPU.
      pin_memory: Has no effect.
      requires_grad: Whether the tensor is a leaf that requires a gradient.
      dispatch_sizes_strides_policy: Has no effect: sizes and strides are those given.
      dispatch_device: Only False, unless the class has a property `device`.
      dispatch_layout: As `dispatch_device`.
      _extra_dispatch_keys: Has no effect.
      storage_size: Has no effect.

    Shapes: `size`.
    Errors: TypeError unless `cls` is a subclass of Tensor; RuntimeError unless it has
    `__torch_dispatch__`; NotImplementedError for other layouts.
    """
    import torch_np

    if not isinstance(cls, type) or not issubclass(cls, _C.Tensor):
        raise TypeError(f"cls must be a type (got {cls!r})")
    if not has_dispatch(cls):
        raise RuntimeError(f"{cls.__name__} must define __torch_dispatch__, as its objects have no elements")
    if layout not in (None, torch_np.strided):
        raise NotImplementedError(f"_make_wrapper_subclass(): the layout {layout} is not implemented")
    size = [size] if isinstance(size, int) else [int(n) for n in size]
    if strides is None:
        plain = torch_np.empty(size, device="meta") if memory_format is None else torch_np.empty(size, device="meta", memory_format=memory_format)
        strides = plain.stride()
    part = _C._torch.empty(0, dtype=torch_np.uint8, device="cpu" if device is None else device)
    with without_modes():
        return _C._make_wrapper(cls, part, False, torch_np.get_default_dtype() if dtype is None else dtype, size, [int(s) for s in strides],
                                requires_grad)


def with_data(cls: type, data: _C.Tensor, requires_grad: bool = False) -> Any:
    """Returns an object of a subclass with `__torch_dispatch__` that has the data of a plain tensor."""
    with without_modes():
        return _C._make_wrapper(cls, data.detach(), True, data.dtype, list(data.shape), list(data.stride()), requires_grad)
