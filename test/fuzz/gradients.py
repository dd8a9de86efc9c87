"""Compares gradients of random calls and programs with finite differences.

A case computes a real number L from leaves. The derivative of L along a random direction e, by
finite differences, must equal the gradient times e. On the NumPy face, NumPy itself computes the
differences, so that values are checked too. On the Tensor face, our own forward pass computes them.
A third of the cases takes the gradient of a function of the gradient.
"""
from __future__ import annotations

import functools
import json
import math
import operator
import pathlib
import re
import warnings

import numpy

import torch_np
import torch_np.numpy as np
from fuzz import differences
from fuzz.against_numpy import AgainstNumPy
from fuzz.arguments import Draw
from fuzz.cases import Call, Case, Finding, Outcome
from fuzz.children import in_the_oracle
from fuzz.comparing import as_numpy
from fuzz.schedule import Entry, Ring, Schedule
from fuzz.surface import EMPTY, Parameter, Target
from torch_np.autograd import grad

STEPS = 1e-5, 5e-6
RELATIVE = 2e-4
OPERATORS = json.loads((pathlib.Path(torch_np.__file__).parent / "_operators.json").read_text())
BINARY = ["add", "sub", "mul", "truediv", "matmul", "pow"]
ASSIGNING = ["+=", "-=", "*=", "/=", "="]
INPLACE = ["exp_", "tanh_", "sigmoid_", "sqrt_", "sin_", "square_", "reciprocal_", "neg_", "relu_", "expm1_", "abs_", "zero_"]
INPLACE_BINARY = ["mul_", "add_", "div_", "sub_", "copy_", "atan2_", "pow_"]
# In-place operations on these raise, and so does out= with arguments in the graph;
# docs/autograd.md, "In place, and views".
REFUSED = re.compile(r"in-?place|leaf|non-broadcastable output|out=|requires? grad|modified|more than one element|share|no_grad|read-only|gradient", re.I)


class LeafDraw(Draw):
    """Draws arrays that are leaves of the graph, or derive from one. Values are far from kinks."""

    def __init__(self, random, face):
        super().__init__(random, face=face, dtypes=["c16"] if random.random() < 0.15 else ["f8"], special=0, long=0)
        self.leaves = 0
        self.low, self.high = random.choice([(-2.0, 2.0), (0.2, 2.0), (0.1, 0.9)])
        if len(self.shape) > 2 or self.shape == (12,):
            self.shape = (2, 3)

    def literal_array(self, shape, dtype, **bounds):
        if dtype[0] not in "fc" or self.random.random() < 0.2:
            return super().literal_array(shape, dtype, **bounds)
        size = math.prod(shape)
        values = [f"{self.random.uniform(self.low, self.high):.3f}" for _ in range(size)]
        if dtype[0] == "c":
            values = [f"complex({v}, {self.random.uniform(-1, 1):.3f})" for v in values]
        self.leaves += 1
        changed = " * 1" if self.random.random() < 0.4 else ""
        return f"(leaf({self.leaves - 1}, [{', '.join(values)}]){changed}).reshape({shape})"

    def values(self, n, dtype, low=-4, high=6):
        if dtype[0] == "f":
            return [f"{self.random.uniform(self.low, self.high):.2f}" for _ in range(n)]
        return super().values(n, dtype, low, high)

    def dtype_text(self):
        # finite differences in shorter dtypes are too coarse
        return self.random.choice(["'f8'", "float", "complex", "None"])

    def number(self):
        return f"{self.random.uniform(self.low, self.high):.2f}"


