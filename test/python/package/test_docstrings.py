"""Every public operator's docstring describes its arguments, its shapes and its errors, on each
face. Python functions that call operators: test_python_docstrings.py."""
import ast
import inspect
import json
import pathlib
import re

import pytest

import torch_np

pytestmark = [pytest.mark.same_on_devices("reads docstrings"), pytest.mark.same_when_pending("reads docstrings")]

OPERATORS = [o for o in json.loads((pathlib.Path(torch_np.__file__).parent / "_operators.json").read_text()) if not o.get("hidden")]
FACES = {"torch_np": (torch_np, torch_np.Tensor), "torch_np.numpy": (torch_np.numpy, torch_np.numpy.ndarray)}


def found(owner, path):
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner


def shown(face):
    """Functions and methods that are operators, under their public names."""
    module, cls = FACES[face]
    for o in OPERATORS:
        if o["np_compat"] != (face == "torch_np.numpy"):
            continue
        for name in [o["name"], *o["aliases"]]:
            for spelling in [name, f"{name}_"] if "inplace" in o["variants"] else [name]:
                if "function" in o["variants"]:
                    yield f"{face}.{o['package']}.{spelling}".replace("..", "."), found(module, f"{o['package']}.{spelling}".lstrip("."))
                if "method" in o["variants"] or spelling != name:
                    yield f"{face}.{cls.__name__}.{spelling}", found(cls, spelling)


def documented(face):
    """The operators that are not Python functions."""
    found = {name: value for name, value in shown(face) if value is not None and not hasattr(inspect.unwrap(value), "__code__")}
    assert len(found) > 150
    return found


@pytest.mark.parametrize("face", FACES)
def test_every_operator_says_its_shapes_and_errors(face):
    docs = {name: inspect.getdoc(value) or "" for name, value in documented(face).items()}
    assert [f"{name}: {field}" for name, doc in docs.items() for field in ("Shapes", "Errors")
            if not re.search(rf"(^|(?<=[.;)] )){field}: ", doc, re.MULTILINE)] == []


def arguments(value):
    """The arguments of all signatures of an operator: the one for inspect, and those of the lines
    `Also f(...)` of its docstring. `**kwargs` is left out, since it stands for the common arguments
    of ufuncs."""
    names = [p.name for p in inspect.signature(value).parameters.values() if p.name != "self" and p.kind is not p.VAR_KEYWORD]
    for signature in re.findall(r"^Also \w+\((.*)\)$", inspect.getdoc(value), re.MULTILINE):
        args = ast.parse(f"def f({signature}): ...").body[0].args
        names += [a.arg for a in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs) if a]
    return [name for name in dict.fromkeys(names) if not name.startswith("_")]


# NumPy's signature of ndarray.dot names the argument `other`; its parser uses `b`, and so does the
# description.
NAMED_OTHERWISE = {"torch_np.numpy.ndarray.dot: other"}


@pytest.mark.parametrize("face", FACES)
def test_every_operator_describes_its_arguments(face):
    missing = []
    for name, value in documented(face).items():
        section = re.search(r"^Args:\n((?:  .*\n)+)", f"{inspect.getdoc(value)}\n", re.MULTILINE)
        described = set(re.findall(r"^  (\w+)(?: \(self\))?: .", section[1], re.MULTILINE)) if section else set()
        missing += [f"{name}: {argument}" for argument in arguments(value) if argument not in described]
    assert set(missing) - NAMED_OTHERWISE == set()
