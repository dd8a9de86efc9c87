"""Tests whether an operator gets a gradient, for compositions that then use another algorithm. Also
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


def compute_requires_grad(*values: Any) -> bool:
    """Whether the operator on `values` gets a gradient: gradients are enabled, and one of the arrays
    requires grad."""
    return _C._is_grad_enabled() and any(_requires_grad(v) for v in values)


def _requires_grad(value: Any) -> bool:
    if _C._is_ndarray(value):
        return value._requires_grad
    return isinstance(value, _C.Tensor) and value.requires_grad
