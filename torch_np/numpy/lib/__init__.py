"""numpy.lib: stride_tricks, array_utils, format and NumPy's other modules of this package."""
from typing import TYPE_CHECKING, Any

from numpy.lib import NumpyVersion, add_docstring, add_newdoc, tracemalloc_domain

from torch_np.numpy.lib import array_utils, stride_tricks

__all__ = ["Arrayterator", "NumpyVersion", "add_docstring", "add_newdoc", "array_utils", "format", "introspect", "mixins", "npyio",
           "scimath", "stride_tricks", "tracemalloc_domain"]

_LAZY = {"format", "introspect", "mixins", "npyio", "scimath"}

if TYPE_CHECKING:
    from numpy.lib import Arrayterator as Arrayterator
    from torch_np.numpy.lib import (
        format as format, introspect as introspect, mixins as mixins, npyio as npyio, scimath as scimath,
    )
else:
    def __getattr__(name: str) -> Any:
        import importlib
        if name in _LAZY or name.endswith("_impl"):
            try:
                return importlib.import_module(f"{__name__}.{name}")
            except ImportError:
                pass
        if name == "Arrayterator":
            return importlib.import_module(f"{__name__}._arrayterator_impl").Arrayterator
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
