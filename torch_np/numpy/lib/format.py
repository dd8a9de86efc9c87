"""numpy.lib.format: the format of .npy files, by NumPy's functions with converted arrays
(_interop/mirror.py).
"""
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np.numpy._interop import files as _files, mirror as _mirror

_mirror.mirror(__name__)
open_memmap: Any = _files._reader(_numpy.lib.format.open_memmap)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
