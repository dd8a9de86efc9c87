"""Einstein sums: counterpart of numpy._core.einsumfunc."""
from __future__ import annotations

import operator
import string
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np._C import _numpy_linalg, ndarray
from torch_np.numpy import _native as nx
from torch_np.numpy._arguments import check_out_shape
from torch_np.numpy._dtypes import as_numpy_dtype
from torch_np.numpy._multiarray import copyto

__all__ = ["einsum", "einsum_path"]


_LETTERS = string.ascii_uppercase + string.ascii_lowercase


def _subscript(index):
    if index is Ellipsis:
        return "..."
    try:
        index = operator.index(index)
    except TypeError:
        raise TypeError("subscripts for each subscript must be either an integer or an ellipsis") from None
    if not 0 <= index < 52:
        raise ValueError("subscript is not within the valid range [0, 52)")
    return chr(65 + index) if index < 26 else chr(71 + index)


def _subscripts(labels):
    return "".join([_LETTERS[label] if type(label) is int and 0 <= label < 52 else _subscript(label) for label in labels])


def _equation_of(operands):
    """Converts einsum's operands, in either form, to an equation and a list of arrays."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one "
                         "operand and its corresponding subscripts list")
    if isinstance(operands[0], bytes):
        operands = (operands[0].decode(), *operands[1:])
    if isinstance(operands[0], str):
        if len(operands) < 2:
            raise ValueError("must specify the einstein sum subscripts string and at least one operand")
        return operands[0], list(operands[1:])
    if len(operands) < 2:
        raise ValueError("must provide at least an operand and a subscripts list to einsum")
    output = operands[-1] if len(operands) % 2 else None
    terms = []
    for labels in operands[1::2]:
        if type(labels) not in (list, tuple) and not isinstance(labels, (list, tuple, range, _numpy.ndarray, ndarray)):
            raise TypeError("subscripts for each subscript must be a sequence")
        terms.append(_subscripts(labels))
    equation = ",".join(terms)
    if output is not None:
        equation += "->" + _subscripts(output)
    return equation, list(operands[0:len(terms) * 2:2])


def _path_of(optimize, count):
    """Returns the pairs of an explicit path, or None to let the engine choose."""
    if isinstance(optimize, (list, tuple)) and len(optimize) and optimize[0] == "einsum_path":
        steps = [tuple(step) for step in optimize[1:]]
        left = count
        for step in steps:
            if any(not 0 <= operator.index(position) < left for position in step):
                raise RuntimeError(f"Invalid einsum_path is specified: the step {step} is of more than the {left} operands that there are")
            left -= len(set(step)) - 1
        if left != 1:
            raise RuntimeError(f"Invalid einsum_path is specified: {left - 1} more operands has to be contracted.")
        if all(len(step) == 2 for step in steps):
            return [position for step in steps for position in sorted(step)]
        return None
    if isinstance(optimize, (list, tuple)) and len(optimize) == 2 and isinstance(optimize[0], str):
        optimize = optimize[0]
    if isinstance(optimize, str) and count <= 2:  # there is one path, so NumPy ignores the name
        return None
    if not (optimize is None or isinstance(optimize, bool) or optimize in ("greedy", "optimal")):
        raise TypeError(f"Did not understand the path: {optimize!s}") if not isinstance(optimize, str) else KeyError(
            f"Path name {optimize} not found")
    return None


def einsum(*operands: Any, out: ndarray | None = None, optimize: Any = False, **kwargs: Any) -> ndarray:
    """Einstein summation: multiplies arrays elementwise and sums over axes, by labels of the axes.
    For example 'ij,jk->ik' is a matrix product.

    Args:
      operands: A string of subscripts and arrays, or arrays each followed by its list of labels.
      out: Array that receives the result.
      optimize: A path from `einsum_path`; otherwise the engine chooses the order.
      kwargs: `dtype`, `order` and `casting`.

    Shapes: as the subscripts describe; without '->', the labels that occur once, in alphabetical
    order.
    Errors: ValueError for subscripts that do not match the arrays, and if `casting` is not a rule
    of `can_cast`; TypeError for unknown keywords and forbidden casts; RuntimeError for a path that
    does not end in one array; KeyError for an unknown name of a rule.
    """
    if out is None and not optimize and not kwargs:
        if (found := _C._einsum_operands(operands)) is not None:
            return _numpy_linalg._einsum(*found)
        equation, arrays = _equation_of(operands)
        return _numpy_linalg._einsum(equation, [a if type(a) is ndarray else nx.asarray(a) for a in arrays])
    unknown = [k for k in kwargs if k not in ("dtype", "order", "casting")]
    if unknown:
        raise TypeError(f"einsum() got an unexpected keyword argument {unknown[0]!r}")
    equation, arrays = _equation_of(operands)
    arrays = [nx.asarray(a) for a in arrays]
    casting, dtype = kwargs.get("casting", "safe"), kwargs.get("dtype")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got {casting!r})")
    if dtype is not None:
        dtype = as_numpy_dtype(dtype)
        for a in arrays:
            if not _numpy.can_cast(a.dtype, dtype, casting):
                raise TypeError(f"Iterator operand required buffering: cannot cast array data from {a.dtype!r} to "
                                f"{dtype!r} according to the rule '{casting}'")
        arrays = [a.astype(dtype, copy=False) for a in arrays]
    path = _path_of(optimize, len(arrays))
    left, arrow, right = equation.partition("->")
    if optimize and arrow and "." in left and "." not in right:  # NumPy, if it has a path, also sums axes in "..."
        result = _numpy_linalg._einsum(f"{left}->...{right}", arrays, path)
        result = result.sum(tuple(range(result.ndim - len(right.replace(" ", "")))), dtype=result.dtype)
    else:
        result = _numpy_linalg._einsum(equation, arrays, path)
    if out is not None:
        check_out_shape(out, result, "einsum")
        # NumPy assigns a single number from a path without a check of the cast; arrays are results
        # of ufuncs.
        rule = "unsafe" if optimize and not out.ndim else "same_kind" if casting == "safe" else casting
        copyto(out, result, casting=rule)
        return out
    order = kwargs.get("order", "K")
    if order in ("A", "a"):
        order = "F" if all(a.flags.f_contiguous for a in arrays) and not all(a.flags.c_contiguous for a in arrays) else "C"
    return result if order in ("K", "k", None) else nx.asarray(result, order=order)


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> tuple[list[Any], str]:
    """Returns a cheap order of contraction, and a text that describes it, planned by NumPy from the
    shapes.

    Args:
      operands: Operands of `einsum`.
      optimize: Rule: 'greedy', 'optimal', or a limit of memory with it.
      einsum_call: Ignored.

    Shapes: those of `einsum`; elements are not read.
    """
    equation, arrays = _equation_of(operands)
    shapes = [_numpy.broadcast_to(_numpy.empty(()), tuple(nx.asarray(a).shape)) for a in arrays]
    return _numpy.einsum_path(equation, *shapes, optimize=optimize)
