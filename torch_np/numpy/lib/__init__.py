"""numpy.lib's public corners: stride_tricks, array_utils, mixins."""
from numpy.lib import NumpyVersion, mixins

from torch_np.numpy.lib import array_utils, stride_tricks

__all__ = ["NumpyVersion", "array_utils", "mixins", "stride_tricks"]
