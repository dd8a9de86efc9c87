"""New sparse tensors like others, and changes of all elements in place."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import BLOCKED, BY_ROWS, as_list, axes_of, blocksize_of, layout_name, name_of_layout, set_parts
from torch_np.sparse._invariants import check_size
from torch_np.sparse._parts import COO, CSC, CSR, LAYOUTS, Parts, make, make_coo, parts_of, replace, size_of
from torch_np.sparse._tensor import SparseTensor, implements


def empty_of(size: Sequence[int], layout: int, sparse: int | None = None, block: tuple[int, int] = (1, 1), dense: int = 0,
             index_dtype: Any = None, **options: Any) -> Tensor:
    """A sparse tensor without elements.

    Args:
      size: its size
      layout: number of its layout
      sparse: number of sparse axes of a COO tensor; None is all
      block: shape of the blocks
      dense: number of dense axes of a compressed tensor
      index_dtype: dtype of indices; None is int64
      options: `dtype`, `device` and `requires_grad` of the values
    """
    size = tuple(size)
    check_size(size)
    if layout == COO:
        sparse = len(size) if sparse is None else sparse
        values = torch_np.zeros((0, *size[sparse:]), **options)
        return make_coo(torch_np.zeros((sparse, 0), dtype=torch_np.int64, device=values.device), values, size, True)
    batch = len(size) - 2 - dense
    if batch < 0:
        raise RuntimeError(f"torch.zeros: Only batched sparse compressed (non-block) tensors are supported, but got size {as_list(size)}")
    batches = size[:batch]
    values = torch_np.zeros((*batches, 0, *(block if layout in BLOCKED else ()), *size[batch + 2:]), **options)
    axis = 0 if layout in BY_ROWS else 1
    lines = size[batch + axis] // max(block[axis], 1)
    kind = torch_np.int64 if index_dtype is None else index_dtype
    return make(Parts(layout, torch_np.zeros((*batches, lines + 1), dtype=kind, device=values.device),
                      torch_np.zeros((*batches, 0), dtype=kind, device=values.device), values, False), size)


def _options(x: Tensor, dtype: Any, device: Any, requires_grad: bool) -> dict[str, Any]:
    values = parts_of(x).values
    return {"dtype": values.dtype if dtype is None else dtype, "device": values.device if device is None else device,
            "requires_grad": requires_grad}


def _refuse_memory_format(x: Tensor, memory_format: Any) -> None:
    if memory_format is None:
        return
    if parts_of(x).layout == COO:
        raise RuntimeError("memory format option is only supported by strided tensors")
    raise RuntimeError(f"unsupported memory format {memory_format}")


def _zeros_like(input: Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,  # noqa: A002
                memory_format: Any = None) -> Tensor:
    options = _options(input, dtype, device, requires_grad)
    if layout is not None and layout not in LAYOUTS:
        return torch_np.zeros(size_of(input), **options)
    _refuse_memory_format(input, memory_format)
    parts = parts_of(input)
    axes = axes_of(parts)
    number = parts.layout if layout is None else LAYOUTS.index(layout)
    if number == COO:
        return empty_of(size_of(input), COO, axes.batch + axes.sparse, **options)
    if number in BLOCKED and parts.layout not in BLOCKED:
        raise RuntimeError(f"zeros_like(): the layout {name_of_layout(layout)} needs a shape of blocks")
    kind = None if parts.layout == COO else parts.indices.dtype
    return empty_of(size_of(input), number, block=blocksize_of(parts), dense=axes.dense, index_dtype=kind, **options)


implements("zeros_like")(_zeros_like)


def _filled_like(name: str) -> Callable[..., Tensor]:
    def make_like(input: Tensor, *args: Any, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,  # noqa: A002
                  memory_format: Any = None, **kwargs: Any) -> Tensor:
        options = _options(input, dtype, device, requires_grad)
        if layout is not None and layout not in LAYOUTS:
            return getattr(torch_np, name)(torch_np.empty(size_of(input), **(options | {"requires_grad": False})), *args, **kwargs, **options)
        _refuse_memory_format(input, memory_format)
        parts = parts_of(input)
        if layout is not None and LAYOUTS.index(layout) != parts.layout:
            raise RuntimeError(f"{name} with different sparse layout is not supported (self is {layout_name(input)} but you requested "
                               f"{name_of_layout(layout)})")
        if parts.layout == COO:
            if name == "empty_like":
                return _zeros_like(input, dtype=dtype, device=device, requires_grad=requires_grad)
            raise NotImplementedError(f"{name}(): not implemented for tensors of the layout sparse_coo, of which all elements would be specified")
        values = getattr(torch_np, name)(parts.values.detach(), *args, **kwargs, **options)
        plain = parts.plain
        return make(parts._replace(indices=parts.indices.to(values.device, copy=True), plain=None if plain is None else plain.to(values.device,
                    copy=True), values=values), size_of(input))
    return make_like


for _name in ("empty_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like"):
    implements(_name)(_filled_like(_name))


def _new_zeros(x: Tensor, size: Any, *more: int, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
               pin_memory: bool = False) -> Tensor:
    size = (size, *more) if isinstance(size, int) else tuple(size)
    options = _options(x, dtype, device, requires_grad)
    number = parts_of(x).layout
    if layout is not None:
        if layout not in LAYOUTS:
            return torch_np.zeros(size, **options)
        number = LAYOUTS.index(layout)
    if number in BLOCKED:
        raise RuntimeError(f"zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got {name_of_layout(LAYOUTS[number])}")
    return empty_of(size, number, **options)


def _new(x: Tensor, *args: Any, device: Any = None) -> Tensor:
    """PyTorch's older constructor: sizes, or indices, values and a size."""
    values = parts_of(x).values
    where = values.device if device is None else device
    if len(args) > 1 and isinstance(args[0], Tensor):
        if isinstance(args[1], Tensor) and args[1].dtype != values.dtype:
            raise TypeError(f"expected {values.dtype} (got {args[1].dtype})")
        return torch_np.sparse_coo_tensor(*args, device=where)
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], torch_np.Size):
        raise TypeError("SparseTensor.new(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a strided tensor and "
                        "convert it to sparse via to_sparse.")
    size = tuple(args[0]) if len(args) == 1 and isinstance(args[0], torch_np.Size) else args or (0,)
    return empty_of(size, parts_of(x).layout, dtype=values.dtype, device=where)


