"""Calls every public callable with hostile values. Any exception is a correct answer. A crash, a
hang, a SystemError and the text of an internal assertion are findings."""
from __future__ import annotations

import contextlib
import functools
import re
import warnings

import numpy

import torch_np
import torch_np.numpy as np
from fuzz.arguments import Draw
from fuzz.cases import Call, Case, Finding, Outcome
from fuzz.hostile_values import any_value, array_value, namespace, setup
from fuzz.schedule import Entry, Schedule
from fuzz.surface import Target, attributes, targets

INTERNAL = ("torch_np is at fault", "std::", "basic_string", "vector::")
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "eq",
             "ne", "gt", "ge", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iand", "ior", "ixor", "ilshift",
             "irshift", "contains", "getitem", "delitem", "concat", "countOf", "indexOf"]
UNARY = ["operator.neg", "operator.pos", "operator.invert", "operator.abs", "operator.index", "operator.truth", "float", "int", "complex",
         "bool", "len", "hash", "repr", "str", "iter", "list", "tuple", "bytes", "memoryview", "round", "divmod", "format", "copy.copy",
         "copy.deepcopy", "pickle.dumps", "sum", "max", "sorted", "reversed", "next", "dict", "set", "operator.length_hint", "numpy.asarray",
         "numpy.from_dlpack", "numpy.add", "numpy.sum", "numpy.concatenate", "isinstance", "range", "math.floor", "zip", "weakref.ref"]
ENTRANCES = ["np.asarray", "np.array", "np.from_dlpack", "torch_np.from_dlpack", "torch_np.tensor", "torch_np.as_tensor", "torch_np.from_numpy",
             "np.frombuffer", "torch_np.asarray", "np.add", "np.concatenate", "np.sum"]
KEYWORDS = ["axis", "dim", "dtype", "out", "keepdims", "where", "order", "casting", "initial", "shape", "size", "copy", "subok", "like",
            "nonsense", "input", "a", "x1", "_requires_grad", "mode", "n", "device"]
# Views of 2**59 elements: our loops run through all elements, as NumPy's do.
LONG = ["2**30", "huge(", "2**62", "2**40"]
# Arguments that set a large number of steps.
LONG_CALLS = [(r"poly1d.*(__pow__|pow)", "multiplies as often as the exponent says, as NumPy does"),
              (r"spawn\(", "makes the requested number of generators, as NumPy does"), (r"jumped\(", "jumps of MT19937 take a millisecond each, as in NumPy"),
              (r"\bpow(er)?(\.\w+)?\(.*2\*\*", "powers of Python's integers, which are as long as they need be, as in NumPy"),
              (r"(random_raw|advance)\(.*2\*\*(31|32|62|63|64)", "draws the requested number of numbers")]
MOST_READ = 20_000  # elements that are read from a result


