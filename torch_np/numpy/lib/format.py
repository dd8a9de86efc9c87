"""numpy.lib.format: the format of .npy files, by NumPy's functions with converted arrays
(_mirror.py).
"""
from typing import TYPE_CHECKING, Any

from torch_np.numpy import _mirror

_mirror.mirror(__name__)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
