"""Tensors, parameters and storages in Python's own pickles, in PyTorch's form: a function's name and
its arguments. A pickle that PyTorch wrote names these functions as `torch._utils._rebuild_tensor_v2`
and `torch.storage._load_from_bytes`. Under the launcher, this package writes the same.

These pickles may hold any code, as all of Python's. `torch_np.save` writes files of data alone.
"""
from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import _C
from torch_np._torch.storage import TypedStorage, UntypedStorage

Storage = TypedStorage | UntypedStorage


# --- functions that pickles name

def _rebuild_tensor(storage: Storage, storage_offset: int, size: Any, stride: Any) -> _C.Tensor:
    return _view(storage, storage.dtype if isinstance(storage, TypedStorage) else _C.uint8, storage_offset, size, stride)


def _rebuild_tensor_v2(storage: Storage, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any,
                       metadata: Any = None) -> _C.Tensor:
    _refuse_hooks("_rebuild_tensor_v2", backward_hooks, metadata)
    return _rebuild_tensor(storage, storage_offset, size, stride).requires_grad_(requires_grad)


def _rebuild_tensor_v3(storage: Storage, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any, dtype: _C.dtype,
                       metadata: Any = None) -> _C.Tensor:
    _refuse_hooks("_rebuild_tensor_v3", backward_hooks, metadata)
    return _view(storage, dtype, storage_offset, size, stride).requires_grad_(requires_grad)


def _rebuild_meta_tensor_no_storage(dtype: _C.dtype, size: Any, stride: Any, requires_grad: bool) -> _C.Tensor:
    return torch_np.empty_strided(size, stride, dtype=dtype, device="meta").requires_grad_(requires_grad)


def _rebuild_parameter(data: _C.Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    _refuse_hooks("_rebuild_parameter", backward_hooks)
    return torch_np.nn.Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: _C.Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Any:
    return _with_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _rebuild_from_type_v2(func: Callable[..., _C.Tensor], new_type: Any, args: tuple[Any, ...], state: Any) -> _C.Tensor:
    made = func(*args)
    if type(made) is not new_type:
        if not (isinstance(new_type, type) and issubclass(new_type, _C.Tensor)):
            raise NotImplementedError(f"_rebuild_from_type_v2(): the pickle holds a tensor of {new_type!r}, which is no subclass of Tensor")
        made = _C._make_subclass(new_type, made.detach(), made.requires_grad)
    return _with_state(made, state)


def _rebuild_sparse_tensor(layout: Any, data: tuple[Any, ...]) -> _C.Tensor:
    """A sparse tensor of a layout and its parts; RuntimeError for parts that do not fit."""
    if layout is torch_np.sparse_coo:
        return torch_np.sparse_coo_tensor(*data[:3], is_coalesced=data[3] if len(data) == 4 else None, check_invariants=True)
    return torch_np.sparse_compressed_tensor(*data, layout=layout, check_invariants=True)


def _get_layout(name: str) -> Any:
    """The layout with a name such as torch.sparse_coo."""
    from torch_np.sparse._parts import LAYOUTS

    for layout in (torch_np.strided, *LAYOUTS):
        if str(layout).partition(".")[2] == name.partition(".")[2]:
            return layout
    raise ValueError(f"there is no layout {name!r}")


def _load_from_bytes(b: bytes) -> Storage:
    """The storage of the bytes: a file of `torch_np.save`, or one of PyTorch's in its first format.
    """
    if b[:2] == b"PK":
        return torch_np.load(io.BytesIO(b))
    from torch_np.serialization import _legacy

    return _legacy.load_storage(b)


def _view(storage, dtype, offset, size, stride):
    held = (storage if isinstance(storage, UntypedStorage) else storage.untyped())._bytes
    return _C._set_storage(torch_np.empty((0,), dtype=dtype, device=held.device), held, dtype, offset, tuple(size), tuple(stride))


def _refuse_hooks(function, hooks, metadata=None):
    if hooks or metadata:
        raise NotImplementedError(f"{function}(): the pickled tensor has {'hooks' if hooks else 'metadata'}, which are not restored")


def _with_state(made, state):
    if isinstance(state, tuple):  # attributes of __dict__ and of __slots__
        state, slots = state
        for name, value in (slots or {}).items():
            setattr(made, name, value)
    if state:
        made.__dict__.update(state)
    return made


# --- descriptions for pickle

def reduce_storage(storage: Storage) -> tuple[Any, ...]:
    """Describes a storage: `_load_from_bytes` of a file."""
    file = io.BytesIO()
    torch_np.save(storage, file)
    return _load_from_bytes, (file.getvalue(),)


def reduce_tensor(tensor: _C.Tensor) -> tuple[Any, ...]:
    """Describes a tensor as PyTorch does: the whole storage, with the tensor's place in it."""
    function: Any
    args: tuple[Any, ...]
    wants: Any = bool(tensor.requires_grad)
    if tensor.is_meta:
        function, args = _rebuild_meta_tensor_no_storage, (tensor.dtype, tuple(tensor.shape), tensor.stride(), wants)
    else:
        from torch_np.serialization._pickler import _STORAGE_OF, _is_plain

        held = tensor.detach()
        if not _is_plain(held):
            held = held.clone().contiguous()
        place: tuple[Any, ...] = held.storage_offset(), tuple(held.shape), tuple(held.stride()), wants, OrderedDict()
        untyped = UntypedStorage._of(held)
        if held.dtype in _STORAGE_OF:
            function, args = _rebuild_tensor_v2, (TypedStorage(wrap_storage=untyped, dtype=held.dtype), *place)
        else:
            function, args = _rebuild_tensor_v3, (untyped, *place, held.dtype)
    state = getattr(tensor, "__dict__", None) or None
    if type(tensor) is _C.Tensor and state is None:
        return function, args
    return _rebuild_from_type_v2, (function, type(tensor), args, state)


def reduce_parameter(parameter: Any) -> tuple[Any, ...]:
    """Describes a parameter as PyTorch does: its tensor and whether it requires a gradient."""
    state = parameter.__dict__
    args: tuple[Any, ...] = (parameter.data, parameter.requires_grad, OrderedDict())
    return (_rebuild_parameter_with_state, (*args, state)) if state else (_rebuild_parameter, args)
