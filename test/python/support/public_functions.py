"""The public functions of both faces, found by introspection, and calls of those of the NumPy face
(numpy_calls.py)."""
import inspect
import json
import pathlib
import types
import typing

import numpy
import numpy_calls
import pytest

import torch_np
import torch_np.numpy as np

OPERATORS = json.loads((pathlib.Path(torch_np.__file__).parent / "_operators.json").read_text())
MODULES = {"": np, "linalg.": np.linalg, "fft.": np.fft, "emath.": np.emath, "lib.stride_tricks.": np.lib.stride_tricks,
           "lib.array_utils.": np.lib.array_utils}


def public_names():
    """Functions, classes, methods and properties, by the names that numpy_calls.py uses."""
    for prefix, module in MODULES.items():
        for name in dir(module):
            value = getattr(module, name)
            if name.startswith("_") or isinstance(value, types.ModuleType) or not callable(value) or is_another_type(value):
                continue
            yield prefix + name
    yield from (f"ndarray.{name}" for name in dir(np.ndarray) if not name.startswith("_"))


def is_another_type(value):
    """NumPy's own classes (scalar types, exceptions), which accept no arrays of ours, or the
    numbers in them; named results; the array types themselves."""
    if not isinstance(value, type):
        return value in (typing.NamedTuple, numpy.lib.array_utils.normalize_axis_index, numpy.lib.array_utils.normalize_axis_tuple)
    return str(value.__module__).partition(".")[0] in ("numpy", "builtins", "ml_dtypes") or issubclass(
        value, (tuple, np.ndarray, torch_np.Tensor, np.ufunc))


NAMES = list(public_names())
UFUNCS = [n for n in NAMES if isinstance(getattr(np, n, None), np.ufunc)]


def calls_of(name):
    found = numpy_calls.UFUNC_CALLS.get(name) or numpy_calls.CALLS.get(name)
    if found is not None:
        return found if isinstance(found, list) else [found]
    if name in UFUNCS:
        ufunc = getattr(np, name)
        low, high = domain_of(name)
        rows = [[low + (high - low) * (k + 0.31 * i + 0.2) / 4 for k in range(3)] for i in range(ufunc.nin)]
        return [(ufunc, *rows)]
    pytest.fail(f"np.{name} is not known here: add a call of it to CALLS in test/python/support/numpy_calls.py, or to NO_ARGUMENT if "
                "no gradient can flow to its arguments")


def domain_of(name):
    if name in numpy_calls.UFUNC_VALUES:
        return numpy_calls.UFUNC_VALUES[name]
    entry = next((e for e in OPERATORS if e["np_compat"] and name in (e["name"], *e.get("aliases", ()))), {})
    native = entry.get("native") or entry.get("name")
    return next((tuple(e["domain"]) for e in OPERATORS if e["full_name"] == native and e.get("domain")), (0.2, 0.9))


def results_in(value):
    """All arrays of inexact dtype in a result, and Python floats and complex numbers."""
    if isinstance(value, (tuple, list)):
        return [r for v in value for r in results_in(v)]
    if isinstance(value, (np.ndarray, torch_np.Tensor, numpy.ndarray, numpy.generic)):
        return [value] if value.dtype.kind in "fcV" else []
    return [value] if isinstance(value, (float, complex)) else []


# ------------------------------------------------------------------------------------------------ the torch face

SPACES = {"": torch_np, "linalg.": torch_np.linalg, "fft.": torch_np.fft, "nn.functional.": torch_np.nn.functional}
# They change settings of the process, or the meaning of `import torch`.
SETTINGS = frozenset(name for name in dir(torch_np) if name.startswith(("set_", "use_", "autocast_", "init_", "clear_autocast"))) | {"install", "load_ipython_extension"}
NOT_OPERATORS = (*sorted(SETTINGS), "manual_seed", "get_default_device", "save", "load", "from_file", "frombuffer", "compile", "cond", "get_device_module", "is_storage")
TORCH_NAMES = [prefix + name for prefix, space in SPACES.items() for name, f in sorted(vars(space).items())
               if not name.startswith("_") and callable(f) and not inspect.isclass(f) and name not in NOT_OPERATORS
               and getattr(f, "__module__", None) != "typing"]
# Additional arguments after the tensors of a call.
EXTRAS = [(), (0,), (1,), (0, 1), ((0,),), (2, 0, 1), ([1, 0],), ("sum",), (1, 0, 1), ((3,),)]
