"""Functions that copy where others make a view, and those that ask about lazy conjugation."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from torch_np import _C
from torch_np._torch.memory_format import contiguous_format

_torch = _C._torch

__all__ = [
    "alias_copy", "as_strided_copy", "dequantize", "detach_copy", "diagonal_copy", "expand_copy", "is_conj", "is_distributed", "is_inference",
    "is_neg", "narrow_copy", "permute_copy", "resolve_conj", "resolve_neg", "select_copy", "slice_copy", "split_copy",
    "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy", "unbind_copy", "unfold_copy", "unsafe_chunk", "unsafe_split",
    "unsafe_split_with_sizes", "unsqueeze_copy", "view_as_complex_copy", "view_as_real_copy", "view_copy"]


def _copied(result: Any, out: Any) -> Any:
    if isinstance(result, (tuple, list)):
        copies = tuple(r.clone(memory_format=contiguous_format) for r in result)
        if out is None:
            return copies
        for to, copy in zip(out, copies, strict=True):
            _torch.clone(copy, out=to)
        return None
    return _torch.clone(result, memory_format=contiguous_format) if out is None else _torch.clone(result, out=out)


def _copy_of(name: str, view: Callable[..., Any], what: str) -> Any:
    def function(input: _C.Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        return _copied(view(input, *args, **kwargs), out)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Returns a copy of {what}, with the arguments of the function that makes a view.\n\n"
                        "    Args:\n      input: Tensor.\n      args: Arguments.\n      out: Tensor, or tensors, to write to.\n"
                        "      kwargs: Keyword arguments.\n\n    Shapes: as the view.\n    ")
    return function


def _slice(x: _C.Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> _C.Tensor:
    return x[(slice(None),) * (dim % x.dim()) + (slice(start, end, step),)]


alias_copy = _copy_of("alias_copy", lambda x: x, "the tensor")
as_strided_copy = _copy_of("as_strided_copy", _torch.as_strided, "`as_strided(input, ...)`")
detach_copy = _copy_of("detach_copy", lambda x: x.detach(), "the tensor, detached from the graph")
diagonal_copy = _copy_of("diagonal_copy", _torch.diagonal, "`diagonal(input, ...)`")
expand_copy = _copy_of("expand_copy", lambda x, size, implicit=False: x.expand(size), "`input.expand(size)`")
narrow_copy = _copy_of("narrow_copy", _torch.narrow, "`narrow(input, ...)`")
permute_copy = _copy_of("permute_copy", _torch.permute, "`permute(input, dims)`")
select_copy = _copy_of("select_copy", _torch.select, "`select(input, dim, index)`")
slice_copy = _copy_of("slice_copy", _slice, "the slice `start:end:step` along `dim`")
split_copy = _copy_of("split_copy", _torch.split, "the parts that `split(input, ...)` returns")
split_with_sizes_copy = _copy_of("split_with_sizes_copy", _torch.split, "the parts of given sizes")
squeeze_copy = _copy_of("squeeze_copy", _torch.squeeze, "`squeeze(input, ...)`")
t_copy = _copy_of("t_copy", _torch.t, "`t(input)`")
transpose_copy = _copy_of("transpose_copy", _torch.transpose, "`transpose(input, dim0, dim1)`")
unbind_copy = _copy_of("unbind_copy", _torch.unbind, "the slices that `unbind(input, ...)` returns")
unfold_copy = _copy_of("unfold_copy", lambda x, dimension, size, step: x.unfold(dimension, size, step), "`input.unfold(...)`")
unsqueeze_copy = _copy_of("unsqueeze_copy", _torch.unsqueeze, "`unsqueeze(input, dim)`")
view_as_complex_copy = _copy_of("view_as_complex_copy", _torch.view_as_complex, "`view_as_complex(input)`")
view_as_real_copy = _copy_of("view_as_real_copy", _torch.view_as_real, "`view_as_real(input)`")
view_copy = _copy_of("view_copy", lambda x, size: x.view(size), "`input.view(...)`")


def _one_by_one(x: _C.Tensor, parts: Sequence[_C.Tensor], dim: int) -> Sequence[_C.Tensor]:
    """The same parts as tensors of their own over the same memory: a change of one in place is recorded, and does not count as
    a change of the others.
    """
    sizes = [part.shape[dim] for part in parts]
    if not (x.requires_grad and _C._is_grad_enabled()):
        return tuple(x.narrow(dim, end - size, size) for size, end in zip(sizes, itertools.accumulate(sizes)))
    from torch_np.autograd._parts import Parts

    return Parts.apply(x, sizes, dim)


def unsafe_chunk(input: _C.Tensor, chunks: int, dim: int = 0) -> Sequence[_C.Tensor]:  # noqa: A002
    """Returns the views that `chunk` returns. They may change in place while operations are recorded.

    Args:
      input: Tensor.
      chunks: Number of parts.
      dim: Dimension to split.

    Shapes: as `chunk`.
    """
    return _one_by_one(input, _torch.chunk(input, chunks, dim), dim)


def unsafe_split(tensor: _C.Tensor, split_size: int, dim: int = 0) -> Sequence[_C.Tensor]:
    """Returns the views that `split` returns. They may change in place while operations are recorded.

    Args:
      tensor: Tensor.
      split_size: Size of a part.
      dim: Dimension to split.

    Shapes: as `split`.
    """
    return _one_by_one(tensor, _torch.split(tensor, split_size, dim), dim)


def unsafe_split_with_sizes(input: _C.Tensor, split_sizes: Sequence[int], dim: int = 0) -> Sequence[_C.Tensor]:  # noqa: A002
    """Returns the views that `split` returns for a list of sizes; see `unsafe_split`.

    Args:
      input: Tensor.
      split_sizes: Sizes of the parts.
      dim: Dimension to split.

    Shapes: as `split`.
    """
    return _one_by_one(input, _torch.split(input, split_sizes, dim), dim)


def conj(input: _C.Tensor, *, out: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002
    """Complex conjugate of each element; a real `input` is returned itself.

    Args:
      input: Tensor.
      out: Tensor for the result.

    Shapes: the result has the shape of `input`.
    Dtypes: all.
    Errors: only those that all operators share.
    """
    return input if out is None and isinstance(input, _C.Tensor) and not input.is_complex() else _torch.conj(input, out=out)


def is_conj(input: _C.Tensor) -> bool:  # noqa: A002
    """Returns False: `conj` computes its result at once, so no tensor waits for conjugation.

    Args:
      input: Tensor.

    Shapes: any.
    """
    return False


def is_neg(input: _C.Tensor) -> bool:  # noqa: A002
    """Returns False: no tensor waits for a change of its sign.

    Args:
      input: Tensor.

    Shapes: any.
    """
    return False


def resolve_conj(input: _C.Tensor) -> _C.Tensor:  # noqa: A002
    """Returns `input`, since no tensor waits for conjugation.

    Args:
      input: Tensor.

    Shapes: as `input`.
    """
    return input


def resolve_neg(input: _C.Tensor) -> _C.Tensor:  # noqa: A002
    """Returns `input`, since no tensor waits for a change of its sign.

    Args:
      input: Tensor.

    Shapes: as `input`.
    """
    return input


def is_distributed(input: _C.Tensor) -> bool:  # noqa: A002
    """Returns False, as in PyTorch for every dense tensor.

    Args:
      input: Tensor.

    Shapes: any.
    """
    return False


def is_inference(input: _C.Tensor) -> bool:  # noqa: A002
    """Whether the memory of the tensor was allocated in `inference_mode`. Such a tensor does not count its
    changes.

    Args:
      input: Tensor.

    Shapes: any.
    """
    return _C._is_inference(input)


def dequantize(tensor: Any) -> Any:
    """Returns the tensor in float32; there are no quantised tensors.

    Args:
      tensor: Tensor, or a sequence of them, which gives a list.

    Shapes: as `tensor`.
    """
    if isinstance(tensor, (tuple, list)):
        return [dequantize(t) for t in tensor]
    return tensor.to(_C.float32)
