"""numpy.rec: NumPy's arrays of records (_mirror.py)."""
from typing import TYPE_CHECKING, Any

from torch_np.numpy import _mirror

_mirror.mirror(__name__)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
