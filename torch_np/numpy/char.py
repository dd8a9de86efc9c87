"""numpy.char: NumPy's operations on arrays of text (_interop/mirror.py)."""
from typing import TYPE_CHECKING, Any

from torch_np.numpy._interop import mirror as _mirror

_mirror.mirror(__name__)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
