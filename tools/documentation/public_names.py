"""The contents of the reference: public callables of both faces by module, and the methods of their
classes."""

from __future__ import annotations

import enum
import functools
import importlib
import importlib.util
import inspect
import types
from typing import Any

# In the order of the table of contents.
MODULES = {
    "torch_np.numpy": "NumPy's face",
    "torch_np.numpy.linalg": "linear algebra of NumPy's face",
    "torch_np.numpy.fft": "Fourier transforms of NumPy's face",
    "torch_np.numpy.random": "random numbers of NumPy's face",
    "torch_np.numpy.emath": "functions that leave the real numbers",
    "torch_np.numpy.lib.array_utils": "axes and addresses of arrays",
    "torch_np.numpy.lib.stride_tricks": "views by shape and strides",
    "torch_np": "PyTorch's face",
    "torch_np.linalg": "linear algebra of PyTorch's face",
    "torch_np.fft": "Fourier transforms of PyTorch's face",
    "torch_np.special": "special functions",
    "torch_np.nn": "layers",
    "torch_np.nn.functional": "functions of layers",
    "torch_np.nn.grad": "gradients of convolutions",
    "torch_np.nn.init": "first values of parameters",
    "torch_np.nn.utils": "tools for parameters",
    "torch_np.nn.utils.rnn": "sequences of several lengths",
    "torch_np.nn.parallel": "modules that several processes train",
    "torch_np.optim": "optimisers",
    "torch_np.optim.lr_scheduler": "learning rates that change",
    "torch_np.autograd": "gradients",
    "torch_np.distributions": "probability distributions",
    "torch_np.distributions.transforms": "invertible functions of distributions",
    "torch_np.distributions.constraints": "where parameters and values may lie",
    "torch_np.utils.data": "data sets and their loaders",
    "torch_np.multiprocessing": "processes that share memory",
    "torch_np.amp": "scaled losses for 16-bit gradients",
    "torch_np.distributed": "several processes",
    "torch_np.library": "operators of your own",
    "torch_np.operator": "operators of your own, as two classes",
    "torch_np.compiler": "compiled functions",
    "torch_np.fusion": "fused expressions",
    "torch_np.profiler": "where time and memory go",
    "torch_np.cpu": "the CPU",
    "torch_np.cuda": "GPUs",
    "torch_np.accelerator": "whichever GPU there is",
    "torch_np.backends.cuda": "settings of NVIDIA's libraries",
    "torch_np.backends.cudnn": "settings of cuDNN, which is not used: they are kept, and change nothing",
    "torch_np.backends.mps": "Apple's GPUs, which are not supported",
    "torch_np.safetensors": "files of tensors",
    "torch_np.onnx": "ONNX",
    "torch_np.testing": "comparisons for tests",
    "torch_np_dask": "chunks of Dask's arrays",
}
if importlib.util.find_spec("dask") is None:  # the extra `dask`
    del MODULES["torch_np_dask"]

# Classes whose methods have their own pages, and the module with functions of the same names.
CLASSES = {
    "torch_np.numpy.ndarray": "torch_np.numpy",
    "torch_np.numpy.random.Generator": "torch_np.numpy.random",
    "torch_np.Tensor": "torch_np",
    "torch_np.nn.Module": "torch_np.nn",
    "torch_np.optim.Optimizer": "torch_np.optim",
    "torch_np.distributions.Distribution": "torch_np.distributions",
}