class Hostile:
    name = "hostile"

    def __init__(self):
        self.attributes = {"a": attributes(np.ndarray), "t": attributes(torch_np.Tensor)}
        self.names = namespace() | {"math": __import__("math"), "a": None, "b": None, "t": None}

        entries = [Entry(target.subject, functools.partial(self._of_target, target)) for target in targets()]
        entries += [Entry(f"operation {i}", self._of_operation) for i in range(len(entries) // 6)]
        entries += [Entry(f"{function} {i}", functools.partial(self._of_entrance, function)) for function in ENTRANCES for i in range(5)]
        self.case = Schedule(self.name, entries).case

    # ------------------------------------------------------------------------------------------------------ the case

    def _of_target(self, target: Target, random) -> Case:
        if random.random() < 0.45:
            return self._nearly_right(random, target)
        return Case(setup(random), self._anything(random, target), target.subject)

    def _of_operation(self, random) -> Case:
        call, subject = self._operation(random)
        return Case(setup(random), call, subject)

    def _of_entrance(self, function: str, random) -> Case:
        return Case(setup(random), Call(function, ((None, any_value(random)),)), function)

    def _operation(self, random) -> tuple[Call, str]:
        face = random.choice(["np", "np", "torch"])
        way = random.random()
        if way < 0.35:
            name = f"operator.{random.choice(OPERATORS)}"
            operands = [array_value(random, face), any_value(random)]
            random.shuffle(operands)
            return Call(name, tuple((None, x) for x in operands)), name
        if way < 0.5:
            return Call("operator.getitem", ((None, array_value(random, face)), (None, self._key(random)))), "getitem"
        if way < 0.65:
            return Call("operator.setitem", ((None, array_value(random, face)), (None, self._key(random)), (None, any_value(random)))), "setitem"
        if way < 0.75:
            array = random.choice(["a", "t"])
            attribute = random.choice(self.attributes[array])
            kind = random.choice(["setattr", "setattr", "getattr", "delattr"])
            values = [any_value(random)] if kind == "setattr" else []
            return Call(kind, tuple((None, x) for x in [array, repr(attribute), *values])), f"{kind} {attribute}"
        name = random.choice(UNARY)
        arguments = [array_value(random, face)] + [any_value(random) for _ in range(random.choice([0, 0, 0, 1]))]
        return Call(name, tuple((None, x) for x in arguments)), name

    def _key(self, random) -> str:
        parts = [any_value(random) if random.random() < 0.5 else random.choice(["0", "slice(None)", "None", "...", "[0, 1]", "-1", "slice(None, None, -1)"])
                 for _ in range(random.choice([1, 1, 1, 2, 3]))]
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def _receiver(self, random, target: Target) -> str:
        if target.receiver == "ndarray":
            return array_value(random, "np")
        if target.receiver == "Tensor":
            return array_value(random, "torch")
        return target.receiver

    def _function(self, random, target: Target) -> str:
        return f"({self._receiver(random, target)}).{target.function}" if target.receiver else target.function

    def _anything(self, random, target: Target) -> Call:
        """Any number of arbitrary values."""
        few = len(target.parameters or ()) or 3
        arguments = [(None, array_value(random, target.face) if random.random() < 0.35 else any_value(random))
                     for _ in range(random.choice([0, 1, 1, 2, 2, 3, min(few, 6)]))]
        names = [p.name for p in target.parameters or () if p.kind in ("KEYWORD_ONLY", "POSITIONAL_OR_KEYWORD")]
        keywords = dict.fromkeys(random.choice(names if names and random.random() < 0.7 else KEYWORDS) for _ in range(random.choice([0, 0, 1, 2])))
        return Call(self._function(random, target), (*arguments, *((k, any_value(random)) for k in keywords)))

    def _nearly_right(self, random, target: Target) -> Case:
        """A plausible call with one or two arguments replaced."""
        draw = Draw(random, face=target.face, special=0.2)
        parameters = target.parameters
        if parameters is None:
            parameters = ()
            arguments = [(None, draw.array()) for _ in range(random.choice([1, 2]))]
        else:
            arguments = draw.arguments(target.function, parameters, optional=0.35)
        for _ in range(random.choice([1, 1, 2])):
            if arguments:
                i = random.randrange(len(arguments))
                arguments[i] = (arguments[i][0], any_value(random))
        seen: set[str | None] = set()
        arguments = [x for x in arguments if x[0] is None or not (x[0] in seen or seen.add(x[0]))]
        made = dict.fromkeys((*setup(random), *draw.setup))
        return Case(tuple(made), Call(self._function(random, target), tuple(arguments)), target.subject)

    # ------------------------------------------------------------------------------------------------------ the check

    def may_take_long(self, case: Case) -> bool:
        text = str(case)
        return any(word in text for word in LONG) or any(re.search(pattern, str(case.call)) for pattern, _ in LONG_CALLS)

    def check(self, case: Case) -> Outcome:
        names = self.names.copy()
        warnings.simplefilter("ignore")
        try:
            for statement in case.setup:
                with contextlib.suppress(Exception):  # the drawn expression may raise
                    exec(_compiled(statement, "exec"), names)  # noqa: S102  (our own text)
            result = eval(_compiled(str(case.call), "eval"), names)  # noqa: S307
            for value in (result, names["a"], names["b"], names["t"]):
                _read(value)
        except SystemExit:
            return Outcome("raised")
        except BaseException as error:  # noqa: BLE001
            return Outcome("raised", _judge(case, error))
        return Outcome("returned")


def _judge(case: Case, error: BaseException) -> Finding | None:
    if isinstance(error, SyntaxError) and error.filename == "<case>":
        return Finding("fuzzer", "a case that is no Python", str(case))
    try:
        text = f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001  (an error whose text raises)
        return None
    if isinstance(error, SystemError) and not case.call.function.startswith("(numpy."):  # a method of NumPy's own array
        return Finding("SystemError", case.subject, text)
    if any(word in text for word in INTERNAL):
        return Finding("internal error", case.subject, text)
    return None


def _read(value) -> None:
    """Reads every byte of a result, so that a view of invalid memory crashes here."""
    if isinstance(value, (list, tuple)):
        for item in value[:4]:
            _read(item)
    elif isinstance(value, (np.ndarray, numpy.ndarray)):
        if 0 < value.size <= MOST_READ:
            value.tobytes()
    elif isinstance(value, torch_np.Tensor) and 0 < value.numel() <= MOST_READ:
        value.tolist()


@functools.lru_cache(4096)
def _compiled(source: str, mode: str):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SyntaxWarnings about our literals
        return compile(source, "<case>", mode)
