"""Copies of sparse tensors: to other dtypes and devices, into others, and pickles."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import as_list, axes_of, check_in_place, layout_name, nnz_of, type_name
from torch_np.sparse._parts import COO, LAYOUTS, Parts, make, parts_of, replace, size_of
from torch_np.sparse._sizes import _check_growth
from torch_np.sparse._tensor import SparseTensor, implements


def _moved(x: Tensor, values: Tensor, copies: bool = False) -> Tensor:
    """A tensor with values that were converted, or `x` itself if they were not."""
    parts = parts_of(x)
    if values is parts.values and not copies:
        return x
    if values.is_meta and not parts.values.is_meta:  # without elements: nothing tells how many there are
        return torch_np.zeros_like(x, dtype=values.dtype, device=values.device)
    indices, plain = parts.indices.to(values.device, copy=copies), None if parts.plain is None else parts.plain.to(values.device, copy=copies)
    return make(parts._replace(indices=indices, plain=plain, values=values), size_of(x))


@implements("Tensor.to")
def _to(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    memory_format = kwargs.pop("memory_format", None)
    if memory_format not in (None, torch_np.preserve_format):
        raise RuntimeError(f"to(options): COO only supports memory format Preserve, but got {memory_format} instead.")
    if not _is_sparse(x):
        other = args[0] if args else kwargs.pop("other")
        return x.to(other.device, other.dtype, *args[1:], **kwargs)
    if (args and _is_sparse(args[0])) or _is_sparse(kwargs.get("other")):
        other = args[0] if args else kwargs.pop("other")
        args = (other.device, other.dtype, *args[1:])
    copies = bool(kwargs.get("copy", False)) or any(a is True for a in args[3 if args and isinstance(args[0], (str, torch_np.device)) else 2:])
    return _moved(x, parts_of(x).values.to(*args, **kwargs), copies)


def _cast(name: str) -> Callable[..., Tensor]:
    def method(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return _moved(x, getattr(parts_of(x).values, name)(*args, **kwargs))
    return method


for _name in ("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "cfloat", "cdouble", "cpu", "cuda", "pin_memory"):
    implements(f"Tensor.{_name}")(_cast(_name))


@implements("Tensor.type_as")
def _type_as(x: Tensor, other: Tensor) -> Tensor:
    if _is_sparse(x) != _is_sparse(other):
        raise RuntimeError("to(options) doesn't support converting to a different layout, but got self.layout being "
                           f"{layout_name(x)} and options.layout set as {layout_name(other)}")
    return x.to(other.device, other.dtype)


@implements("clone")
def clone(x: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy of a sparse tensor."""
    parts = parts_of(x)
    if memory_format is not None and parts.layout == COO:
        raise RuntimeError(f"unsupported memory format option {str(memory_format).rpartition('.')[2]}")
    return make(parts._replace(indices=parts.indices.clone(), plain=None if parts.plain is None else parts.plain.clone(),
                               values=parts.values.clone()), size_of(x))


@implements("Tensor.contiguous")
def _contiguous(x: Tensor, memory_format: Any = None) -> Tensor:
    if parts_of(x).layout == COO:
        raise RuntimeError("unsupported memory format option Contiguous")
    raise RuntimeError(f"Sparse {str(LAYOUTS[parts_of(x).layout])[-3:].upper()} tensors do not have is_contiguous")


