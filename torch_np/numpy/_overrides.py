"""The public face of the compositions: __array_function__ (NEP 18) and like= (NEP 35) of foreign arguments, and the class
of the result.

A composition is written as a plain function, and others call it as such; what users get is `overridable(function)`. The
functions that NumPy lets others override are those that it has made overridable itself, or that take like=.
"""
import functools
import inspect
from types import FunctionType

from torch_np import _C

# Compositions whose results are of the base class in NumPy, whatever the class of the first argument.
BASE_CLASS = frozenset("""
    append asarray_chkfinite block broadcast_arrays convolve corrcoef cov cross diag_indices_from digitize fftshift
    histogram histogram2d histogram_bin_edges histogramdd ifftshift indices interp intersect1d iscomplex isin isreal meshgrid pad poly
    polyder polyfit polyint polymul polyval require resize roots setxor1d sinc sort_complex tensordot tril_indices_from
    triu_indices_from union1d unwrap vander cond eig eigvals lstsq matrix_norm matrix_rank norm slogdet trace
    vector_norm fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn broadcast_shapes shape ndim size
""".split())
_LISTS = {"arrays", "arys", "tup", "operands", "condlist"}  # first parameters that are lists of arrays


def overridable(function):
    """`function` as users see it."""
    first = next(iter(inspect.signature(function).parameters), "")
    public = _C._Composition(function, takes_arrays=first in _LISTS, keeps_class=function.__name__ not in BASE_CLASS)
    return functools.update_wrapper(public, function)


def publish(names, numpys):
    """The dict `names` with those compositions overridable that are so in NumPy's namespace `numpys`."""
    return {name: overridable(value) if _is_overridable(value, getattr(numpys, name, None)) else value
            for name, value in names.items()}


def _is_overridable(function, numpys):
    if type(function) is not FunctionType or hasattr(function, "_implementation"):
        return False
    return hasattr(numpys, "_implementation") or "like" in inspect.signature(function).parameters