def _new_filled(name: str) -> Callable[..., Tensor]:
    def method(x: Tensor, *args: Any, layout: Any = None, **kwargs: Any) -> Tensor:
        if not _is_sparse(x) or (layout is not None and layout not in LAYOUTS) or name == "new_tensor":
            return getattr(parts_of(x).values.detach(), name)(*args, **kwargs)
        raise NotImplementedError(f"{name}(): not implemented for tensors of the layout {LAYOUTS[parts_of(x).layout]}")
    return method


@implements("Tensor.zero_", "zero_")
def _zero_(x: Tensor) -> Tensor:
    empty = _zeros_like(x)
    return set_parts(x, parts_of(empty), size_of(x))


@implements("fill_", "Tensor.fill_")
def _fill_(x: Tensor, value: Any) -> Tensor:
    if parts_of(x).layout == COO:
        raise NotImplementedError("fill_(): not implemented for tensors of the layout sparse_coo, of which all elements would be specified")
    parts_of(x).values.fill_(value)
    return x


def _resize_csr(x: Tensor, size: tuple[int, ...]) -> Tensor:
    parts, old = parts_of(x), size_of(x)
    axes = axes_of(parts)
    if len(size) < 2:
        raise RuntimeError("torch.resize_: Only batched sparse CSR matrices are supported, but got size " + as_list(size))
    if parts.layout not in (CSR, CSC) or axes.batch or axes.dense or len(size) != 2:
        raise NotImplementedError(f"resize_(): not implemented from the size {as_list(old)} to {as_list(size)} in the layout {layout_name(x)}")
    lines, others = (0, 1) if parts.layout == CSR else (1, 0)
    if size[others] < old[others]:
        names = ("columns", "CSR") if parts.layout == CSR else ("rows", "CSC")
        raise RuntimeError(f"torch.resize_: Resizing {names[0]} of sparse {names[1]} tensors to a smaller value is not supported. The original number "
                           f"of {names[0]} is {old[others]} while the requested new number of {names[0]} is {size[others]}.")
    pointers, count = parts.indices, size[lines] + 1
    if count <= pointers.shape[0]:
        end = int(pointers[count - 1])
        pointers, plain, values = pointers[:count].clone(), parts.plain, parts.values
        assert plain is not None
        return replace(x, Parts(parts.layout, pointers, plain[:end].clone(), values[:end].clone(), False), size)
    pointers = torch_np.cat((pointers, pointers[-1:].expand(count - pointers.shape[0])))
    return replace(x, parts._replace(indices=pointers), size)