# Modules of NumPy's face that reuse NumPy's names, by kind (docs/design.md, "NumPy's modules"),
# with their pages in NumPy's manual.
NUMPYS_MODULES = {
    "executed": {
        "torch_np.numpy.polynomial": "routines.polynomials-package",
        "torch_np.numpy.ma": "routines.ma",
        "torch_np.numpy.matlib": "routines.matlib",
        "torch_np.numpy.matrixlib": "generated/numpy.matrix",
        "torch_np.numpy.ctypeslib": "routines.ctypeslib",
        "torch_np.numpy.lib.mixins": "generated/numpy.lib.mixins.NDArrayOperatorsMixin",
    },
    "mirrors": {
        "torch_np.numpy.char": "routines.char",
        "torch_np.numpy.strings": "routines.strings",
        "torch_np.numpy.rec": "routines.rec",
        "torch_np.numpy.lib.format": "generated/numpy.lib.format",
        "torch_np.numpy.lib.introspect": "routines.lib",
        "torch_np.numpy.lib.recfunctions": "../user/basics.rec",
    },
    "assertions": {
        "torch_np.numpy.testing": "routines.testing",
    },
    "the same objects": {
        "torch_np.numpy.exceptions": "routines.exceptions",
        "torch_np.numpy.dtypes": "routines.dtypes",
        "torch_np.numpy.version": "routines.version",
    },
}


def get(path: str) -> Any:
    """The object with a dotted name."""
    for i in range(path.count("."), -1, -1):
        module, *rest = [".".join(path.split(".")[:i + 1]), *path.split(".")[i + 1:]]
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, rest, found)
    raise ModuleNotFoundError(path)


def is_object(value: Any, module: str) -> bool:
    """Whether `value` is an instance of a private class of its module, such as `positive` of
    torch_np.distributions.constraints."""
    return type(value).__module__ == module and type(value).__name__.startswith("_")


def is_documented(value: Any, module: str) -> bool:
    """Whether `value` is our (or, under our name, NumPy's) function or class, or an object that the
    module exports, but not an imported helper."""
    if is_object(value, module):
        return True
    if not callable(value) or isinstance(value, (types.ModuleType, enum.EnumMeta)):
        return False
    if getattr(value, "__dict__", {}).get("_is_absent"):  # it refuses: torch_np/_absent.py
        return False
    return (getattr(value, "__module__", None) or module).split(".")[0] in ("torch_np", "torch_np_dask", "numpy", "mtrand", "builtins", "")


@functools.cache
def of_module(name: str) -> dict[str, Any]:
    """The public callables of a module by name, and its exported objects."""
    module = importlib.import_module(name)
    names = getattr(module, "__all__", None) or dir(module)
    found = {n: getattr(module, n) for n in sorted(names, key=str.lower) if not n.startswith("_")}
    return {n: v for n, v in found.items() if is_documented(v, name)}


@functools.cache
def of_class(path: str) -> dict[str, Any]:
    """The public methods of a class."""
    cls = get(path)
    found = {n: inspect.getattr_static(cls, n) for n in dir(cls) if not n.startswith("_")}
    return {n: getattr(cls, n) for n, v in found.items() if callable(v) or isinstance(v, (classmethod, staticmethod))}


@functools.cache
def function_of_method(path: str, method: str) -> str | None:
    """The full name of the function equivalent to a method: the same name, or `add` for `add_`."""
    functions = of_module(CLASSES[path])
    for name in (method, method.rstrip("_")):
        if name in functions:
            return f"{CLASSES[path]}.{name}"
    return None


def function_of_variant(names: dict[str, Any], name: str) -> str | None:
    """For an in-place variant such as `add_`: the function `add`, if `names` contains it."""
    return name[:-1] if name.endswith("_") and name[:-1] in names else None


def first_names() -> dict[int, str]:
    """The full name under which the reference documents an object, by its id: that of the first
    module that exports it."""
    found: dict[int, str] = {}
    for module in MODULES:
        for name, value in of_module(module).items():
            found.setdefault(id(value), f"{module}.{name}")
    return found


def everything() -> dict[str, list[str]]:
    """The names that need an example. By module: functions and classes, without in-place variants
    and without names that an earlier module exports. By class: methods without an equivalent
    function in its module."""
    first, found = first_names(), {}
    for module in MODULES:
        names = of_module(module)
        found[module] = [n for n, v in names.items()
                         if function_of_variant(names, n) is None and first[id(v)].rpartition(".")[0] == module]
    for path in CLASSES:
        found[path] = [n for n in of_class(path) if function_of_method(path, n) is None]
    return found
