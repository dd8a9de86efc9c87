"""Tests whether an operator gets a gradient, for compositions that then use another algorithm. Also
registers the compositions whose floating results have no gradient, with the reason. Operators
declare their reason in the yaml (`nondifferentiable`).
"""
from torch_np import _C

CONSTANT = {
    "histogram2d": "without weights the results are counts, which change in steps",
    "histogramdd": "without weights the results are counts, which change in steps",
    "ndarray.item": "it leaves the library: a Python number",
    "ndarray.tolist": "it leaves the library: Python numbers",
}


# Whether the operator on `values` gets a gradient: gradients are enabled, and one of the arrays
# requires grad.
compute_requires_grad = _C._compute_requires_grad
