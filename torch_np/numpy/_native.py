"""The namespace that compositions use: native operators and other compositions.

`_C._numpy` holds the operators of native_functions.yaml. `torch_np.numpy` adds its Python functions
while it is imported, so that a composition can call any other one, independently of their modules.
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
    """Adds names; only torch_np.numpy calls it."""
    globals().update(names)