def _copy_compressed(x: Tensor, src: Tensor) -> Tensor:
    if layout_name(x) != layout_name(src):
        if parts_of(x).layout == COO:
            raise RuntimeError("copy_sparse_compressed_ expected sparse compressed tensor layout but got Sparse")
        raise RuntimeError("torch.copy_: copy of sparse compressed tensors having different layouts is not supported. self layout is "
                           f"{layout_name(x)} and src layout is {layout_name(src)}")
    parts, source = parts_of(x), parts_of(src)
    if nnz_of(parts) != nnz_of(source):
        raise RuntimeError("torch.copy_: only sparse compressed tensors with the same number of specified elements are supported.")
    if size_of(x) != size_of(src):
        axis = next((i for i, (n, m) in enumerate(zip(size_of(x), size_of(src), strict=False)) if n != m), 0)
        raise RuntimeError(f"torch.copy_: expected shapes of self and src to match along dimension {axis} for {layout_name(x)} layout but the shapes "
                           f"are {as_list(size_of(x))} and {as_list(size_of(src))}, respectively.")
    if parts.values.shape != source.values.shape:
        raise RuntimeError("torch.copy_: copy of sparse compressed tensors having different block sizes is not supported. self and src block "
                           f"sizes are {as_list(parts.values.shape)} and {as_list(source.values.shape)}, respectively.")
    assert parts.plain is not None and source.plain is not None
    check_in_place(x)
    device, dtype = parts.values.device, parts.values.dtype
    return replace(x, Parts(parts.layout, source.indices.to(device, copy=True), source.plain.to(device, copy=True),
                            source.values.to(device, dtype, copy=True), False), size_of(x))


@implements("Tensor.copy_")
def copy_(x: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Copies a sparse tensor into another one, which gets its indices and its size."""
    if not _is_sparse(x) or not _is_sparse(src):
        if (_is_sparse(x) and parts_of(x).layout != COO) or (_is_sparse(src) and parts_of(src).layout != COO):
            return _copy_compressed(x, src) if _is_sparse(x) else _refuse_copy(x, src)
        return _refuse_copy(x, src)
    if x is src:
        return x
    parts, source = parts_of(x), parts_of(src)
    if parts.layout != COO or source.layout != COO:
        return _copy_compressed(x, src)
    check_in_place(x)
    mine, axes = axes_of(parts), axes_of(source)
    if nnz_of(parts):
        _check_growth(size_of(x), size_of(src), (mine.sparse, mine.dense), axes.sparse, axes.dense)
    values = source.values.to(parts.values.device, parts.values.dtype, copy=True)
    return replace(x, Parts(COO, source.indices.to(parts.values.device, copy=True), None, values, source.is_coalesced), size_of(src))


def _refuse_copy(x: Tensor, src: Tensor) -> Tensor:
    raise RuntimeError(f"copy_() between dense and sparse Tensors is not implemented! Found self type = {type_name(x)} and src type = "
                       f"{type_name(src)}")


def described(x: Tensor) -> tuple[Any, tuple[Any, ...]]:
    """The layout and the parts of a sparse tensor, as pickles have them."""
    parts, size = parts_of(x), torch_np.Size(size_of(x))
    if parts.plain is None:
        return LAYOUTS[COO], (parts.indices, parts.values.detach(), size, parts.is_coalesced)
    return LAYOUTS[parts.layout], (parts.indices, parts.plain, parts.values.detach(), size)


def _reduce_ex(x: Tensor, protocol: int = 2) -> Any:
    from torch_np.serialization._rebuild import _rebuild_sparse_tensor

    return _rebuild_sparse_tensor, described(x)


def _deepcopy(x: Tensor, memo: dict[int, Any]) -> Tensor:
    if id(x) in memo:
        return memo[id(x)]
    parts = parts_of(x)
    if not parts.values.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were "
                           "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
                           "https://github.com/pytorch/pytorch/pull/103001")
    values = parts.values.detach().clone().requires_grad_(parts.values.requires_grad)
    made = make(parts._replace(indices=parts.indices.clone(), plain=None if parts.plain is None else parts.plain.clone(), values=values), size_of(x))
    if parts.values.grad is not None:
        values.grad = parts.values.grad.clone()
    memo[id(x)] = made
    return made


def _copy(x: Tensor) -> Tensor:
    function, args = _reduce_ex(x)
    return function(*args)


for _name, _method in (("__reduce_ex__", _reduce_ex), ("__deepcopy__", _deepcopy), ("__copy__", _copy)):
    setattr(SparseTensor, _name, _method)
