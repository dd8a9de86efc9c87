"""Calls and short programs on both libraries. Compares value, shape, dtype, layout, sharing of
memory, and the class of an exception."""
from __future__ import annotations

import contextlib
import functools
import math
import operator
import re
import warnings

import numpy

import torch_np.numpy as np
from fuzz import differences
from fuzz.arguments import Draw
from fuzz.cases import Call, Case, Finding, Outcome
from fuzz.children import in_the_oracle
from fuzz.comparing import ARRAYS, Difference, as_numpy, compare, magnitude
from fuzz.schedule import Entry, Ring, Schedule
from fuzz.surface import Target, parameters_of, targets

NAMES = {"nan": math.nan, "inf": math.inf, "operator": operator}
# A random call mostly has several mistakes, and the order of the checks is
# undocumented. test_malformed_calls.py has calls with one mistake each, and expects the exact
# class.
ARGUMENT_ERRORS = (TypeError, ValueError, IndexError, OverflowError)
# Classes whose methods are called on an instance. The constructors of the others differ between the
# two libraries.
RECEIVERS = {"", "ndarray", "np.random.default_rng(7)", "np.random.RandomState(7)", "np.poly1d(2)"}
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "eq", "ne",
          "gt", "ge"]
ASSIGNING = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=", "@="]