@implements("Tensor.resize_")
def _resize_(x: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    wanted = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
    if wanted == size_of(x):
        return x
    if parts_of(x).layout == COO:
        raise NotImplementedError("resize_(): not implemented for tensors of the layout sparse_coo; use sparse_resize_()")
    return _resize_csr(x, wanted)


@implements("Tensor.resize_as_")
def _resize_as_(x: Tensor, other: Tensor, *, memory_format: Any = None) -> Tensor:
    if not _is_sparse(x):
        return x.resize_(size_of(other))
    if parts_of(x).layout == COO and _is_sparse(other):
        from torch_np.sparse._sizes import resize_as_sparse_

        return resize_as_sparse_(x, other)
    return _resize_(x, tuple(other.shape))


@implements("equal")
def _equal(a: Tensor, b: Tensor) -> bool:
    if layout_name(a) != layout_name(b) or tuple(a.shape) != tuple(b.shape):
        return False
    x, y = (parts_of(t.coalesce() if parts_of(t).layout == COO else t) for t in (a, b))
    return torch_np.equal(x.indices, y.indices) and (x.plain is None or y.plain is None or torch_np.equal(x.plain, y.plain)) \
        and torch_np.equal(x.values, y.values)


_OF_LAYOUTS = frozenset(("empty", "empty_like", "new_empty", "new_zeros", "zeros", "zeros_like"))


def with_layout(name: str, *args: Any, layout: Any, **options: Any) -> Tensor:
    """The function or method of a name, called for a sparse layout: of a dense tensor, or of sizes.

    Args:
      name: `zeros`, `empty`, `zeros_like` and so on
      args: the positional arguments
      layout: the layout
      options: the other arguments
    """
    number = LAYOUTS.index(layout)
    options.pop("memory_format", None)
    pinned = options.pop("pin_memory", False)
    if pinned:
        raise NotImplementedError(f"{name}(): pin_memory is not implemented for the layout {layout}")
    if isinstance(args[0], Tensor):
        values, size = args[0], args[0].shape if name.endswith("like") else args[1]
        options = {"dtype": values.dtype, "device": values.device} | {key: value for key, value in options.items() if value is not None}
    else:
        size = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    if number in BLOCKED:
        kind = name.rpartition("_")[2].replace("like", "zeros")
        raise RuntimeError(f"{kind}_sparse_compressed expected sparse compressed (non-block) tensor layout but got {name_of_layout(layout)}")
    if number != COO and len(size) < 2:
        raise RuntimeError(f"torch.{name}: Only batched sparse compressed (non-block) tensors are supported, but got size {as_list(size)}")
    return empty_of(size, number, **options)


@implements("zeros")
def _zeros(*size: Any, out: Tensor, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
           pin_memory: bool = False) -> Tensor:
    wanted = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    values = parts_of(out).values
    empty = empty_of(wanted, parts_of(out).layout, dtype=values.dtype, device=values.device)
    set_parts(out, parts_of(empty), wanted)
    return out.requires_grad_() if requires_grad else out


@implements("as_tensor", "asarray")
def _as_tensor(data: Tensor, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False) -> Tensor:
    made = data.to(device=parts_of(data).values.device if device is None else device, dtype=data.dtype if dtype is None else dtype, copy=bool(copy))
    return made.requires_grad_() if requires_grad else made


@implements("tensor")
def _tensor(data: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    if not _is_sparse(data):
        raise TypeError("tensor(): a sequence of sparse tensors makes no tensor; use stack()")
    return _as_tensor(data, dtype=dtype, device=device, copy=True).detach().requires_grad_(requires_grad)


# Methods of Tensor in Python, which look for no overrides.
setattr(SparseTensor, "new", _new)
for _name in ("new_zeros", "new_empty"):
    setattr(SparseTensor, _name, _new_zeros)
for _name in ("new_ones", "new_full", "new_tensor"):
    setattr(SparseTensor, _name, _new_filled(_name))


def call_with_layout(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function of PyTorch's face with a sparse layout among its arguments.

    Args:
      function: the function or method
      args: the positional arguments
      kwargs: the other arguments
    """
    name = getattr(function, "__name__", str(function))
    if name in _OF_LAYOUTS:
        return with_layout(name, *args, **kwargs)
    composition = getattr(function, "__wrapped__", None)
    if type(composition) is FunctionType:
        return composition(*args, **kwargs)
    raise NotImplementedError(f"{name}(): not implemented for sparse layouts; to_sparse() makes a sparse tensor of a dense one")
