"""The namespace that the compositions of this package are written against: native operators first, then each other.

`_C._numpy` holds what native_functions.yaml declares; `torch_np.numpy` adds its Python functions to this module while it
is imported, so that a composition may call another one without caring where it stands.
"""
from torch_np import _C
from torch_np._C import Tensor, ndarray  # noqa: F401


def _public(module):
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


globals().update(_public(_C._numpy))


def extend(**names):
    """Adds names; called by torch_np.numpy alone."""
    globals().update(names)