class AgainstNumPy:
    name = "numpy"

    def __init__(self):
        self.targets = [found for target in targets() if (found := _with_numpys_parameters(target)) is not None]
        self.not_random = Ring({t.subject: t for t in self.targets if "random" not in t.receiver + t.function})
        entries = [Entry(target.subject, functools.partial(self._of_target, target)) for target in self.targets]
        few = len(entries)
        entries += [Entry(f"operation {i}", self._operation) for i in range(few // 6)]
        entries += [Entry(f"program {i}", self._program) for i in range(few // 4)]
        self.case = Schedule(self.name, entries).case

    def may_take_long(self, case: Case) -> bool:
        return False

    # ------------------------------------------------------------------------------------------------------ the case

    def _of_target(self, target: Target, random) -> Case:
        draw = Draw(random, extremes=random.random() < 0.15 and "random" not in target.function)
        call = self._call(random, draw, target)
        return Case((*_seeding(target), *draw.setup), call, target.subject)

    def _call(self, random, draw: Draw, target: Target) -> Call:
        if not target.receiver:
            function = target.function
        elif target.receiver == "ndarray":
            function = f"{draw.named(draw.shape)}.{target.function}"
        else:
            function = f"{target.receiver}.{target.function}"
        return Call(function, tuple(draw.arguments(target.function if not target.receiver.startswith("np.random") else f"random.{target.function}",
                                                   target.parameters)))

    def _operation(self, random) -> Case:
        draw = Draw(random, extremes=random.random() < 0.2)
        way = random.random()
        a = draw.named(draw.shape)
        if way < 0.3:
            return Case(tuple(draw.setup), Call("operator.getitem", ((None, a), (None, draw.key()))), "getitem")
        if way < 0.5:
            value = draw.array()
            return Case(tuple(draw.setup), Call("operator.setitem", ((None, a), (None, draw.key()), (None, value))), "setitem")
        name = random.choice(BINARY)
        operands = [a, draw.array()]
        random.shuffle(operands)
        return Case(tuple(draw.setup), Call(f"operator.{name}", tuple((None, x) for x in operands)), f"operator.{name}")

    def _program(self, random) -> Case:
        """Statements that use each other's results."""
        draw = Draw(random, long=0.01)
        draw.named(draw.shape)
        draw.named(draw.related_shape())
        for step in range(random.choice([1, 2, 3])):
            way = random.random()
            name = random.choice(draw.names)
            if way < 0.2:
                draw.setup.append(f"{name} {random.choice(ASSIGNING)} {draw.array()}")
            elif way < 0.35:
                draw.setup.append(f"{name}[{draw.key()}] = {draw.array()}")
            elif way < 0.45:
                draw.setup.append(f"{name}[{draw.key()}] {random.choice(ASSIGNING)} {draw.array()}")
            else:
                call = self._call(random, draw, self.not_random.choice(random))
                result = f"v{step}"
                draw.setup.append(f"{result} = {call}")
                draw.names.append(result)
        target = self.not_random.choice(random)
        call = self._call(random, draw, target)
        return Case(tuple(draw.setup), call, f"program ending in {target.subject}")

    # ------------------------------------------------------------------------------------------------------ the check

    def check(self, case: Case) -> Outcome:
        try:
            return self._check(case)
        except MemoryError:  # raised by the comparison; those of the calls are caught
            return Outcome("too large to compare")

    def _check(self, case: Case) -> Outcome:
        theirs, ours = NAMES | {"np": numpy}, NAMES | {"np": np}
        kept = set(theirs)
        word = "returned"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for statement in (*case.setup, f"result = {case.call}"):
                difference, word = self._step(statement, theirs, ours, kept)
                if difference is not None:
                    reason = differences.explanation(case, statement, difference, theirs)
                    if reason is not None:
                        return Outcome(f"explained: {reason}")
                    return Outcome("differs", Finding(difference.kind, _subject(case, statement), difference.detail))
        return Outcome(word)

    def _step(self, statement, theirs, ours, kept) -> tuple[Difference | None, str]:
        scale = magnitude(v for k, v in theirs.items() if k not in kept)
        stream = numpy.random.get_state() if "np.random." in statement else None  # one state for both libraries
        in_the_oracle(True)
        expected_error = _run(statement, theirs)
        in_the_oracle(False)
        if stream is not None:
            numpy.random.set_state(stream)
        error = _run(statement, ours)
        if isinstance(error, MemoryError) and expected_error is None:  # NumPy's result may leave too little memory
            raise error
        if expected_error is not None or error is not None:
            difference = _compare_errors(expected_error, error)
            if difference is not None:
                return difference, ""
        for name in theirs:
            if name in kept or name.startswith("__"):
                continue
            if name not in ours:
                return Difference("structure", f"{name} is not there"), ""
            with numpy.errstate(all="ignore"):
                difference = compare(theirs[name], ours[name], max(scale, magnitude([theirs[name]])))
            if difference is not None:
                if name != "result":
                    difference.detail = f"{name}: {difference.detail}"
                difference.after_errors = expected_error is not None
                return difference, ""
        return _compare_sharing(theirs, ours, kept), "returned" if expected_error is None else "raised"


def _run(statement, names) -> BaseException | None:
    try:
        with numpy.errstate(all="ignore"):
            exec(compile(statement, "<case>", "exec"), names)  # noqa: S102  (our own text)
    except Exception as error:  # noqa: BLE001
        return error
    finally:
        names.pop("__builtins__", None)
    return None


def _compare_errors(theirs, ours) -> Difference | None:
    if theirs is None:
        return Difference("refused", f"{type(ours).__name__}: {ours!s:.200}", theirs, ours)
    if ours is None:
        return Difference("accepted", f"NumPy raises {type(theirs).__name__}: {theirs!s:.200}", theirs, ours)
    if isinstance(ours, type(theirs)) or isinstance(theirs, type(ours)) and type(ours) is not Exception:
        return None
    if isinstance(theirs, (*ARGUMENT_ERRORS, AttributeError)) and isinstance(ours, ARGUMENT_ERRORS):
        return None
    return Difference("exception class", f"{type(ours).__name__}: {ours!s:.150}; NumPy {type(theirs).__name__}: {theirs!s:.150}", theirs, ours)


def _compare_sharing(theirs, ours, kept) -> Difference | None:
    """Checks that the result shares memory with the existing arrays exactly if NumPy's does."""
    t, o = theirs.get("result"), ours.get("result")
    if not isinstance(t, numpy.ndarray) or not isinstance(o, np.ndarray) or not t.size:
        return None
    for name, value in theirs.items():
        if name in kept or name == "result" or not isinstance(value, numpy.ndarray) or not isinstance(ours[name], ARRAYS):
            continue
        same = numpy.may_share_memory(t, value), numpy.may_share_memory(as_numpy(o), as_numpy(ours[name]))
        if same[0] != same[1]:
            return Difference("sharing", f"{'shares' if same[1] else 'does not share'} memory with {name}", t, o)
    return None


def _subject(case: Case, statement: str) -> str:
    """The group of a program's finding: the function of the first statement that differed."""
    if not case.subject.startswith("program"):
        return case.subject
    found = re.search(r"(np\.[\w.]+|\w+\.\w+)\(", statement)
    assigning = re.match(r"\w+(\[.*\])? (\S*=) ", statement)
    if assigning and assigning[2] != "=":
        return f"assignment {assigning[2]}"
    if assigning and assigning[1]:
        return "setitem"
    return re.sub(r"^[a-w]\d?\.", "np.ndarray.", found[1]) if found else case.subject


def _with_numpys_parameters(target: Target) -> Target | None:
    """The target with NumPy's parameters, or None if NumPy lacks it or it is not compared."""
    if target.face != "np" or target.receiver not in RECEIVERS or differences.not_compared(target.subject) is not None:
        return None
    names = {"np": numpy}
    source = target.function
    if target.receiver:
        source = {"ndarray": "np.ndarray"}.get(target.receiver, target.receiver) + "." + target.function
    with contextlib.suppress(Exception):
        theirs = eval(source, names)  # noqa: S307  (our own text)
        parameters = parameters_of(theirs)
        if target.receiver == "ndarray" and parameters:
            parameters = parameters[1:]
        parameters = parameters or target.parameters
        if parameters is not None and not isinstance(theirs, type):
            return Target(target.function, target.face, target.receiver, parameters)
    return None


def _seeding(target: Target) -> tuple[str, ...]:
    return ("np.random.seed(7)",) if target.function.startswith("np.random.") else ()
