"""Matrices by rule: triangles, Vandermonde, and the indices of their parts."""
import numpy as _numpy

from torch_np.numpy import _declare, _native as nx


def diagflat(v, k=0):
    """A 2-d array with the raveled `v` on diagonal `k`."""
    return nx.diag(nx.asarray(v).ravel(), k)


@_declare.base_class
def vander(x, N=None, increasing=False):
    """The Vandermonde matrix: columns are powers of the 1-d `x`. Shape (len(x), N)."""
    x = nx.asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = len(x) if N is None else N
    if n < 0:
        raise ValueError(f"vander(): the number of columns is negative: {n}")
    powers = nx.arange(n) if increasing else nx.arange(n - 1, -1, -1)
    dtype = _numpy.promote_types(x.dtype, int)
    return x.astype(dtype)[:, None] ** powers if dtype.kind in "iu" else _running_powers(x.astype(dtype), n, increasing)


def _running_powers(x, n, increasing):
    columns = [nx.ones_like(x)]
    for _ in range(n - 1):
        columns.append(columns[-1] * x)
    columns = columns[:n]
    if not columns:
        return nx.empty((len(x), 0), dtype=x.dtype)
    return nx.stack(columns if increasing else columns[::-1], axis=1)


def mask_indices(n, mask_func, k=0):
    """The indices where `mask_func(ones((n, n)), k)` is not zero."""
    return nx.nonzero(mask_func(nx.ones((n, n), int), k) != 0)


def tril_indices(n, k=0, m=None):
    """The indices of the lower triangle of an (n, m) array."""
    return nx.nonzero(nx.tri(n, m, k=k, dtype=bool))


def triu_indices(n, k=0, m=None):
    """The indices of the upper triangle of an (n, m) array."""
    return nx.nonzero(~nx.tri(n, m, k=k - 1, dtype=bool))


@_declare.base_class
def tril_indices_from(arr, k=0):
    """The indices of the lower triangle of `arr`. Errors: ValueError unless it is 2-d."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


@_declare.base_class
def triu_indices_from(arr, k=0):
    """The indices of the upper triangle of `arr`. Errors: ValueError unless it is 2-d."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])
