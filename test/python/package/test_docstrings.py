"""Every public operator's docstring says its shapes and the errors that it raises, on each face. Those of Python functions that stand
before an operator: test_python_docstrings.py."""
import inspect
import json
import pathlib
import re

import pytest

import torch_np

OPERATORS = [o for o in json.loads((pathlib.Path(torch_np.__file__).parent / "_operators.json").read_text()) if not o.get("hidden")]
FACES = {"torch_np": (torch_np, torch_np.Tensor), "torch_np.numpy": (torch_np.numpy, torch_np.numpy.ndarray)}


def found(owner, path):
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner


def shown(face):
    """Functions and methods that operators are, by the names that a user finds them by."""
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


@pytest.mark.parametrize("face", FACES)
def test_every_operator_says_its_shapes_and_errors(face):
    docs = {name: inspect.getdoc(value) or "" for name, value in shown(face)
            if value is not None and not hasattr(inspect.unwrap(value), "__code__")}
    assert len(docs) > 150
    assert [f"{name}: {field}" for name, doc in docs.items() for field in ("Shapes", "Errors")
            if not re.search(rf"(^|(?<=[.;)] )){field}: ", doc, re.MULTILINE)] == []
