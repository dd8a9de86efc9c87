"""The reductions of losses, for packages that import PyTorch's private module of this name."""
from __future__ import annotations

import warnings

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """Returns the number of a reduction: 0 for 'none', 1 for 'mean', 2 for 'sum'.

    Args:
      reduction: Its name. 'elementwise_mean' is an old name of 'mean', and warns.

    Errors: ValueError for other names.
    """
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
    return _NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """Returns the name of the reduction that PyTorch's old arguments describe.

    Args:
      size_average: Whether a reduction is a mean; None is True.
      reduce: Whether there is a reduction; None is True.
      emit_warning: Whether to warn that both arguments are deprecated.
    """
    name = "none" if reduce is False else "sum" if size_average is False else "mean"
    if emit_warning:
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction={name!r} instead.", stacklevel=2)
    return name


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """Returns the number of the reduction that PyTorch's old arguments describe.

    Args:
      size_average: Whether a reduction is a mean; None is True.
      reduce: Whether there is a reduction; None is True.
      emit_warning: Whether to warn that both arguments are deprecated.
    """
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
