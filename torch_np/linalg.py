"""torch_np.linalg: PyTorch's linear algebra. What is composed of other operators is composed once, for both faces, in
torch_np.numpy.linalg."""
from torch_np import _C
from torch_np._C import Tensor, _torch_linalg

LinAlgError = _C.LinAlgError

solve, inv, det, slogdet, cholesky, qr, svd, svdvals, eigh, eigvalsh, eig, eigvals, vector_norm = (
    _torch_linalg.solve, _torch_linalg.inv, _torch_linalg.det, _torch_linalg.slogdet, _torch_linalg.cholesky, _torch_linalg.qr,
    _torch_linalg.svd, _torch_linalg.svdvals, _torch_linalg.eigh, _torch_linalg.eigvalsh, _torch_linalg.eig,
    _torch_linalg.eigvals, _torch_linalg.vector_norm)


def _composed(name, A, *args, **kwargs):
    """The composition of that name, on our arguments seen as arrays."""
    from torch_np.numpy import linalg
    arrays = [a._np_compat() if isinstance(a, Tensor) else a for a in args]
    return getattr(linalg, name)(A._np_compat(), *arrays, **kwargs)._torch()


def norm(A, ord=None, dim=None, keepdim=False):
    """Norms of vectors and matrices: `dim` says along which one or two axes, `ord` which norm."""
    if dim is None and ord is None:
        return vector_norm(A, 2.0, None, keepdim)
    axis = tuple(dim) if isinstance(dim, (list, tuple)) else dim
    return _composed("norm", A, ord, axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis, keepdim)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False):
    """Norms of the matrices in the axes `dim`."""
    return _composed("norm", A, ord, tuple(dim), keepdim)


def cond(A, p=None):
    """Condition numbers: the norm `p` of a matrix times that of its inverse."""
    return _composed("cond", A, p)


def matrix_rank(A, *, rtol=None, hermitian=False):
    """How many singular values of each matrix are above the tolerance."""
    return _composed("matrix_rank", A, hermitian=hermitian, rtol=rtol)


def pinv(A, *, rtol=None, hermitian=False):
    """Moore-Penrose pseudo-inverses: singular values up to `rtol` times the largest count as zero."""
    return _composed("pinv", A, rtol=rtol, hermitian=hermitian)


def matrix_power(A, n):
    """The product of `n` equal matrices; of inverses, if it is negative."""
    return _composed("matrix_power", A, n)
