"""Sample calls of every operator with a `derivative` in native_functions.yaml.

Operators are found in the generated operator list, so a new entry is tested automatically. Sample
calls are derived from the schema and from `domain`, or defined in samples.py. An operator with
neither fails.
"""

import itertools
import json
import pathlib
import random
import re
import zlib

import numpy
import pytest
import samples
from samples import Case

import torch_np
import torch_np.numpy as np

OPERATORS = json.loads((pathlib.Path(torch_np.__file__).parent / "_operators.json").read_text())
DIFFERENTIABLE = {op["full_name"]: op for op in OPERATORS if op.get("derivative")}
FACES = ["Tensor", "ndarray"]
DTYPES = ["float64", "complex128"]


class Maker:
    """Draws the inputs of one test: the same ones in every run, different ones for every operator."""

    def __init__(self, face, dtype, seed="", domain=None):
        self.face, self.dtype = face, dtype
        self.np = np
        self.xp = torch_np if face == "Tensor" else np
        self._random = random.Random(zlib.crc32(seed.encode()))
        self._domain = domain or (-1.5, 1.5)

    def __call__(self, *shape, low=None, high=None):
        low = self._domain[0] if low is None else low
        high = self._domain[1] if high is None else high
        x = self._nested(shape, low, high)
        x = self.constant(x, self.dtype)
        x = x.reshape(shape) if 0 in shape else x
        if self.face == "Tensor":
            x.requires_grad = True
        else:
            x._requires_grad = True
        return x

    def _nested(self, shape, low, high):
        if shape:
            return [self._nested(shape[1:], low, high) for _ in range(shape[0])]
        value = self._random.uniform(low, high)
        return complex(value, self._random.uniform(-0.5, 0.5)) if self.dtype == "complex128" else value

    def constant(self, values, dtype):
        make = torch_np.tensor if self.face == "Tensor" else np.array
        return make(values, dtype=getattr(self.xp, dtype if dtype != "bool" or self.face == "Tensor" else "bool_"))

    def torch(self, x):
        x = np.asarray(x) if isinstance(x, numpy.generic) else x
        return x._torch() if isinstance(x, np.ndarray) else x

    def astype(self, x, dtype):
        return x.astype(dtype) if isinstance(x, np.ndarray) else x.to(getattr(torch_np, dtype))

    def copied_into(self, target, source):
        if isinstance(target, np.ndarray):
            np.copyto(target, source)
            return target
        return target.copy_(source)

    def filled(self, target, value):
        if isinstance(target, np.ndarray):
            target.fill(value)
            return target
        return target.fill_(value)


# ------------------------------------------------------------------------------------------------ calls from schemas

def function_of(op, face):
    """The Python function of the operator on this face, or None if the face has no such name."""
    module = torch_np if face == "Tensor" else np
    if op["package"]:
        module = getattr(module, op["package"], None)
    for name in names_on_numpy_face(op) if face == "ndarray" else [] if op["hidden"] else [op["name"]]:
        found = getattr(module, name, None)
        if found is not None and not isinstance(found, type):
            return found
    return None


def names_on_numpy_face(op):
    return [e["name"] for e in OPERATORS if e["np_compat"] and "function" in e["variants"] and e["package"] == op["package"]
            and (e["native"] == op["full_name"] if e["native"] else e["name"] == op["name"])]


def required_arguments(op):
    return [a for a in op["arguments"] if a["default"] is None]


def automatic(op):
    """Whether all required arguments are differentiable tensors, or a `dim`."""
    for a in required_arguments(op):
        differentiable = a["type"] in ("Tensor", "Tensor(a)") and a["name"] in op["derivative"]
        if not (differentiable or a["type"] in ("int", "int?") and a["name"] == "dim"):
            return False
    return not op["hidden"] or bool(names_on_numpy_face(op))


SHAPES = {1: [((2, 3),), ((),), ((0, 3),)],
          2: [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((2, 0), (1,))],
          3: [((2, 3), (3,), ()), ((2,), (2,), (2,))]}


