"""Calls of other libraries with arrays, as data: source text, expected kind of result, and the
comparison with the same call on NumPy's arrays."""
from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

import torch_np.numpy

# Libraries iterate until the change is less than about 1e-6, so sums in another order stop at
# another step.
TOLERANCE = {"rtol": 1e-6, "atol": 1e-9}

OURS = "arrays of ours"
AS_NUMPYS = "as of NumPy's arrays"
SHARED = "no copy"
FAILS = "fails"
DIFFERS = "differs"


@dataclass(frozen=True)
class Case:
    """A call and its expected result. `kind` is checked in addition to the values:

    OURS: all arrays in the result are torch_np.numpy.ndarray, and there is at least one;
    AS_NUMPYS: everything in the result has the type that it has for NumPy's arrays;
    SHARED: the result's elements are in the memory of the array named `detail`;
    FAILS: the call raises an error whose text contains `detail`, for `reason`;
    DIFFERS: the result differs from NumPy's, for `reason`.
    """

    library: str
    setup: str
    call: str
    kind: str
    detail: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Library:
    """The calls of one library, one a line. They may use the names of `setup`, the arrays of
    `given`, `np` (the module of these arrays) and `numpy`.

    `package`: its name on PyPI. `how`: the table's text about the way of use; `environment`: the
    variables for it. `shared`: pairs of a call and the name of an array, `fails`: calls with a part
    of the error's text and a reason, `differs`: calls and reasons.
    """

    package: str
    setup: str
    how: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    ours: str = ""
    as_numpys: str = ""
    shared: tuple[tuple[str, str], ...] = ()
    fails: tuple[tuple[str, str, str], ...] = ()
    differs: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The library's name in the table."""
        return f"{self.package}, {self.how}" if self.how else self.package

    def cases(self) -> Iterator[Case]:
        """One for each call."""
        for kind, text in ((OURS, self.ours), (AS_NUMPYS, self.as_numpys)):
            for line in text.splitlines():
                if line.strip():
                    yield Case(self.name, self.setup, line.strip(), kind)
        for call, of in self.shared:
            yield Case(self.name, self.setup, call, SHARED, of)
        for call, text, reason in self.fails:
            yield Case(self.name, self.setup, call, FAILS, text, reason)
        for call, reason in self.differs:
            yield Case(self.name, self.setup, call, DIFFERS, "", reason)


def given(module: Any) -> dict[str, Any]:
    """The arrays that calls name, made by `module`: new ones each time, since calls may change
    them."""
    rng = numpy.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    arrays = {
        "x": rng.normal(size=64), "y": rng.normal(size=64), "p": rng.uniform(0.1, 0.9, 64),  # signals; probabilities
        "X": X, "Y": rng.normal(size=(40, 5)), "pos": rng.uniform(1, 2, (40, 5)),  # samples, positive ones
        "c": (X[:, 0] > 0).astype(int), "t": 2 * X[:, 1] + rng.normal(size=40),  # their classes and targets
        "S": X.T @ X + numpy.eye(5), "b": rng.normal(size=5), "cube": rng.normal(size=(2, 3, 4)), "z": rng.normal(size=16) + 1j * rng.normal(size=16),
        "i": rng.integers(0, 7, 64), "G": (rng.uniform(size=(6, 6)) > 0.5).astype(float), "img": rng.integers(0, 256, (16, 16, 3)).astype(numpy.uint8),
    }
    return {name: module.asarray(a) for name, a in arrays.items()}


def evaluate(case: Case, module: Any) -> tuple[Any, dict[str, Any]]:
    """The call's result with arrays of `module`, and these arrays."""
    arrays = given(module)
    names: dict[str, Any] = {"__name__": "program", "np": module, "numpy": numpy, **arrays}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(case.setup, names)
        return eval(case.call, names), arrays


def leaves(value: Any) -> Iterator[Any]:
    """The elements of nested tuples, lists and dictionaries."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def is_array(value: Any) -> bool:
    """Whether the value is an array of NumPy's or of ours."""
    return isinstance(value, (numpy.ndarray, torch_np.numpy.ndarray))


def same_value(found: Any, wanted: Any) -> bool:
    """Whether both values are the same numbers, up to TOLERANCE, or the same text."""
    a, b = numpy.asarray(found), numpy.asarray(wanted)
    if b.dtype.kind not in "biufc":
        return bool(numpy.array_equal(a, b)) if b.ndim else str(found) == str(wanted)
    return a.dtype == b.dtype and a.shape == b.shape and bool(numpy.allclose(a, b, equal_nan=True, **TOLERANCE))


def difference(found: Any, wanted: Any) -> str:
    """The difference between two results; nothing if they are equal."""
    ours, theirs = list(leaves(found)), list(leaves(wanted))
    if len(ours) != len(theirs):
        return f"{len(ours)} results instead of {len(theirs)}"
    wrong = [(a, b) for a, b in zip(ours, theirs) if not same_value(a, b)]
    return f"{wrong[0][0]!r} instead of {wrong[0][1]!r}" if wrong else ""


def problem(case: Case) -> str:
    """The deviation from the expectations of `case`; nothing if there is none."""
    wanted, _ = evaluate(case, numpy)
    try:
        found, arrays = evaluate(case, torch_np.numpy)
    except Exception as error:  # noqa: BLE001  (whatever the library raises)
        text = f"{type(error).__name__}: {error}"
        return "" if case.kind == FAILS and case.detail in text else f"raises {text}"
    if case.kind == FAILS:
        return f"does not fail any more; it gives {found!r}"
    differs = difference(found, wanted)
    if case.kind == DIFFERS:
        return "" if differs else "does not differ any more"
    return differs or wrong_type(case, found, wanted, arrays)


def wrong_type(case: Case, found: Any, wanted: Any, arrays: dict[str, Any]) -> str:
    """The part of the result whose type or memory is not the one that `case` expects."""
    kinds = [type(v) for v in leaves(found)]
    if case.kind == OURS:
        foreign = [k for v, k in zip(leaves(found), kinds) if is_array(v) and k is not torch_np.numpy.ndarray]
        return f"gives {foreign[0]}" if foreign else "" if torch_np.numpy.ndarray in kinds else f"gives no array of ours but {kinds}"
    if case.kind == AS_NUMPYS:
        others = [(k, type(w)) for k, w in zip(kinds, leaves(wanted)) if k is not type(w)]
        return f"gives {others[0][0]}, not {others[0][1]}" if others else ""
    return "" if numpy.shares_memory(numpy.asarray(found), numpy.asarray(arrays[case.detail])) else f"copies {case.detail}"
