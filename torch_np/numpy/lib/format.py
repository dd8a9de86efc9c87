"""numpy.lib.format: the format of .npy files, by NumPy's functions with converted arrays
(_interop/mirror.py).
"""
from typing import TYPE_CHECKING, Any

from torch_np.numpy._interop import mirror as _mirror

_mirror.mirror(__name__)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