class Gradients:
    name = "gradients"

    def __init__(self):
        public = {e["name"] for e in OPERATORS if e["np_compat"]}
        native = {op["full_name"]: op for op in OPERATORS if op.get("derivative")}
        differentiable = {e["name"] for e in OPERATORS if e["np_compat"] and (e["native"] or e["name"]) in native}
        everything = [t for t in AgainstNumPy().targets if "random" not in t.receiver + t.function and not t.short.startswith("_")]
        others = [t for t in everything if (t.short in public or not t.receiver) and not _method_of_unary(t)]
        self.differentiable = Ring({t.subject: t for t in everything if t.short in differentiable})
        self.tensor = Ring({op["name"]: _tensor_target(op) for op in native.values()
                            if not op["hidden"] and not op["package"] and hasattr(torch_np, op["name"])
                            # random: other numbers at each call
                            and not any("Generator" in a["type"] for a in op["arguments"])})
        entries = [Entry(target.subject, functools.partial(self._of_target, target)) for target in others]
        few = len(entries)
        entries += [Entry(f"program of np {i}", functools.partial(self._program, "np")) for i in range(few)]
        entries += [Entry(f"program of torch_np {i}", functools.partial(self._program, "torch")) for i in range(few // 2)]
        self.case = Schedule(self.name, entries).case

    def may_take_long(self, case: Case) -> bool:
        return "histogramdd(" in str(case)  # its result has bins**axes elements

    # ------------------------------------------------------------------------------------------------------ the case

    def _of_target(self, target: Target, random) -> Case:
        draw = LeafDraw(random, "np")
        call = self._call(random, draw, target, optional=0.3)
        return Case(tuple(draw.setup), call, target.subject)

    def _program(self, face: str, random) -> Case:
        draw = LeafDraw(random, face)
        draw.named(draw.shape)
        draw.named(draw.related_shape())
        steps = random.choice([1, 2, 3, 4])
        for step in range(steps):
            self._step(random, draw, step)
        result = draw.names[-1] if random.random() < 0.5 else random.choice(draw.names)
        return Case(tuple(draw.setup), Call("operator.add", ((None, draw.names[0]), (None, result))), f"program of {face}")

    def _step(self, random, draw, step):
        name, way = random.choice(draw.names), random.random()
        result = f"v{step}"
        if way < 0.12:
            draw.setup.append(f"{name} {random.choice(ASSIGNING[:4])} {self._operand(random, draw)}")
            return
        if way < 0.27:
            draw.setup.append(f"{name}[{self._key(random, draw)}] {random.choice(ASSIGNING)} {self._operand(random, draw)}")
            return
        if way < 0.42:
            draw.setup.append(f"{result} = {name}[{self._key(random, draw)}]")
        elif way < 0.5:
            view = ".T" if draw.face == "torch" else random.choice([".T", ".reshape(-1)", ".real", "[..., ::-1]", ".swapaxes(0, -1)", "[None]"])
            draw.setup.append(f"{result} = {name}{view}")
        elif way < 0.6:
            draw.setup.append(f"{result} = operator.{random.choice(BINARY)}({name}, {self._operand(random, draw)})")
        elif way < 0.75 and draw.face == "torch":
            if random.random() < 0.6:
                draw.setup.append(f"{name}.{random.choice(INPLACE)}()")
            else:
                draw.setup.append(f"{name}.{random.choice(INPLACE_BINARY)}({random.choice(draw.names)})")
            return
        else:
            target = (self.tensor if draw.face == "torch" else self.differentiable).choice(random)
            draw.setup.append(f"{result} = {self._call(random, draw, target, optional=0.15)}")
        draw.names.append(result)

    def _operand(self, random, draw):
        return random.choice(draw.names) if random.random() < 0.6 else draw.array()

    def _key(self, random, draw):
        key = draw.key()
        return key if draw.face == "np" else random.choice(["0", "1:", "...", ":1", "[0, 1]", "None", "[1, 0, 1]", "-1"])

    def _call(self, random, draw, target: Target, optional) -> Call:
        function = f"{draw.named(draw.shape)}.{target.function}" if target.receiver else target.function
        return Call(function, tuple(a for a in draw.arguments(target.function, target.parameters, optional) if a[0] != "out"))

    # ------------------------------------------------------------------------------------------------------ the check

    def check(self, case: Case) -> Outcome:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self._check(case)

    def _check(self, case: Case) -> Outcome:
        ours = Run([], np, "torch_np." in str(case))
        refusal = ours.settle([*case.setup, f"result = {case.call}"])
        if refusal is not None:
            return self._found(case, "refused", refusal)
        if not ours.leaves:
            return Outcome("no leaf")
        reference = ours if ours.on_tensors else Run(ours.statements, numpy, False)
        expected = [derivative(reference, h) for h in STEPS]
        value = reference.number(0.0)
        if not math.isfinite(value) or abs(value) > 1e6 or not all(map(math.isfinite, expected)):
            return Outcome("not finite")
        if reference.largest() > 1e10:  # they may cancel in L, but leave its differences no digits
            return Outcome("too large numbers")
        if not near(ours.number(0.0), value, 1e-7):
            if not ours.on_tensors and rounding_decides(ours.statements, value):
                return Outcome("explained: rounding: NumPy's own result changes if intermediate values change in their last digits")
            return self._found(case, "value", f"{ours.number(0.0)!r}, NumPy {value!r}")
        if not smooth(reference, expected, value):
            return Outcome("not smooth here")
        loss = ours.loss(0.0)
        if not near(float(loss.detach()), value, 1e-7) and ours.has_numbers():
            return Outcome("explained: 0-d results that are recorded are arrays, and have views: docs/design.md, 'Values'")
        if not wants_grad(loss):
            if abs(expected[1]) < 1e-3:
                return Outcome("constant")
            return self._found(case, "no gradient", f"the result has no graph; derivative along the direction {expected[1]!r}")
        try:
            got = along(grad(loss, ours.leaves_in_order(), allow_unused=True), ours.directions())
        except Exception as error:  # noqa: BLE001
            return self._judge_error(case, error)
        if not near(got, expected[1], RELATIVE, value):
            if ours.has_single_precision() and near(got, expected[1], 0.05, value):
                return Outcome("explained: intermediate values in single precision, of which differences in steps of 1e-5 leave two digits")
            if ours.has_deviation_of_equals():
                return Outcome("explained: the standard deviation of equal elements is 0, where the root has no derivative")
            if math.isnan(got) and ours.has_difference_of_equals():
                return Outcome("explained: 0 times infinity, where roots, powers and logarithms have infinite derivatives: docs/autograd.md")
            if math.isnan(got) and no_number_on_the_way(reference):
                return Outcome("explained: 0 times NaN, where the overwritten elements were NaN: docs/autograd.md")
            if math.isnan(got) and infinite_on_the_way(ours):
                return Outcome("explained: inf - inf, or 0 * inf, where an intermediate derivative is infinite: docs/autograd.md")
            return self._found(case, "not a number" if math.isnan(got) else "gradient", f"{got!r}, differences {expected[1]!r}")
        return self._check_second(case, ours) if len(str(case)) % 3 == 0 else Outcome("right")

    def _check_second(self, case, ours) -> Outcome:
        try:
            got, expected, size = second_derivatives(ours)
        except Exception as error:  # noqa: BLE001
            return self._judge_error(case, error, "second ")
        if not all(map(math.isfinite, [got, *expected])) or abs(expected[0] - expected[1]) > RELATIVE * (abs(expected[1]) + size):
            return Outcome("second derivative not smooth")
        if not near(got, expected[1], 10 * RELATIVE, size):
            return self._found(case, "second derivative", f"{got!r}, differences {expected[1]!r}")
        return Outcome("right, and the second derivative")

    def _judge_error(self, case, error, which="") -> Outcome:
        if isinstance(error, NotImplementedError):
            return Outcome(f"{which}gradient raises NotImplementedError")
        if "modified by an inplace operation" in str(error) or "does not require grad" in str(error):
            return Outcome("refused, as documented")
        return self._found(case, f"{which}backward raises", f"{type(error).__name__}: {error!s:.200}")

    def _found(self, case, kind, detail) -> Outcome:
        if (reason := differences.gradient_explanation(str(case), kind, detail)) is not None:
            return Outcome(f"explained: {reason}")
        return Outcome("differs", Finding(kind, case.subject, detail))


def _method_of_unary(target) -> bool:
    ufunc = getattr(np, target.function.split(".")[1], None) if "." in target.function else None
    return isinstance(ufunc, np.ufunc) and target.function.count(".") == 2 and ufunc.nin != 2


def _tensor_target(op) -> Target:
    parameters = tuple(Parameter(a["name"], "KEYWORD_ONLY" if a["keyword_only"] else "POSITIONAL_OR_KEYWORD", EMPTY if a["default"] is None else None)
                       for a in op["arguments"])
    return Target(f"torch_np.{op['name']}", "torch", "", parameters)


class Run:
    """Evaluates statements at leaves + t * direction. The loss sums over all arrays that they made."""

    def __init__(self, statements, xp, on_tensors):
        self.statements, self.xp, self.on_tensors = statements, xp, on_tensors
        self.codes = [compile(statement, "<case>", "exec") for statement in statements]
        self.recording = xp is np
        self.t = 0.0
        self.leaves: dict = {}
        self.made: list = []  # the Tensors that L was last computed from
        self.names: dict = {}  # the same, by the names in the statements

    def settle(self, statements) -> str | None:
        """Keeps the statements that run with NumPy and with gradients. Returns a statement that
        unexpectedly fails."""
        names = self._names()
        theirs = Run([], numpy, False)
        numpys = theirs._names()
        for statement in statements:
            code = compile(statement, "<case>", "exec")
            if not self.on_tensors:
                in_the_oracle(True)
                try:
                    exec(code, numpys)  # noqa: S102  (our own text)
                except Exception:  # noqa: BLE001, S112
                    continue
                finally:
                    in_the_oracle(False)
            try:
                exec(code, names)  # noqa: S102
            except Exception as error:  # noqa: BLE001
                if not self.on_tensors and not isinstance(error, NotImplementedError) and not REFUSED.search(str(error)):
                    return f"{type(error).__name__}: {error!s:.200}"
                if not self.on_tensors:  # NumPy drops the result too
                    self.statements, self.codes = [], []
                    return self.settle([s for s in statements if s != statement])
                continue
            self.statements.append(statement)
            self.codes.append(code)
        return None

    def _names(self):
        self.leaves = {}
        return {"np": self.xp, "torch_np": torch_np, "leaf": self.leaf, "operator": operator, "nan": math.nan, "inf": math.inf}

    def leaf(self, k, values):
        x = numpy.array(values)
        if self.t:
            x = x + self.t * direction(k, x)
        if self.xp is numpy:
            return x
        if k in self.leaves:
            return self.leaves[k]
        x = torch_np.from_numpy(x).clone()
        x.requires_grad = self.recording
        self.leaves[k] = x
        return x if self.on_tensors else x._np_compat()

    def loss(self, t):
        """L at t, as a 0-d Tensor (with NumPy: a number)."""
        self.t = t
        names = self._names()
        fixed = set(names)
        for code in self.codes:
            exec(code, names)  # noqa: S102  (our own text)
        self.names = {name: value for name, value in names.items() if name not in fixed and not name.startswith("__")}
        made = [self.names[name] for name in sorted(self.names)]
        if self.xp is numpy:
            return weighted_sum(made)
        total = torch_np.zeros((), dtype=torch_np.float64)
        self.made = [r if isinstance(r, torch_np.Tensor) else np.asarray(r)._torch() for r in results(made)]
        for r in self.made:
            w = torch_np.from_numpy(weights(tuple(r.shape)))
            total = total + (real_tensor(r) * w).sum()
        return total

    def number(self, t):
        if self.xp is numpy:
            return self.loss(t)
        self.recording = False
        try:
            return float(self.loss(t))
        finally:
            self.recording = True

    def largest(self) -> float:
        """The largest absolute value among the results of the last evaluation."""
        return max((float(abs(as_numpy(r)).max(initial=0)) for r in results(list(self.names.values()))), default=0.0)

    def has_numbers(self) -> bool:
        return any(r.dim() == 0 for r in self.made)

    def has_single_precision(self) -> bool:
        return any(r.dtype in (torch_np.float32, torch_np.complex64, torch_np.float16, torch_np.bfloat16) for r in self.made)

    def has_deviation_of_equals(self) -> bool:
        return any((abs(v) < 1e-7).any() for v in self._values_of(r"\b(nan)?std\("))

    def has_difference_of_equals(self) -> bool:
        return any((v == 0).any() for v in self._values_of(r"operator\.sub\(|\.(sub|subtract)\("))

    def _values_of(self, call: str):
        """The results of the statements that call this function."""
        names = [found[1] for s in self.statements if (found := re.match(rf"(\w+) = .*({call})", s))]
        return [as_numpy(r) for name in names for r in results(self.names.get(name, ()))]

    def leaves_in_order(self):
        return [self.leaves[k] for k in sorted(self.leaves)]

    def directions(self):
        return [direction(k, as_numpy(self.leaves[k])) for k in sorted(self.leaves)]


def weighted_sum(made) -> float:
    return sum(float((real_part(r) * weights(r.shape)).sum()) for r in results(made))


def results(value):
    """The floating arrays of a result."""
    items = value if isinstance(value, (tuple, list)) else [value]
    for item in items:
        if isinstance(item, (tuple, list)):
            yield from results(item)
        elif isinstance(item, torch_np.Tensor):
            if item.dtype.is_floating_point or item.dtype.is_complex:
                yield item
        elif isinstance(item, (np.ndarray, numpy.ndarray, numpy.generic)) and numpy.dtype(item.dtype).kind in "fc":
            yield item


def real_part(x):
    return numpy.asarray(x).real + 0.5 * numpy.asarray(x).imag


def real_tensor(x):
    if not x.dtype.is_complex:
        return x.to(torch_np.float64)
    pair = torch_np.view_as_real(x.to(torch_np.complex128))
    return pair[..., 0] + 0.5 * pair[..., 1]


def weights(shape):
    return numpy.cos(1.0 + 1.7 * numpy.arange(math.prod(shape))).reshape(shape)


def direction(k, x):
    d = numpy.sin(0.7 + 2.3 * numpy.arange(x.size) + k).reshape(x.shape)
    return d + 1j * numpy.cos(0.3 + 1.9 * numpy.arange(x.size) + k).reshape(x.shape) if x.dtype.kind == "c" else d


def along(gradients, directions) -> float:
    """The derivative along the direction: the gradient of a real L at z is dL/dRe + i dL/dIm."""
    return sum(float((numpy.conj(as_numpy(g)) * d).real.sum()) for g, d in zip(gradients, directions) if g is not None)


def wants_grad(x) -> bool:
    return x.requires_grad


def derivative(run, h) -> float:
    return (run.number(h) - run.number(-h)) / (2 * h)


def smooth(run, expected, value) -> bool:
    """Whether finite differences with two step sizes, and from both sides, agree."""
    one_sided = [(run.number(h) - value) / h for h in STEPS]
    floor = 1e-9 * abs(value) / STEPS[1] * 1e-3
    # The part of a one-sided difference that comes from curvature shrinks with the step; a kink's
    # part does not.
    kink = 2 * (one_sided[1] - expected[1]) - (one_sided[0] - expected[0])
    return (abs(expected[0] - expected[1]) <= RELATIVE / 4 * abs(expected[1]) + 1e-6 + floor
            and abs(one_sided[1] - expected[1]) <= 1e-2 * abs(expected[1]) + 1e-3
            and abs(kink) <= RELATIVE * abs(expected[1]) + 1e-5 + floor)


def near(got, expected, relative, size=0.0) -> bool:
    return abs(got - expected) <= relative * abs(expected) + 1e-5 * (1e-3 * abs(size) + 1)


def infinite_on_the_way(run) -> bool:
    """Whether the derivative by an intermediate value is infinite, such as that of sqrt at 0."""
    loss = run.loss(0.0)
    made = [r for r in run.made if wants_grad(r)]
    return any(g is not None and numpy.isinf(as_numpy(g)).any() for g in grad(loss, made, allow_unused=True))


def rounding_decides(statements, value) -> bool:
    """Whether NumPy's own loss jumps when intermediate values change by a few units in the last
    place. Example: the remainder of a division by a determinant that is 0 but for rounding."""
    return any(not near(rounded_otherwise(statements, factor), value, 1e-7) for factor in (1e-14, -1e-14))


def rounded_otherwise(statements, factor) -> float:
    run = Run(statements, numpy, False)
    names = run._names()
    fixed = set(names)
    for code in run.codes:
        before = dict(names)
        exec(code, names)  # noqa: S102  (our own text)
        for name in set(names) - fixed:
            value = names[name]
            if value is before.get(name) or not isinstance(value, (numpy.ndarray, numpy.generic)) or value.dtype.kind not in "fc":
                continue
            factors = 1 + factor * weights(value.shape)
            if isinstance(value, numpy.generic):
                names[name] = value.dtype.type(value * factors)
            elif value.flags.writeable:  # in place: views remain views
                numpy.multiply(value, factors, out=value, casting="same_kind")
    return weighted_sum([names[name] for name in sorted(names) if name not in fixed and not name.startswith("__")])


def no_number_on_the_way(run) -> bool:
    """Whether an intermediate value was NaN though the final values are not."""
    run.t, names = 0.0, run._names()
    fixed = set(names)
    for code in run.codes:
        exec(code, names)  # noqa: S102  (our own text)
        if any(numpy.isnan(as_numpy(r)).any() for r in results([v for name, v in names.items() if name not in fixed and not name.startswith("__")])):
            return True
    return False


def first(run, t, create_graph):
    """The weighted sum of the gradients at t; its gradient is a second derivative."""
    loss = run.loss(t)
    gradients = grad(loss, run.leaves_in_order(), create_graph=create_graph, allow_unused=True)
    total = torch_np.zeros((), dtype=torch_np.float64)
    for k, g in zip(sorted(run.leaves), gradients):
        if g is not None:
            total = total + (real_tensor(g) * torch_np.from_numpy(weights(tuple(g.shape)) + k)).sum()
    return total


def second_derivatives(run):
    total = first(run, 0.0, True)
    leaves, directions = run.leaves_in_order(), run.directions()
    got = along(grad(total, leaves, allow_unused=True), directions) if wants_grad(total) else 0.0
    size = abs(float(total.detach()))
    expected = [(float(first(run, h, False)) - float(first(run, -h, False))) / (2 * h) for h in STEPS]
    return got, expected, size
