"""Import hook for NumPy's modules that have no file in this package: `_core.umath`, `core.numeric`,
`lib._function_base_impl` and others that libraries import.

Modules that compute in Python are executed over this namespace (source.py), the others are mirrors
(mirror.py).
"""
from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torch_np.numpy import fft, linalg
from torch_np.numpy._interop import mirror as _mirror, source as _source
from torch_np.numpy._interop.array_converter import _array_converter

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # importing importlib.abc would take as long as importing torch_np.numpy

# Executed unchanged, as they define the public names.
_EXECUTED = r"core(\.\w+)?|ctypeslib\._ctypeslib|_core\.memmap|polynomial\.\w+|ma\.\w+"
# Executed for their private helpers, and for NumPy's behaviour with subclasses (subclasses.py);
# public names in them are replaced by this package's.
_HELPERS = (r"lib\._(arraypad|arraysetops|arrayterator|function_base|histograms|index_tricks|nanfunctions|polynomial|shape_base|stride_tricks"
            r"|twodim_base|type_check|ufunclike|user_array|utils)_impl|_core\.(_methods|fromnumeric|function_base|numeric|shape_base)|linalg\._linalg"
            r"|testing\._private\.utils")

_names_of_sources: dict[str, dict[str, Any]] = {}


class _Loader(Loader):
    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        path = name.removeprefix(_source.PACKAGE + ".")
        if re.fullmatch(_EXECUTED, path):
            _source.execute(name)
        elif re.fullmatch(_HELPERS, path):
            _source.execute(name)
            _names_of_sources[path] = vars(module).copy()
            _take_public_names(module)
        else:
            _mirror.mirror(name)
        vars(module).update(_REPLACED.get(path, {}))


class _Finder:
    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not fullname.startswith(_source.PACKAGE + "."):
            return None
        try:
            theirs = importlib.util.find_spec(_source.numpys_name(fullname))
        except ImportError:
            return None
        if theirs is None:
            return None
        # A package's __path__ is empty, so that its submodules are found here and not in NumPy's
        # files.
        return ModuleSpec(fullname, _Loader(), is_package=theirs.submodule_search_locations is not None)


def source_names(path: str) -> dict[str, Any]:
    """Returns the names of a helper module as its source defines them, including functions that
    this package replaces.
    """
    importlib.import_module(f"{_source.PACKAGE}.{path}")
    return _names_of_sources[path]


def _take_public_names(module):
    theirs = importlib.import_module(_source.numpys_name(module.__name__))
    for name, value in vars(theirs).items():
        if (ours := _mirror.ours_of(value)) is not None and name in vars(module):
            setattr(module, name, ours)


def _set_module(module: str | None) -> Any:
    """NumPy's decorator that sets the public module of a function or class. Here it is this
    package's, so that pickles find it.
    """
    def decorate(function: Any) -> Any:
        if module is not None:
            function.__module__ = "torch_np." + module
        return function
    return decorate


def _array_function_dispatch(dispatcher: Any = None, module: str | None = None, verify: bool = True,
                             docs_from_dispatcher: bool = False) -> Any:
    """NumPy's decorator for functions that __array_function__ may override. Here it only sets the
    module, as the functions they call are overridable.
    """
    return _set_module(module)


_REPLACED: dict[str, dict[str, Any]] = {
    "_core._multiarray_umath": {"_array_converter": _array_converter},
    "_core.multiarray": {"_array_converter": _array_converter},
    "linalg._linalg": {name: getattr(linalg, name) for name in ("EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult")},
    "_utils": {"set_module": _set_module},
    "_core.overrides": {"set_module": _set_module, "array_function_dispatch": _array_function_dispatch},
}

def _submodule_of(package: ModuleType) -> Any:
    """Returns a module's __getattr__ that imports submodules, as NumPy has `linalg._linalg` without
    a separate import.
    """
    def find(name: str) -> Any:
        if name in _SUBMODULES.get(package.__name__.removeprefix(_source.PACKAGE + "."), ()):
            return importlib.import_module(f"{package.__name__}.{name}")
        raise AttributeError(f"module {package.__name__!r} has no attribute {name!r}")
    return find


_SUBMODULES = {"fft": ("_helper", "_pocketfft"), "linalg": ("_linalg", "_umath_linalg")}

sys.meta_path.append(_Finder())
for _module in (fft, linalg):  # single files here, packages in NumPy
    vars(_module)["__path__"] = []
    vars(_module)["__getattr__"] = _submodule_of(_module)
