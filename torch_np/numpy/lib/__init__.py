"""numpy.lib's public corners: stride_tricks, array_utils, mixins, format, npyio."""
from numpy.lib import NumpyVersion, mixins  # noqa: F401

from torch_np.numpy.lib import array_utils, stride_tricks  # noqa: F401
