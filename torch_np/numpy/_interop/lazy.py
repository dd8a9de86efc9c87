"""Names of `torch_np.numpy` that are loaded on first use, and names that are NumPy's own objects.
"""
from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as _numpy

from torch_np._deferred import deferred
from torch_np.numpy._interop import mirror as _mirror, source as _source

SUBMODULES = frozenset((
    "char", "core", "ctypeslib", "dtypes", "f2py", "ma", "matlib", "matrixlib", "polynomial", "rec", "strings", "testing", "typing",
    "version", "_array_api_info", "_core", "_globals", "_pytesttester", "_typing", "_utils", "__config__"))

# Names in the modules that execute NumPy's source over this namespace.
_EXECUTED = {"asmatrix": "matrixlib.defmatrix", "bmat": "matrixlib.defmatrix", "matrix": "matrixlib.defmatrix", "memmap": "_memmap"}

# NumPy's own objects, for dtypes that the engine does not hold (records, dates, objects) and about
# the installation. Some exist only on some systems.
_NUMPYS = frozenset((
    "busday_count", "busday_offset", "busdaycalendar", "chararray", "complex256", "datetime_as_string", "datetime_data", "float128",
    "float96", "complex192", "frompyfunc", "fromregex", "get_include", "info", "is_busday", "isnat", "recarray", "record", "show_config",
    "show_runtime", "test", "_NoValue"))

NAMES = SUBMODULES | _EXECUTED.keys() | _NUMPYS


def add_names(names: dict[str, Any]) -> None:
    """Adds to `names` the lazy modules, NumPy's own objects, and classes made by executing NumPy's
    source. Names that the installed NumPy lacks are omitted.
    """
    names.update((name, module) for name in SUBMODULES if (module := deferred(f"{_source.PACKAGE}.{name}")) is not None)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # for chararray
        names.update((name, _mirror.own(getattr(_numpy, name), _source.PACKAGE)) for name in _NUMPYS if hasattr(_numpy, name))
    names.update((name, getattr(importlib.import_module(f"{_source.PACKAGE}.{module}"), name)) for name, module in _EXECUTED.items())
    _mirror.forget()  # the namespace is complete now
