"""rearrange: permutes, merges and splits dimensions by a pattern of their names."""
from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import Any

from torch_np._C import Tensor
import torch_np

__all__ = ["rearrange"]

ELLIPSIS = "..."
TOKEN = re.compile(r"\.\.\.|[()]|[^\s()]+")


def parse_side(text: str, pattern: str) -> tuple[list[Any], set[str]]:
    """The groups of one side: a list of names for each dimension, and ELLIPSIS for those without names.

    A group in parentheses is a list as it is; `1` is an empty list.
    """
    groups: list[Any] = []
    names: set[str] = set()
    inside: list[str] | None = None
    for token in TOKEN.findall(text):
        if token == "(":
            if inside is not None:
                raise ValueError(f"rearrange(): parentheses inside of parentheses in the pattern {pattern!r}")
            inside = []
        elif token == ")":
            if inside is None:
                raise ValueError(f"rearrange(): ')' without '(' in the pattern {pattern!r}")
            groups.append(inside)
            inside = None
        elif token == "1":
            if inside is None:
                groups.append([])
        else:
            if token != ELLIPSIS and (not token.isidentifier() or token.startswith("_") or token.endswith("_")):
                raise ValueError(f"rearrange(): {token!r} in the pattern {pattern!r} is not the name of a dimension. Names are "
                                 "identifiers that neither begin nor end with '_'; the only number is 1.")
            if token in names:
                raise ValueError(f"rearrange(): {token!r} stands twice in one side of the pattern {pattern!r}")
            names.add(token)
            if inside is not None:
                inside.append(token)
            else:
                groups.append(token if token == ELLIPSIS else [token])
    if inside is not None:
        raise ValueError(f"rearrange(): '(' without ')' in the pattern {pattern!r}")
    return groups, names


@functools.lru_cache(256)
def parse(pattern: str) -> tuple[list[Any], list[Any], set[str]]:
    """The two sides of a pattern."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError(f"rearrange(): the pattern must have one '->', got {pattern!r}")
    (left, left_names), (right, right_names) = (parse_side(side, pattern) for side in sides)
    if any(ELLIPSIS in group for group in left if group != ELLIPSIS):
        raise ValueError(f"rearrange(): '...' inside of parentheses in the left side of the pattern {pattern!r}")
    if left_names != right_names:
        only = ", ".join(sorted(left_names ^ right_names))
        raise ValueError(f"rearrange(): the names {only} stand in one side only of the pattern {pattern!r}")
    return left, right, left_names


def split_sizes(group: list[str], size: int, lengths: dict[str, int], pattern: str) -> list[int]:
    """The sizes of the names of one dimension. At most one of them has no given length."""
    unknown = [name for name in group if name not in lengths]
    known = math.prod(lengths[name] for name in group if name in lengths)
    if len(unknown) > 1:
        raise ValueError(f"rearrange(): the pattern {pattern!r} needs the lengths of all but one of ({' '.join(group)})")
    if size % known if unknown and known else size != known:
        raise ValueError(f"rearrange(): a dimension of size {size} is not ({' '.join(group)}) with the lengths "
                         f"{ {name: lengths[name] for name in group if name in lengths} } in the pattern {pattern!r}")
    return [lengths[name] if name in lengths else size // known if known else 0 for name in group]


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """Permutes, merges, splits, adds and removes dimensions of a tensor by a pattern, as `einops.rearrange`.

    Args:
        tensor (Tensor or sequence of Tensors): A sequence is stacked along a new first dimension.
        pattern (str): "LEFT -> RIGHT", where each side names all dimensions. `(a b)` is one dimension that
            is made of a and b, `...` is all dimensions without a name, and `1` is a dimension of size 1.
        **axes_lengths (int): Sizes of names. Of the names in parentheses on the left one may be without.

    Returns:
        Tensor: A view of the tensor if it can be one.

    Raises:
        ValueError: The pattern is malformed, or does not fit the shape of the tensor.
        TypeError: A length is not an integer.

    >>> x = torch_np.zeros(2, 6, 4)
    >>> torch_np.func.rearrange(x, "b (h two) w -> b w (h two)", two=2).shape
    torch.Size([2, 4, 6])
    >>> torch_np.func.rearrange(x, "b ... -> (b ...)").shape
    torch.Size([48])
    """
    if not isinstance(tensor, Tensor):
        tensor = torch_np.stack(tensor)
    left, right, names = parse(pattern)
    for name, length in axes_lengths.items():
        if not isinstance(length, int):
            raise TypeError(f"rearrange(): the length of {name} must be an integer, got {type(length).__name__}")
        if name not in names or length < 0:
            raise ValueError(f"rearrange(): {name}={length} " + (
                "is negative" if name in names else f"is not a name of the pattern {pattern!r}"))
    extra = tensor.dim() - sum(group != ELLIPSIS for group in left)
    if extra < 0 or (extra and ELLIPSIS not in left):
        raise ValueError(f"rearrange(): the pattern {pattern!r} does not fit a tensor of {tensor.dim()} dimensions")
    sizes: list[int] = []
    places: dict[str, Sequence[int]] = {}
    dim = 0
    for group in left:
        if group == ELLIPSIS:
            places[ELLIPSIS] = range(len(sizes), len(sizes) + extra)
            sizes += tensor.shape[dim:dim + extra]
            dim += extra
            continue
        for name, size in zip(group, split_sizes(group, tensor.shape[dim], axes_lengths, pattern), strict=True):
            places[name] = [len(sizes)]
            sizes.append(size)
        dim += 1
    groups = []
    for group in right:
        if group == ELLIPSIS:
            groups += [[place] for place in places[ELLIPSIS]]
        else:
            groups.append([place for name in group for place in places[name]])
    order = [place for group in groups for place in group]
    return tensor.reshape(sizes).permute(order).reshape([math.prod(sizes[place] for place in group) for group in groups])
