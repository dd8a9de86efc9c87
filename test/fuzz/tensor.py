"""Fuzzes the Tensor face: dtypes against the stored table of PyTorch's promotion
(test/python/data/golden), values against the NumPy face.

An operator on two tensors of different dtypes must behave as if both were first cast to the table's
dtype. An operator of both faces must give the values of the NumPy face; differences.py lists those
that PyTorch defines differently.
"""
from __future__ import annotations

import functools
import json
import math
import operator
import pathlib
import sys
import warnings

import numpy

import torch_np
import torch_np.numpy as np
from fuzz import differences
from fuzz.arguments import Draw, plausible
from fuzz.arrays import TORCH_NAMES
from fuzz.cases import Call, Case, Finding, Outcome
from fuzz.comparing import as_numpy, close, magnitude
from fuzz.schedule import Entry, Schedule

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "support"))
import torch_promotion  # noqa: E402

OPERATORS = json.loads((pathlib.Path(torch_np.__file__).parent / "_operators.json").read_text())
# Rules of promotion that let the result depend on the operands through their common dtype alone.
COMMON = {"Arithmetic", "ArithmeticNoBool", "TrueDivide", "Numeric", "Comparison", "Bitwise", "FloatingReal", "Real", "Integer"}
LONG_NAMES = {"f8": "float64", "f4": "float32", "f2": "float16", "i8": "int64", "i4": "int32", "i2": "int16", "i1": "int8", "u1": "uint8", "?": "bool",
              "c8": "complex64", "c16": "complex128"}  # the dtypes that PyTorch computes with
FLOATING = {"TrueDivide", "FloatingReal"}  # two integers give the default floating dtype
_rules = {f"torch_np.{op['name']}": op["promotion"] for op in OPERATORS if not op["np_compat"] and op["kind"] == "pointwise"}
AXIS_NAMES = {"dim", "keepdim", "dim0", "dim1", "diagonal", "offset"}


