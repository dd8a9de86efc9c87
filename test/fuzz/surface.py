"""Every public callable of both faces, found by walking the modules, so that new operators are
included automatically.

Names that a module only re-exports (NumPy's own dtype, `inf` of math, ...) are left out.
"""
from __future__ import annotations

import inspect
import types
from dataclasses import dataclass

import ml_dtypes
import numpy

import torch_np
import torch_np.numpy as np
from torch_np.numpy._interop import lazy as _lazy

EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str                   # as inspect names it: POSITIONAL_ONLY, ...
    default: object = EMPTY

    @property
    def required(self) -> bool:
        return self.default is EMPTY and not self.kind.startswith("VAR_")


@dataclass(frozen=True)
class Target:
    """`function` is source; with a `receiver` (source, or the name of a kind of array) it is the name of a method."""

    function: str
    face: str
    receiver: str = ""
    parameters: tuple[Parameter, ...] | None = None

    @property
    def subject(self) -> str:
        return f"{RECEIVER_NAMES.get(self.receiver, self.receiver)}.{self.function}" if self.receiver else self.function

    @property
    def short(self) -> str:
        return self.function.rpartition(".")[2]


# Expressions for instances of classes that cannot be constructed by a call.
RECEIVERS = {np.ndarray: "ndarray", torch_np.Tensor: "Tensor", np.random.Generator: "np.random.default_rng(7)",
             np.random.RandomState: "np.random.RandomState(7)", torch_np.Generator: "torch_np.Generator()"}
RECEIVER_NAMES = {"ndarray": "np.ndarray", "Tensor": "torch_np.Tensor", "np.random.default_rng(7)": "np.random.Generator",
                  "np.random.RandomState(7)": "np.random.RandomState"}
UFUNC_METHODS = ["reduce", "accumulate", "outer", "at", "reduceat"]

# Methods that are called through operators, or inherited from object unchanged.
OBJECT_METHODS = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "__init__", "__getattribute__", "__del__", "__dir__",
                  "__sizeof__", "__reduce__", "__doc__", "__module__", "__dict__", "__weakref__"}

# Functions that a fuzzer must not call, and the reasons.
SKIPPED = {
    "np.test": "runs a test suite",
    "np.info": "pages on the terminal",
    "np.show_config": "prints",
    "np.show_runtime": "prints",
}


# NumPy's own source run over this namespace, or NumPy's functions. The functions that they call are
# fuzzed here; NumPy's test suite covers these themselves.
NUMPYS_MODULES = _lazy.SUBMODULES | {"lib"}
NUMPYS_NAMES = _lazy.NAMES


def parameters_of(function) -> tuple[Parameter, ...] | None:
    """The parameters that inspect reports, or None."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    return tuple(Parameter(p.name, p.kind.name, p.default) for p in signature.parameters.values())


def _owned_by_others() -> set[int]:
    modules = [numpy, numpy.linalg, numpy.fft, numpy.random, numpy.lib, numpy.lib.stride_tricks, numpy.exceptions, ml_dtypes]
    return {id(value) for module in modules for value in vars(module).values()}


_OTHERS = _owned_by_others()


def _is_ours(value) -> bool:
    module = getattr(value, "__module__", None)
    module = module if isinstance(module, str) else ""
    return id(value) not in _OTHERS and not module.startswith(("numpy", "ml_dtypes", "builtins", "math", "functools", "typing"))


def _public(module) -> list[str]:
    try:
        return sorted(name for name in dir(module) if not name.startswith("_"))
    except ImportError:  # torch_np.utils.tensorboard without the package tensorboard
        return []


def _modules():
    """(source, face, module) of both packages and the public modules in them."""
    pending, seen = [("torch_np", "torch", torch_np), ("np", "np", np)], set()
    while pending:
        source, face, module = pending.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        yield source, face, module
        for name in _public(module):
            if module is np and name in NUMPYS_MODULES:
                continue
            inner = getattr(module, name)
            if isinstance(inner, types.ModuleType) and inner.__name__.startswith("torch_np") and "._" not in inner.__name__ and inner is not np:
                pending.append((f"{source}.{name}", face, inner))


def _methods(cls, receiver, face):
    for name in sorted(dir(cls)):
        if name in OBJECT_METHODS or name.startswith("_") and not name.startswith("__") and receiver != "ndarray":
            continue  # ndarray methods that NumPy lacks begin with an underscore
        method = inspect.getattr_static(cls, name)
        if callable(getattr(cls, name, None)) and not isinstance(method, property) and not _inherited(cls, name):
            parameters = parameters_of(getattr(cls, name))
            yield Target(name, face, receiver, parameters[1:] if parameters else None)


def _inherited(cls, name) -> bool:
    return any(getattr(base, name, None) is getattr(cls, name) for base in (object, tuple, dict) if issubclass(cls, base))


def _instance(source):
    """Source of an instance of the class. If there is none, the class itself, so that its methods
    lack their first argument."""
    if source.rpartition(".")[2].startswith("set_"):  # it changes a setting when it is made
        return source
    for text in (f"{source}()", f"{source}(2)", f"{source}([1., 2.])", f"{source}('cpu')", f"{source}(abs)"):
        try:
            eval(text, {"np": np, "torch_np": torch_np})  # noqa: S307  (our own text)
        except Exception:  # noqa: BLE001, S112
            continue
        return text
    return source


def targets() -> list[Target]:
    """All targets, in a fixed order."""
    found: dict[str, Target] = {}
    seen: set[int] = set()
    for source, face, module in _modules():
        for name in _public(module):
            value, path = getattr(module, name), f"{source}.{name}"
            if path in SKIPPED or face == "np" and module is np and name in NUMPYS_NAMES or not callable(value) or isinstance(value, types.ModuleType) or id(value) in seen:
                continue
            seen.add(id(value))  # its other names refer to the same object
            if isinstance(value, np.ufunc):
                found[path] = Target(path, face, "", parameters_of(value))
                for method in UFUNC_METHODS:
                    found[f"{path}.{method}"] = Target(f"{path}.{method}", face, "", parameters_of(getattr(value, method)))
            elif not _is_ours(value):
                continue
            elif inspect.isclass(value):
                found[path] = Target(path, face, "", parameters_of(value))
                if not issubclass(value, BaseException):
                    receiver = RECEIVERS.get(value) or _instance(path)
                    for target in _methods(value, receiver, face):
                        found.setdefault(target.subject, target)
            else:
                found[path] = Target(path, face, "", parameters_of(value))
    return [found[key] for key in sorted(found)]


def attributes(cls) -> list[str]:
    """Attributes that are read, set and deleted."""
    return sorted(name for name in dir(cls) if not callable(getattr(cls, name, None)) and name not in OBJECT_METHODS)
