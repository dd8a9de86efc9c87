"""Tests whether gradients are recorded, for compositions that then use another algorithm. Also
registers the compositions whose floating results have no gradient, with the reason. Operators
declare their reason in the yaml (`nondifferentiable`).
"""
from typing import Any

from torch_np import _C

CONSTANT = {
    "histogram2d": "without weights the results are counts, which change in steps",
    "histogramdd": "without weights the results are counts, which change in steps",
    "ndarray.item": "it leaves the library: a Python number",
    "ndarray.tolist": "it leaves the library: Python numbers",
}


def recording(*values: Any) -> bool:
    """Whether the gradient of one of the arrays in `values` is recorded."""
    return _C._is_grad_enabled() and any(_requires_grad(v) for v in values)


def _requires_grad(value: Any) -> bool:
    if _C._is_ndarray(value):
        return value._requires_grad
    return isinstance(value, _C.Tensor) and value.requires_grad
