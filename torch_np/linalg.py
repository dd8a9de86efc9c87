"""torch_np.linalg: PyTorch's linear algebra. What is composed of other operators is composed once, for both faces, in
torch_np.numpy.linalg."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np._C import LinAlgError as LinAlgError, Tensor
from torch_np._C._torch_linalg import *  # noqa: F401,F403
from torch_np._arguments import as_array as _as_array, as_tensor as _as_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch_np._typing import TensorLike


def _composed(name: str, A: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
    """The composition of that name, on our arguments seen as arrays."""
    from torch_np.numpy import linalg
    arrays = [a._np_compat() if isinstance(a, Tensor) else a for a in args]
    return _as_tensor(getattr(linalg, name)(_as_array(name, "A", A), *arrays, **kwargs))


def norm(A: TensorLike, ord: Any = None, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """Norms of vectors and matrices: `dim` says along which one or two axes, `ord` which norm."""
    if dim is None and ord is None:
        return vector_norm(A, 2.0, None, keepdim)
    axis: Any = tuple(dim) if isinstance(dim, (list, tuple)) else dim
    return _composed("norm", A, ord, axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis, keepdim)


def matrix_norm(A: TensorLike, ord: Any = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False) -> Tensor:
    """Norms of the matrices in the axes `dim`."""
    return _composed("norm", A, ord, tuple(dim), keepdim)


def cond(A: TensorLike, p: Any = None) -> Tensor:
    """Condition numbers: the norm `p` of a matrix times that of its inverse."""
    return _composed("cond", A, p)


def matrix_rank(A: TensorLike, *, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """How many singular values of each matrix are above the tolerance. Errors: RuntimeError for fewer than two axes."""
    if _as_array("matrix_rank", "A", A).ndim < 2:
        raise RuntimeError(f"matrix_rank(): A must have at least 2 dimensions, but its shape is {tuple(A.shape)}")
    return _composed("matrix_rank", A, hermitian=hermitian, rtol=rtol)


def pinv(A: TensorLike, *, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Moore-Penrose pseudo-inverses: singular values up to `rtol` times the largest count as zero."""
    return _composed("pinv", A, rtol=rtol, hermitian=hermitian)


def matrix_power(A: TensorLike, n: int) -> Tensor:
    """The product of `n` equal matrices; of inverses, if it is negative."""
    return _composed("matrix_power", A, n)