class TensorFace:
    name = "tensor"

    def __init__(self):
        self.promotion = torch_promotion.read()
        native = [op for op in OPERATORS if not op["np_compat"] and not op["hidden"] and "function" in op["variants"] and not op["overload"]]
        self.pairs = [op for op in native if op["kind"] == "pointwise" and op["promotion"] in COMMON and not op["package"]
                      and [a["type"] for a in op["arguments"]] == ["Tensor", "Tensor"]]
        self.shared = [(op, twin) for op in native if (twin := _twin(op)) is not None and not differences.means_something_else(op["name"])]
        entries = [Entry(f"promotion of {op['name']} {i}", functools.partial(self._pair, op)) for op in self.pairs for i in range(4)]
        entries += [Entry(_python_name(op), functools.partial(self._shared, op)) for op, _ in self.shared]
        self.case = Schedule(self.name, entries).case

    def may_take_long(self, case: Case) -> bool:
        return False

    # ------------------------------------------------------------------------------------------------------ the case

    def _pair(self, op, random) -> Case:
        draw = Draw(random, face="torch", dtypes=list(LONG_NAMES), special=0.1, long=0.02)
        operands = [draw.named(draw.shape)]
        operands.append(random.choice(["True", "3", "1.5", "1j"]) if random.random() < 0.2 else draw.named(draw.related_shape()))
        return Case(tuple(draw.setup), Call(f"torch_np.{op['name']}", tuple((None, x) for x in operands)), f"promotion of torch_np.{op['name']}")

    def _shared(self, op, random) -> Case:
        # one dtype: the faces promote differently
        draw = Draw(random, face="torch", dtypes=[random.choice(list(LONG_NAMES))], long=0.1)
        function, arguments = f"torch_np.{op['package'] + '.' if op['package'] else ''}{op['name']}", []
        for a in op["arguments"]:
            if a["type"].startswith("Tensor"):
                arguments.append((None, self._tensor(random, draw, function, a)))
            elif a["name"] in AXIS_NAMES and (a["default"] is None or random.random() < 0.4):
                choices = plausible(function, a["name"]) or ["1", "0", "-1"]
                arguments.append((a["name"], random.choice(choices)))
        return Case(tuple(draw.setup), Call(function, tuple(arguments)), function)

    def _tensor(self, random, draw, function, a):
        if a["type"].startswith("Tensor[]"):
            return draw.arrays()
        choices = plausible(function, a["name"])
        if isinstance(choices, str) and choices in ("matrix", "matrix_or_vector", "vector"):
            return getattr(draw, choices)()
        return draw.named(draw.related_shape())

    # ------------------------------------------------------------------------------------------------------ the check

    def check(self, case: Case) -> Outcome:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            names = {"torch_np": torch_np, "nan": math.nan, "inf": math.inf, "operator": operator}
            for statement in case.setup:
                exec(statement, names)  # noqa: S102  (our own text)
            arguments = [(name, eval(source, names)) for name, source in case.call.arguments]  # noqa: S307
            function = _find(torch_np, case.call.function)
            got, error = _outcome(function, arguments)
            if case.subject.startswith("promotion"):
                return self._check_pair(case, function, arguments, got, error)
            return self._check_shared(case, arguments, got, error)

    def _check_pair(self, case, function, arguments, got, error) -> Outcome:
        if len(arguments) != 2:
            return Outcome("raised")  # a smaller case
        x, y = (v for _, v in arguments)
        kinds = "array" if x.dim() else "0d", "number" if not isinstance(y, torch_np.Tensor) else "array" if y.dim() else "0d"
        names = _dtype_name(x), _dtype_name(y) if isinstance(y, torch_np.Tensor) else type(y).__name__
        common = self.promotion[*kinds, *names]
        if common in ("error", "complex32"):
            return Outcome("PyTorch raises")
        if _rules[case.call.function] in FLOATING and not (getattr(torch_np, common).is_floating_point or getattr(torch_np, common).is_complex):
            common = "float32"
        common = getattr(torch_np, common)
        y = y.to(common) if isinstance(y, torch_np.Tensor) else torch_np.tensor(y).to(common)
        same, same_error = _outcome(function, [(None, x.to(common)), (None, y)])
        if (error is None) != (same_error is None) or error is not None and type(error) is not type(same_error):
            if (reason := differences.tensor_explanation(case, "refused", error or same_error)) is not None:
                return Outcome(f"explained: {reason}")
            return self._found(case, "exception class", f"{error!r}; of equal dtypes {same_error!r}")
        if error is not None:
            return Outcome("raised")
        for g, s in zip(*([r] if isinstance(r, torch_np.Tensor) else r for r in (got, same))):
            if g.dtype != s.dtype:
                return self._found(case, "dtype", f"{g.dtype}, of {common} operands {s.dtype}")
            if not _same_values(g, s, magnitude([x, y])):
                return self._found(case, "value", f"{g.tolist()}, of {common} operands {s.tolist()}")
        return Outcome("returned")

    def _check_shared(self, case, arguments, got, error) -> Outcome:
        op, twin = next(pair for pair in self.shared if _python_name(pair[0]) == case.call.function)
        back = {v: k for k, v in twin["translations"].items()} | {"dim": "axis", "keepdim": "keepdims"}
        known = {a["name"] for a in twin["arguments"]}
        if not all(name is None or back.get(name, name) in known for name, _ in arguments):
            return Outcome("other arguments")
        numpys = [(name and back.get(name, name), _np_compat(v)) for name, v in arguments]
        expected, expected_error = _outcome(_find(np, _python_name(twin).replace("torch_np", "np", 1)), numpys)
        if error is not None or expected_error is not None:
            if error is None:
                reason = differences.tensor_explanation(case, "accepted", expected_error)
                return Outcome(f"explained: {reason}") if reason else self._found(case, "accepted", f"the np face raises {expected_error!r:.200}")
            if expected_error is None:
                reason = differences.tensor_explanation(case, "refused", error)
                return Outcome(f"explained: {reason}") if reason else self._found(case, "refused", f"{error!r:.200}")
            return Outcome("raised")
        scale = magnitude(v for _, v in arguments)
        for g, e in zip(*([r] if not isinstance(r, (tuple, list)) else r for r in (got, expected))):
            if tuple(getattr(g, "shape", ())) != tuple(getattr(e, "shape", ())):
                reason = differences.tensor_explanation(case, "shape")
                return Outcome(f"explained: {reason}") if reason else self._found(case, "shape", f"{tuple(g.shape)}, np {tuple(e.shape)}")
            if not _same_values(g, e, scale):
                reason = differences.tensor_explanation(case, "value")
                return Outcome(f"explained: {reason}") if reason else self._found(case, "value", f"{as_numpy(g).tolist()}, np {as_numpy(e).tolist()}")
        return Outcome("returned")

    def _found(self, case, kind, detail) -> Outcome:
        return Outcome("differs", Finding(kind, case.subject, detail))


def _twin(op):
    """The NumPy entry for this operator, with a public function."""
    for entry in OPERATORS:
        if (entry["np_compat"] and "function" in entry["variants"] and entry["package"] == op["package"] and not entry["name"].startswith("_")
                and (entry["native"] or entry["name"]) == op["full_name"] and entry["arguments"][0]["type"].startswith("np.ndarray")):
            return entry
    return None


def _python_name(op) -> str:
    return f"torch_np.{op['package'] + '.' if op['package'] else ''}{op['name']}"


def _find(module, path):
    for part in path.split(".")[1:]:
        module = getattr(module, part)
    return module


def _np_compat(x):
    if isinstance(x, torch_np.Tensor):
        return x._np_compat()
    return [_np_compat(v) for v in x] if isinstance(x, (list, tuple)) else x


def _dtype_name(x) -> str:
    return str(x.dtype).rpartition(".")[2]


def _outcome(function, arguments):
    try:
        return function(*(v for name, v in arguments if name is None), **{name: v for name, v in arguments if name is not None}), None
    except Exception as error:  # noqa: BLE001
        return None, error


def _same_values(got, expected, scale) -> bool:
    g, e = numpy.asarray(as_numpy(got)), numpy.asarray(as_numpy(expected))
    if g.dtype.kind in "fc" or e.dtype.kind in "fc":
        return close(e, g, max(scale, magnitude([e])))
    if {g.dtype, e.dtype} == {numpy.dtype("i8"), numpy.dtype("u8")}:  # PyTorch's sums of unsigned integers are signed, NumPy's unsigned
        return numpy.array_equal(g.astype("u8"), e.astype("u8"))
    return numpy.array_equal(g, e)


assert set(LONG_NAMES) <= set(TORCH_NAMES)
