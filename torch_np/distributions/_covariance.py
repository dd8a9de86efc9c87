"""Base of distributions with a scale matrix, given as a covariance, its inverse, or its Cholesky
factor.
"""
from __future__ import annotations

from torch_np import _C, linalg
from torch_np._C import Tensor
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.utils import lazy_property


def one_of(covariance_matrix: Tensor | None, precision_matrix: Tensor | None, scale_tril: Tensor | None) -> tuple[str, Tensor]:
    """The name and matrix of the one argument that is not None.

    Errors: ValueError unless exactly one is given.
    """
    named = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
    given = [(name, matrix) for name, matrix in named.items() if matrix is not None]
    if len(given) != 1:
        raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return given[0]


def lower_factor(name: str, matrix: Tensor) -> Tensor:
    """The lower triangular L with covariance L L^T, from the matrix that `name` describes."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return linalg.cholesky(matrix)
    flipped = linalg.cholesky(matrix.flip((-2, -1)))
    lower_inverse = flipped.flip((-2, -1)).mT
    eye = _C._torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return linalg.solve_triangular(lower_inverse, eye.expand(matrix.shape), upper=False)


class OfCovariance(Distribution):
    """Base class with all three matrices, computed from `_unbroadcasted_scale_tril`, whose batch
    may be smaller than the distribution's.
    """

    _unbroadcasted_scale_tril: Tensor

    def _square(self, matrix: Tensor) -> Tensor:
        n = self._event_shape[-1]
        return matrix.expand((*self._batch_shape, n, n))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower triangular L with covariance L L^T.

        Shapes: (*batch_shape, n, n).
        """
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance.

        Shapes: (*batch_shape, n, n).
        """
        return self._square(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance.

        Shapes: (*batch_shape, n, n).
        """
        return self._square(_C._torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    def _half_log_det(self) -> Tensor:
        """The logarithm of det L."""
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
