"""Functions that give complex results where the real ones have none: sqrt of negative numbers and the like."""
import numpy as _numpy

from torch_np.numpy import _native as nx


def _complex_where(x, outside):
    x = nx.asarray(x)
    if x.dtype.kind != "c" and bool(nx.any(outside(x))):
        return x.astype(_numpy.complex64 if x.dtype.char in "fbhBH" else _numpy.complex128)
    return x


def sqrt(x):
    """Square root; complex for negative numbers."""
    return nx.sqrt(_complex_where(x, lambda v: v < 0))


def log(x):
    """Natural logarithm; complex for negative numbers."""
    return nx.log(_complex_where(x, lambda v: v < 0))


def log2(x):
    """Logarithm to base 2; complex for negative numbers."""
    return nx.log2(_complex_where(x, lambda v: v < 0))


def log10(x):
    """Logarithm to base 10; complex for negative numbers."""
    return nx.log10(_complex_where(x, lambda v: v < 0))


def logn(n, x):
    """Logarithm to base `n`; complex for negative numbers."""
    return log(x) / log(n)


def power(x, p):
    """`x` to the power `p`; complex for negative `x`."""
    p = nx.asarray(p)
    x = _complex_where(x, lambda v: v < 0)
    if p.dtype.kind in "iu" and bool(nx.any(p < 0)):
        p = p * 1.0
    return nx.power(x, p)


def arccos(x):
    """Inverse cosine; complex outside of [-1, 1]."""
    return nx.arccos(_complex_where(x, lambda v: abs(v) > 1))


def arcsin(x):
    """Inverse sine; complex outside of [-1, 1]."""
    return nx.arcsin(_complex_where(x, lambda v: abs(v) > 1))


def arctanh(x):
    """Inverse hyperbolic tangent; complex outside of [-1, 1]."""
    return nx.arctanh(_complex_where(x, lambda v: abs(v) > 1))
