"""numpy.matrixlib: the package of `matrix`. It is NumPy's source executed over this namespace
(_interop/source.py).
"""
from typing import TYPE_CHECKING

from torch_np.numpy._interop import source as _source

_source.execute(__name__)

if TYPE_CHECKING:
    from torch_np.numpy.matrixlib.defmatrix import asmatrix as asmatrix, bmat as bmat, matrix as matrix
