"""Docstrings of Python functions and classes. Each public name has one. It describes shapes if
arrays are accepted or returned, and errors if the function raises. Docstrings of operators come
from native_functions/ (test_codegen.py)."""
import ast
import functools
import inspect
import pathlib
import re
import sys
import textwrap
import types

import numpy
import pytest

import torch_np
from torch_np import Tensor, distributions, nn

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from tools.documentation import public_names  # noqa: E402
from tools.documentation.reference import FIELDS  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("reads docstrings"), pytest.mark.same_when_pending("reads docstrings")]

PACKAGES = [str(ROOT / "torch_np"), str(ROOT / "torch_np_dask")]
ARRAY = re.compile(r"(?<!TypeIs\[)\b(Tensor|ndarray|ArrayLike|TensorLike)\b")


def is_ours(path):
    return any(str(path or "").startswith(package) for package in PACKAGES)


def definition(value):
    """The Python function that `value` is or calls; None for operators and NumPy's functions.
    Public functions of the NumPy face are objects that contain it, and the code of a wrapper has
    another name."""
    while value is not None:
        if isinstance(value, (types.FunctionType, types.MethodType)) and is_ours(value.__code__.co_filename):
            if not hasattr(value, "__wrapped__") or value.__code__.co_name == value.__name__:
                return value
        value = getattr(value, "__wrapped__", None)
    return None


def is_our_class(value):
    return inspect.isclass(value) and is_ours(getattr(sys.modules.get(value.__module__), "__file__", None))


def is_numpys(value):
    """Whether the text is NumPy's own."""
    return "Parameters\n---" in (inspect.getdoc(value) or "")


def names():
    """Public functions and classes by their full names."""
    for module, found in public_names.everything().items():
        for name in found:
            value = getattr(public_names.get(module), name)
            if not is_numpys(value):
                yield f"{module}.{name}", value


FUNCTIONS = {name: value for name, value in names() if not inspect.isclass(value) and definition(value)}
CLASSES = {name: value for name, value in names() if is_our_class(value)}
MODULES = {name: value for name, value in CLASSES.items() if issubclass(value, nn.Module) and value.forward is not nn.Module.forward}
DISTRIBUTIONS = {name: value for name, value in CLASSES.items() if issubclass(value, distributions.Distribution)}


def text(value):
    """The docstring. A class must have its own, and not the one that Python generates for a
    NamedTuple: 'Name(field, ...)'."""
    doc = (value.__doc__ if inspect.isclass(value) else inspect.getdoc(value)) or ""
    return "" if inspect.isclass(value) and doc.startswith(f"{value.__name__}(") else inspect.cleandoc(doc)


def fields(value):
    """The words in a docstring 'Shapes: ... Errors: ...' that the site turns into fields."""
    return [name for block in re.split(r"\n\s*\n", text(value)) for name in FIELDS.split(block)[1::2]]


def has_arrays(function):
    """Whether the annotations of a function name arrays, other than that of `self`."""
    annotations = getattr(definition(function), "__annotations__", {})
    return any(ARRAY.search(a if isinstance(a, str) else str(a)) for name, a in annotations.items() if name != "self")


@functools.cache
def raised(function):
    """The classes of the exceptions in the function's own raise statements."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function.__code__)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    return {ast.unparse(call.func if isinstance(call, ast.Call) else call) for call in calls}


def raised_when_made(cls):
    made = (vars(cls).get(name) for name in ("__new__", "__init__"))
    return set().union(*(raised(f) for f in map(plain, made) if f is not None and is_ours(f.__code__.co_filename)))


def plain(function):
    """The function of a static method; None for slots of C and other objects without one."""
    function = getattr(function, "__func__", function)
    return function if inspect.isfunction(function) else None


def says_errors(value):
    return "Errors" in fields(value) or re.search(r"\b\w+Error\b", text(value))


def without(found, condition):
    return sorted(name for name, value in found.items() if not condition(value))


def test_there_is_something_to_look_at():
    assert len(FUNCTIONS) > 450 and len(CLASSES) > 250 and len(MODULES) > 130 and len(DISTRIBUTIONS) > 35
    assert "torch_np.numpy.pad" in FUNCTIONS and "torch_np.numpy.random.beta" in FUNCTIONS and "torch_np.sum" not in FUNCTIONS


def test_functions_have_a_docstring():
    assert not without(FUNCTIONS, text)


def test_classes_have_a_docstring_of_their_own():
    assert not without(CLASSES, text)


def test_functions_of_arrays_say_shapes():
    assert not without({name: f for name, f in FUNCTIONS.items() if has_arrays(f)}, lambda f: "Shapes" in fields(f))


def test_modules_say_shapes():
    """The class or its forward method documents shapes."""
    assert not without(MODULES, lambda cls: "Shapes" in fields(cls) + fields(cls.forward))


def test_distributions_say_shapes():
    assert not without(DISTRIBUTIONS, lambda cls: "Shapes" in fields(cls))


def test_what_raises_says_so():
    assert not without({name: f for name, f in FUNCTIONS.items() if raised(definition(f))}, says_errors)


def test_classes_whose_making_raises_say_so():
    assert not without({name: cls for name, cls in CLASSES.items() if raised_when_made(cls)}, says_errors)


def bare(x: Tensor) -> Tensor:
    if x.dim():
        raise ValueError("x")
    return x


def short(x: Tensor) -> Tensor:
    """What `bare` gives. Shapes: (). Errors: ValueError for others."""
    return bare(x)


def question(x: object) -> "TypeIs[Tensor]":  # noqa: F821
    """Whether."""


def test_what_is_missing_is_seen(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "PACKAGES", [__file__])
    assert definition(bare) is bare and has_arrays(bare) and has_arrays(short) and not has_arrays(question)
    assert raised(bare) == {"ValueError"} and not raised(short)
    assert without({"bare": bare, "short": short}, text) == ["bare"]
    assert without({"bare": bare, "short": short}, lambda f: "Shapes" in fields(f)) == ["bare"]
    assert without({"bare": bare, "short": short}, says_errors) == ["bare"]


@pytest.mark.parametrize("value", [torch_np.sum, numpy.pad, numpy.ndarray])
def test_operators_and_what_is_numpys_are_others(value):
    assert definition(value) is None and not is_our_class(value)
