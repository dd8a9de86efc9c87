"""Operators that treat leading axes as a batch, or act along a given axis: the batch is one more axis."""
from __future__ import annotations

import functools
from typing import Any, NamedTuple

from torch_np import _C
from torch_np._transforms.batch_rules.table import RULES, check_changeable
from torch_np._transforms.batching import Batch, padded, run
from torch_np._transforms.schemas import parsed

_AXES = {"dim", "dims", "dim0", "dim1", "dim2", "dimension", "source", "destination"}
_SIZES = {"size", "sizes"}  # of a whole tensor


def moved(value: Any, rank: int) -> Any:
    """An axis, or axes, of samples with `rank` axes, as those of the part. Wrong ones stay wrong."""
    if isinstance(value, list):
        return [moved(v, rank) for v in value]
    return value % rank + 1 if -rank <= value < rank else value + 1 if value >= 0 else value - rank - 1


class _Places(NamedTuple):
    """Which arguments of an operator are tensors, lists of tensors, axes, and sizes of whole tensors."""
    tensors: tuple[int, ...]
    lists: tuple[int, ...]
    axes: tuple[int, ...]
    sizes: tuple[int, ...]


@functools.cache
def _places(schema: str) -> _Places:
    arguments = parsed(schema).arguments
    is_list = [a.type.startswith("Tensor[]") for a in arguments]
    return _Places(tuple(i for i, a in enumerate(arguments) if a.type.startswith("Tensor") and not is_list[i]),
                   tuple(i for i, yes in enumerate(is_list) if yes),
                   tuple(i for i, a in enumerate(arguments) if a.name in _AXES),
                   tuple(i for i, a in enumerate(arguments) if a.name in _SIZES and a.type.startswith("int[")))


def parts_and_axes(b: Batch, call: Any) -> tuple[list[Any], bool]:
    """The arguments for the parts of all tensors, and whether these have an additional axis behind the batch,
    since samples without axes have none that an operator could act along.
    """
    args, places = call.args, _places(call.schema)
    axes = [i for i in places.axes if args[i] is not None]
    rank = next(args[i][0] if i in places.lists else args[i] for i in sorted(places.tensors + places.lists) if args[i] is not None).dim()
    for i in places.sizes:
        rank = len(args[i])
    lifted = rank == 0 and bool(axes)

    def part_of(t: _C.Tensor) -> _C.Tensor:
        return b.full(t).unsqueeze(1) if lifted and not t.dim() else b.full(t)
    for i in places.tensors:
        if args[i] is not None:
            args[i] = part_of(args[i])
    for i in places.lists:
        args[i] = [None if t is None else part_of(t) for t in args[i]]
    for i in axes:
        args[i] = moved(args[i], max(rank, 1))
    for i in places.sizes:
        args[i] = [b.size, *([1] if lifted else []), *args[i]]
    return args, lifted


def leading(b: Batch, call: Any) -> Any:
    """New results, with the batch in front."""
    args, lifted = parts_and_axes(b, call)
    results = call.run(args)
    if lifted:
        results = results.squeeze(1) if isinstance(results, _C.Tensor) else type(results)(r.squeeze(1) for r in results)
    return b.wrapped(results)


def leading_in_place(b: Batch, call: Any) -> Any:
    check_changeable(b, call.args[0], call.name)
    args, _ = parts_and_axes(b, call)
    call.run(args)
    _C._bump_version(call.args[0])
    return call.args[0]


def aligned(b: Batch, call: Any) -> Any:
    """As leading(), for tensors whose leading axes broadcast."""
    args = call.args
    rank = max(a.dim() for a in args if isinstance(a, _C.Tensor))
    return b.wrapped(call.run([padded(b.full(a), rank) if isinstance(a, _C.Tensor) else a for a in args]))


def cumulative(b: Batch, call: Any) -> Any:
    args = call.args
    if args[1] is not None:
        return leading(b, call)
    args[0], args[1] = b.full(args[0]).reshape(b.size, args[0].numel()), 1
    return b.wrapped(call.run(args))


def rolled(b: Batch, call: Any) -> Any:
    x, shifts, dims = call.args
    if dims is not None:
        return leading(b, call)
    part = b.full(x)
    flat = part.reshape(b.size, x.numel())
    return b.wrapped(run("roll", flat, [sum(shifts)], [1]).reshape(part.shape))


def padding(b: Batch, call: Any) -> Any:
    # Sizes count from the last axis.
    args = call.args
    return b.wrapped(call.run([b.full(args[0]), *args[1:]]))


_LEADING = """
    softmax log_softmax softmax_gradient cummax cummin logcumsumexp linear_recurrence topk kthvalue median.dim nanmedian.dim mode stable_argsort
    stable_sort sort sorted_lines partitioned_lines argpartitioned_lines permute_lines pick_along max.dim min.dim tril triu slice_backward
    select_backward diagonal_backward fft_c2c fft_r2c fft_c2r fft_c2c_axes fft_r2c_axes fft_c2r_axes
    lu_factor_stack lu_permutation cholesky_stack ldl_factor_stack ldl_solve_stack inv det slogdet cholesky qr_stack qr_raw_stack svd_stack
    eigh_stack eig_stack matrix_exp_stack _lstm_cell lstm_cell_gradients _gru_cell gru_cell_gradients
    gather take_along_dim clone cast flip join
"""
for _name in _LEADING.split():
    RULES[_name] = leading
for _name in "sort_lines_ partition_lines_ reorder_lines_".split():
    RULES[_name] = leading_in_place
for _name in "solve_stack solve_triangular_stack flash_attention flash_attention_gradients".split():
    RULES[_name] = aligned
RULES["cumsum"] = RULES["cumprod"] = cumulative
RULES["roll"] = rolled
RULES["constant_pad_nd"] = padding
