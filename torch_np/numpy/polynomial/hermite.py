"""numpy.polynomial.hermite: NumPy's source executed over this namespace (_interop/source.py)."""
from typing import TYPE_CHECKING, Any

from torch_np.numpy._interop import source as _source

_source.execute(__name__)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
