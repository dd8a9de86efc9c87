"""Names of `torch_np.numpy` that cost an import when they are first asked for: what few programs use does not slow the others' start."""
from __future__ import annotations

import importlib
from typing import Any

import numpy as _numpy

from torch_np.numpy import _mirror, _source

SUBMODULES = frozenset((
    "char", "core", "ctypeslib", "dtypes", "f2py", "ma", "matlib", "matrixlib", "polynomial", "rec", "strings", "testing", "typing",
    "version", "_array_api_info", "_core", "_globals", "_pytesttester", "_typing", "_utils", "__config__"))

# In the modules that execute NumPy's source over this namespace.
_EXECUTED = {"asmatrix": "matrixlib.defmatrix", "bmat": "matrixlib.defmatrix", "matrix": "matrixlib.defmatrix", "memmap": "_memmap"}

# NumPy's own, for what the engine does not hold (records, dates, objects) and about the installation. Not every machine has all.
_NUMPYS = frozenset((
    "busday_count", "busday_offset", "busdaycalendar", "complex256", "datetime_as_string", "datetime_data", "float128", "float96",
    "complex192", "frompyfunc", "fromregex", "get_include", "info", "is_busday", "isnat", "recarray", "record", "show_config",
    "show_runtime", "test", "_NoValue"))

NAMES = SUBMODULES | _EXECUTED.keys() | {name for name in _NUMPYS if hasattr(_numpy, name)}


def resolve(name: str) -> Any:
    """What `torch_np.numpy.<name>` is, of the names that are not there from the start. Errors: AttributeError, in NumPy's words where
    it has some for a name of its own past."""
    if name == "__all__":
        return list(_numpy.__all__)
    if name in SUBMODULES:
        return importlib.import_module(f"{_source.PACKAGE}.{name}")
    if name in _EXECUTED:
        return getattr(importlib.import_module(f"{_source.PACKAGE}.{_EXECUTED[name]}"), name)
    if name in NAMES:
        return _mirror.own(getattr(_numpy, name), _source.PACKAGE)
    if name == "chararray":
        return getattr(_numpy, name)
    if not name.startswith("_"):
        removed = {**_numpy.__former_attrs__, **{k: f"`np.{k}` was removed in the NumPy 2.0 release. {v}"
                                                 for k, v in _numpy.__expired_attributes__.items()}}
        if name in removed:
            raise AttributeError(removed[name], name=None)
    raise AttributeError(f"module {_source.PACKAGE!r} has no attribute {name!r}")


def hooks(names: dict[str, Any]) -> dict[str, Any]:
    """`__getattr__` and `__dir__` of the module with the names `names`, which keeps what it was asked for."""
    def __getattr__(name: str) -> Any:
        value = resolve(name)
        if name in NAMES:
            names[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*names, *NAMES})

    return {"__getattr__": __getattr__, "__dir__": __dir__}
