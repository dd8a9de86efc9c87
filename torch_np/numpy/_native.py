"""The namespace that the compositions of this package are written against: native operators first, then each other.

`_C._numpy` holds what native_functions.yaml declares; `torch_np.numpy` adds its Python functions to this module while it
is imported, so that a composition may call another one without caring where it stands.
"""
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._C import Tensor, ndarray  # noqa: F401

if TYPE_CHECKING:
    from torch_np._C._numpy import _as_strided, _linspace  # noqa: F401
    from torch_np.numpy import *  # noqa: F403
    from torch_np.numpy import fft, lib, linalg, random  # noqa: F401


def _public(module: ModuleType) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


globals().update(_public(_C._numpy))


def extend(**names: object) -> None:
    """Adds names; called by torch_np.numpy alone."""
    globals().update(names)
