"""numpy.matrixlib: the package of `matrix`. It is NumPy's source executed over this namespace
(_source.py).
"""
from typing import TYPE_CHECKING

from torch_np.numpy import _source

_source.execute(__name__)

if TYPE_CHECKING:
    from torch_np.numpy.matrixlib.defmatrix import asmatrix as asmatrix, bmat as bmat, matrix as matrix