def automatic_cases(op, make, function):
    tensors = [a for a in required_arguments(op) if a["type"].startswith("Tensor")]
    others = [a for a in required_arguments(op) if not a["type"].startswith("Tensor")]
    names = {a["name"] for a in op["arguments"]}
    has_dim_list = any(a["name"] == "dim" and a["type"].startswith("int[]") for a in op["arguments"])
    words = {"dim": "dim", "keepdim": "keepdim"} if make.face == "Tensor" else {"dim": "axis", "keepdim": "keepdims"}
    variants = [{}]
    if others or any(a["name"] == "dim" and a["type"].startswith("int") for a in op["arguments"]):
        variants = [{words["dim"]: -1}] + ([{}] if not others else [])
        if has_dim_list:
            variants.append({words["dim"]: (0, 1)})
        if "keepdim" in names:
            variants.append({words["dim"]: 0, words["keepdim"]: True})
    for shapes, kwargs in itertools.product(SHAPES[len(tensors)], variants):
        if kwargs and len(shapes[0]) < 2 or 0 in sum(shapes, ()) and not reduces_empty(op):
            continue
        yield Case([make(*shape) for shape in shapes], lambda *xs, kwargs=kwargs: function(*xs, **kwargs),
                   id=f"{shapes} {kwargs}")
    kwargs = variants[0]
    yield Case([make(3, 2) for _ in tensors], lambda *xs: function(*[x.T for x in xs], **kwargs), id="transposed")
    yield Case([make(2, 1) for _ in tensors], lambda *xs: function(*[make.xp.broadcast_to(x, (2, 3)) for x in xs], **kwargs),
               id="broadcast")
    if make.face == "ndarray":
        yield Case([make(2, 3) for _ in tensors], lambda *xs: function(*[x[:, ::-1] for x in xs], **kwargs), id="reversed")


def reduces_empty(op):
    return op["kind"] == "pointwise"


def cases_of(op, make):
    name = op["full_name"]
    if name in samples.SAMPLES:
        return list(samples.SAMPLES[name](make))
    if not automatic(op):
        pytest.fail(f"{name} has a derivative, but its schema does not say how to call it: add it to SAMPLES in "
                    f"test/python/support/samples.py\n    {op['schema']}")
    return list(automatic_cases(op, make, function_of(op, make.face)))


# ------------------------------------------------------------------------------------------------------ supported dtypes

def complex_type_lists():
    """The names of the type lists in aten/core/numbers/dtype.h that contain complex types."""
    text = (pathlib.Path(torch_np.__file__).parents[1] / "aten/core/numbers/dtype.h").read_text()
    found = {"ComplexTypes"}
    for name, definition in re.findall(r"^using (\w+Types) = (.*);", text, re.M):
        if "Complex<" in definition or found & set(re.findall(r"\w+Types", definition)):
            found.add(name)
    return found


COMPLEX_TYPE_LISTS = complex_type_lists()


def takes_complex(op):
    """Whether native_functions.yaml declares a complex loop for the operator."""
    if op["dtypes"]:
        return bool(COMPLEX_TYPE_LISTS & set(re.findall(r"\w+", op["dtypes"])))
    return op["full_name"] not in samples.REAL_ONLY


def kinds_of(op):
    """'real' and 'complex', if both the operator and its sample calls support them."""
    wanted = {"real", "complex"} if takes_complex(op) else {"real"}
    if op["full_name"] in samples.SAMPLES:
        cases = samples.SAMPLES[op["full_name"]](Maker("Tensor", "float64"))
        wanted &= set().union(*(case.kinds.split() for case in cases))
    return wanted


def callable_on(op, face):
    """Whether a test can call the operator on this face: by its samples, or by its name. (Both
    faces share the node.)"""
    return op["full_name"] in samples.SAMPLES or function_of(op, face) is not None


# The only face on which these operators take complex numbers.
COMPLEX_FACE = {"maximum": "ndarray", "minimum": "ndarray", "fmax": "ndarray", "fmin": "ndarray", "logaddexp": "Tensor"}


def takes_dtype(name, face, dtype):
    op = DIFFERENTIABLE[name]
    return KIND[dtype] in kinds_of(op) and (KIND[dtype] == "real" or COMPLEX_FACE.get(name, face) == face)


KIND = {"float64": "real", "complex128": "complex"}
CHECKS = [(name, face, dtype) for name, op in DIFFERENTIABLE.items() for face in FACES for dtype in DTYPES
          if callable_on(op, face) and takes_dtype(name, face, dtype)]
