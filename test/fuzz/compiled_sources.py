"""Makes the programs of compiled_state.py: state, a function that reads it, calls of the function,
and changes between the calls."""
from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from fuzz.surroundings import ARRAYS, NUMBERS, VALUES, Kind

_NUMBERS, _NUMBER_SHARES = list(NUMBERS.values()), [k.share for k in NUMBERS.values()]
_ARRAYS, _ARRAY_SHARES = list(ARRAYS.values()), [k.share for k in ARRAYS.values()]

UNARY = ("np.sin({a})", "-{a}", "abs({a})", "np.sqrt({a})", "{a} * {a}", "np.exp({a})", "{a}.T", "{a}[::-1]", "{a}[:1]", "{a}[..., None]", "{a}.reshape(-1)", "{a}.astype('f4')", "{a}.copy()",
         "np.sort({a}, axis=-1)", "np.cumsum({a}, axis=-1)", "np.log({a})", "np.isnan({a})", "1 / {a}", "{a}.sum(axis=0, keepdims=True)", "np.where({a} > 0, {a}, 0.5)", "{a}[{a} > 0]",
         "np.concatenate([{a}.ravel()[:3], {a}.ravel()[:2]])", "np.clip({a}, -1, 1)", "{a}.ravel()[::2]", "np.stack([{a}, {a}])[1]", "{a}.view()", "np.broadcast_to({a}, (2,) + {a}.shape)[0]",
         "np.linalg.norm({a}, axis=-1, keepdims=True)", "np.linalg.inv(np.atleast_2d({a}))", "np.argsort({a}, axis=-1)", "np.zeros_like({a})", "np.flatnonzero({a})", "{a}.max(axis=-1, keepdims=True)",
         "np.linalg.cholesky(np.outer({a}.ravel()[:2], {a}.ravel()[:2]))", "np.array({a})", "np.asarray({a})", "np.ascontiguousarray({a})", "{a}.swapaxes(0, -1)", "np.apply_along_axis(lambda v: v * 2, -1, {a})",
         "{t}.mul(2)._np_compat()", "{t}.sigmoid()._np_compat()", "{t}.clone()._np_compat()", "{t}.detach()._np_compat()", "{t}.softmax(-1)._np_compat()", "torch_np.relu({t})._np_compat()",
         "{t}.view(-1)._np_compat()", "torch_np.cat([{t}[:2], {t}[:1]])._np_compat()", "{t}.flip(0)._np_compat()", "{t}.to(torch_np.float32)._np_compat()", "{t}[..., :1]._np_compat()")
BINARY = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "{a} // {b}", "np.maximum({a}, {b})", "np.where({a} > {b}, {a}, {b})", "{a} < {b}", "np.arctan2({a}, {b})", "np.copysign({a}, {b})", "{a} @ {b}",
          "np.add({a}, {b}, dtype='f8')", "np.hypot({a}, {b})", "({t} + {u})._np_compat()", "({t} / {u})._np_compat()", "torch_np.where({t} > 0, {t}, {u})._np_compat()", "np.outer({a}.ravel()[:3], {b}.ravel()[:2])",
          "np.multiply({a}, {b}, where={a} > 0, out=np.zeros({a}.shape))", "torch_np.minimum({t}, {u})._np_compat()", "np.append({a}.ravel()[:3], {b}.ravel()[:3])")
# With a number read from the surroundings.
WITH_NUMBER = ("{a} * {r}", "{a} + {r}", "{r} - {a}", "{a} / {r}", "np.copysign({a}, {r})", "np.where({a} > {r}, {a}, {r})", "np.maximum({a}, {r})", "{a} ** min({r}, 3)", "np.full(2, {r})", "{a}[:int({r})]",
               "np.roll({a}, int({r}))", "{a} * [{r}]", "{a} + np.array({r})", "({t} * {r})._np_compat()", "torch_np.full((2,), float({r}))._np_compat()", "({t} - {r})._np_compat()", "np.array([{r}, {r}])",
               "{a} * (2 if {r} else 3)", "{a} - {r} if {r} > 1 else {a} * 2", "{a} * len(str({r}))", "{a} + len([v for v in range(int({r}) % 4)])", "{a} * (lambda k: k + 1)({r})", "{a} + sum(k * {r} for k in range(2))",
               "{a} + max({r}, 1)", "{a} * float(f'{{float({r}):.1f}}')", "{a} * (1 if isinstance({r}, bool) else 2)", "np.linspace(0, {r}, 2)", "{a}.clip(max={r})", "{a} * complex({r}).real", "{a} + divmod({r}, 2)[1]")
SCALARS = ("{a}.sum()", "{a}.max()", "{a}.mean()", "np.linalg.norm({a})", "{a}.ravel()[0]", "np.vdot({a}, {a})", "{a}.prod()")
# Numbers that distinguish NumPy's scalars from 0-d arrays.
INSPECTIONS = ("(2 if isinstance({s}, float) else 3)", "len(type({s}).__name__)", "(1 if hasattr({s}, '__len__') else 2)", "(0.5 if isinstance({s}, (np.ndarray, list)) else 1)",
               "(2 if isinstance({s}, (list, tuple, str)) else 1)", "getattr({s}, 'ndim', 5)", "len({s}.__class__.__mro__)", "float(fractions.Fraction(float({s}) if {s} != {s} else 0.5))", "copy.copy({s})")
READS = ("float({a}.sum())", "int(np.count_nonzero({a}))", "{a}.shape[0]", "len({a})", "float({a}.ravel()[0])", "bool({a}.any())", "{a}.item(0)", "{t}.sum().item()", "{a}.ndim", "{a}.tolist()[0]", "np.array_equal({a}, x)",
         "bool(({t} > 0).all())", "{a}.dtype == np.float64", "float({t}.numel())", "np.shares_memory({a}, x)")
IN_PLACE = ("{a} += {b}", "{a} *= 2", "{a} -= 0.5", "{a}[...] = {b}", "{a}[0] = 1", "{a}[0] = {b}[0]", "np.add({a}, 1, out={a})", "{t}.add_(1)", "{t}.mul_({u})", "{a}.fill(2)", "{a}[{a} > 0] = 3", "np.copyto({a}, {b})", "{a}.sort()",
            "{t}.zero_()", "{t}.copy_({u})", "{a}[::-1][:1] = 5", "{a}.T[...] = {b}", "np.put({a}, 0, 5)", "{a} /= {b}", "np.negative({a}, out={b})")
TESTS = ("{r} > 1", "{r}", "not {r}", "float({a}.sum()) > 2", "{a}.any()", "len({a}) > 1", "{r} == 2", "{a}.shape == x.shape", "({a} > 0).all()", "{r} is None", "{r} != {r}")
CONTEXTS = ("np.errstate(all='ignore')", "np.errstate(divide='raise', invalid='raise')", "torch_np.no_grad()", "torch_np.enable_grad()", "np.errstate(divide='warn')", "contextlib.nullcontext()", "contextlib.suppress(ValueError)",
            "torch_np.autograd.profiler.record_function('a')")
HANDLERS = ("np.linalg.LinAlgError", "(ValueError, TypeError)", "Exception", "FloatingPointError", "(AttributeError, KeyError, IndexError, NameError)", "ZeroDivisionError")
RESULTS = ("{a}", "{a}", "{a}, {b}", "[{a}, [{b}, {r}]]", "{{'p': {a}, 'q': ({b}, {r})}}", "{a}, {a}", "[x, {a}, y]", "{r}", "{r}, {a}", "{a}[:1], {b}", "Pair({a}, {b})", "{t}", "{t}, {a}", "({a}, {r}, 'text')", "{a}.shape, {b}",
           "{a}, [{a}] * 2", "{a}.sum(), {t}.sum(), {b}", "({a}, {b}, x)", "{a}.dtype, {a}", "x, {a}")
RARE_RESULTS = ("None", "{a}.sum()", "{a}.sum(), {t}.sum(), {b}", "collections.OrderedDict(p={a}, q={b})", "{a}, {{{r}: {b}}}", "x", "x[1:]", "(x, y)", "{a}.dtype, {a}", "[]", "{a} if {r} else {b}", "dict(a={a}).items()", "zip([{a}], [{b}])",
           "slice({r}, None), {a}", "{t}.detach(), {a}", "{t}, {t}[:1]", "np.float64, {a}", "Data({a})", "{{1, 2}}, {a}", "iter([{a}])", "range(2), {a}", "{a}[0], {b}", "float({a}.sum())", "{t}.sum()")
# Each may hold a result of the call.
HOLDERS = ("lambda: {a}", "{a}.sum", "lambda v=1, w={a}: w", "functools.partial(np.add, {a}, {b})", "(v for v in [{a}])", "{a}.__len__", "[lambda: {a}, {b}]", "types.SimpleNamespace(v={a})", "collections.deque([{a}])", "frozenset([1]), {a}")

ARGUMENTS = ("arr('f8', 3, $)", "arr('f8', 2, $)", "arr('f8', (2, 2), $)", "arr('f4', 2, $)", "arr('i8', 2, $)", "arr('f8', (1, 2), $)", "arr('?', 2, $)", "arr('c16', 2, $)", "arr('f8', 0, $)", "arr('f8', (2, 3), $).T",
             "arr('f8', 4, $)[::2]", "numpy.array(arr('f8', 2, $))", "arr('f8', 1, $)", "arr('f8', 2, 0)")
USUAL = ("arr('f8', 2, $)", "arr('f8', 2, $)", "arr('f8', (2, 2), $)", "arr('f4', 2, $)", "arr('f8', 1, $)")
CHANGES_OF_ARGUMENTS = ("{p} += 1", "{p}[...] = 2", "{p} = {p}.copy()", "{p} = {p}[::-1]", "{p} = {p}.astype('f4')", "{p} = {q}", "{p} = {q}[:1]", "{p}.resize((2,), refcheck=False)", "{p} = {p}.T", "{p}.flags.writeable = False",
                        "{p} = np.asfortranarray({p})", "{p}.fill(-0.0)", "{p} = {q}.view()", "{p}.shape = (-1,)", "{p} = arr('f8', 2, 7)", "{p} = {p}._torch().double()._np_compat()", "{p}.sort()")
EXTRAS = {"numbers": VALUES["numbers"] + VALUES["any"], "texts": VALUES["texts"]}


_OF_THE_PROCESS = re.compile(r"\b(np\.(sin|cos|seterr|_set|random)|torch_np\.(set|exp|relu|manual)|os\.environ|math\.\w+ =|builtins\.|def )")


@dataclass
class State:
    kind: Kind
    number: int

    def text(self, r: random.Random, text: str) -> str:
        text = text.replace("@", str(self.number))
        values = VALUES[self.kind.values]
        while "$" in text:
            text = text.replace("$", r.choice(values), 1)
        return text


@dataclass
class Writer:
    """Writes the body of a function. `arrays` are the variables that hold arrays of NumPy's face."""

    r: random.Random
    states: list[State]
    arrays: list[str]
    lines: list[str] = field(default_factory=list)
    indent: str = "    "
    count: int = 0
    scalars: list[str] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)

    def number(self) -> str:
        """An expression that reads a number."""
        found = [s for s in self.states if not s.kind.is_array]
        if found and self.r.random() < 0.9:
            s = self.r.choice(found)
            return s.text(self.r, self.r.choice(s.kind.reads))
        return self.r.choice(VALUES["numbers"])

    def array(self) -> str:
        found = [s for s in self.states if s.kind.is_array]
        if found and self.r.random() < 0.3:
            s = self.r.choice(found)
            return "(" + s.text(self.r, self.r.choice(s.kind.reads)) + ")"
        return self.r.choice(self.arrays)

    def fill(self, template: str) -> str:
        parts = {}
        for name in ("a", "b", "t", "u", "r", "s"):
            if "{" + name + "}" in template:
                if name == "r":
                    parts[name] = self.number()
                elif name == "s":
                    parts[name] = self.r.choice(self.scalars) if self.scalars else "2.0"
                elif name in "tu":
                    parts[name] = self.r.choice(self.arrays) + "._torch()"
                else:
                    parts[name] = self.array() if name == "b" else self.r.choice(self.arrays)
        return template.format(**parts)

    def put(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def new(self, expression: str) -> None:
        name = f"a{self.count}" if self.r.random() < 0.7 or not self.count else f"a{self.r.randrange(self.count)}"
        self.put(f"{name} = {expression}")
        if name not in self.arrays:
            self.count += 1
            self.arrays.append(name)

    def block(self, head: str, length: int) -> None:
        self.put(head)
        before, known = self.indent, list(self.arrays)
        self.indent += "    "
        for _ in range(length):
            self.statement(True)
        self.indent = before
        self.arrays = known  # the others are not made on every path

    def state_array(self) -> None:
        s = self.r.choice([s for s in self.states if s.kind.is_array] or [None])
        if s is None:
            return self.new(self.fill(self.r.choice(WITH_NUMBER)))
        self.new(f"as_array({s.text(self.r, self.r.choice(s.kind.reads))})")

    def statement(self, is_nested: bool = False) -> None:
        r, kind = self.r, self.r.random()
        if kind < 0.2:
            self.new(self.fill(r.choice(UNARY)))
        elif kind < 0.32:
            self.new(self.fill(r.choice(BINARY)))
        elif kind < 0.50:
            self.new(self.fill(r.choice(WITH_NUMBER)))
        elif kind < 0.60:
            self.state_array()
        elif kind < 0.66:
            self.put(self.fill(r.choice(IN_PLACE)))
        elif kind < 0.69:
            name = f"s{len(self.scalars)}"
            self.put(f"{name} = {self.fill(r.choice(SCALARS))}")
            if r.random() < 0.15:
                self.scalars.append(name)
                name = self.fill(r.choice(INSPECTIONS))
            self.new(f"{r.choice(self.arrays)} * {name}")
        elif kind < 0.73:
            self.new(f"{r.choice(self.arrays)} * {self.fill(r.choice(READS))}")
        elif kind < 0.74:
            self.change()
        elif is_nested or kind < 0.76:
            self.helper()
        elif kind < 0.82:
            self.block(f"if {self.fill(r.choice(TESTS))}:", r.choice((1, 2)))
            if r.random() < 0.5:
                self.block("else:", 1)
        elif kind < 0.86:
            self.block(f"for i in range({self.loops()}):", 1)
        elif kind < 0.94:
            self.block("try:", r.choice((1, 2)))
            self.block(f"except {r.choice(HANDLERS)}:", 1)
            if r.random() < 0.15:
                self.block("finally:", 1)
        else:
            self.block(f"with {r.choice(CONTEXTS)}:", r.choice((1, 2)))

    def change(self) -> None:
        """A change of the state inside the function. Both worlds share the process's state, so that is left out."""
        changed = self.r.choice(self.states)
        line = changed.text(self.r, self.r.choice(changed.kind.changes))
        if "\n" in line or _OF_THE_PROCESS.search(line):
            return
        for statement in line.split("; "):
            if name := re.match(r"(?:del )?(\w+)(?: [-+^|]?= |$)", statement):
                self.globals.add(name[1])
            self.put(statement)

    def loops(self) -> str:
        return self.r.choice(("2", "3", "1", f"len(str({self.number()})) % 4", f"int({self.number()}) % 3", "len(x) % 4"))

    def helper(self) -> None:
        r = self.r
        a, b, n = r.choice(self.arrays), r.choice(self.arrays), self.number()
        self.new(r.choice((f"(lambda v: v * {n})({a})", f"sum([{a} * i for i in range(2)])", f"sum(v for v in [{a}, {b}])", f"functools.reduce(np.add, [{a}, {b}, {a}])",
                           f"[{a}, {b}][int({n}) % 2]", f"{{'p': {a}, 'q': {b}}}['p']", f"list(map(lambda v: v + {n}, [{a}, {b}]))[-1]", f"(lambda *v, **k: v[0] * k['k'])({a}, k={n})",
                           f"next(v for v in ({a}, {b}) if v is not None)", f"sorted([(2, {a}), (1, {b})], key=lambda p: p[0])[0][1]", f"{a} * sum([k for k in (1, 2) if k > {n}])",
                           f"dict(zip('pq', ({a}, {b})))['q']", f"(lambda v, k={n}: v - k)({a})", f"np.stack([v for v in ({a}, {a}) if len(v)])", f"[w for v in ({a}, {b}) for w in [v * 2]][1]",
                           f"(k := {a}) + k", f"max([{a}, {b}], key=lambda v: v.size)", f"{a} + [*range(3)][int({n}) % 3]", f"{a} * {{1: 2.0}}.get({n}, 3.0)")))

    def result(self) -> None:
        if self.r.random() < 0.04:
            self.put("return " + self.fill(self.r.choice(HOLDERS)))
        else:
            self.put("return " + self.fill(self.r.choice(RESULTS if self.r.random() < 0.85 else RARE_RESULTS)))


# Forms of the function: the text around its body, the function that is called, and the face of its first argument.
FORMS = (
    ("def f(x, y):\n{body}\nf = wrap(f)", "f"), ("def f(x, y):\n{body}\nf = wrap(f)", "f"), ("@wrap\ndef f(x, y, k=2.0):\n{body}", "f"), ("def f(x, y, *more, **names):\n{body}\nf = wrap(f)", "f"),
    ("def make():\n    z = np.array([1.0, 2.0])\n    k = 2.0\n    def f(x, y):\n    {inner}\n    return f\nf = wrap(make())", "f"),
    ("class Owner:\n    k = 2.0\n    def __init__(self, w): self.w = w; self.v = 1.0\n    @wrap\n    def f(self, x, y):\n        x = x * self.v\n    {inner}\no = Owner(np.array([1.0, 2.0]))", "o.f"),
    ("class Owner:\n    k = 2.0\n    def __init__(self, w): self.w = w; self.v = 1.0; self.f = wrap(self.g)\n    def g(self, x, y):\n        x = x + self.w[:1] * self.v\n    {inner}\no = Owner(np.array([1.0, 2.0]))", "o.f"),
    ("class Owner:\n    k = 2.0\n    def __init__(self, w): self.w = w; self.v = 1.0\n    def __call__(self, x, y):\n        y = y * self.k\n    {inner}\no = Owner(np.array([1.0, 2.0]))\nf = wrap(o)", "f"),
    ("class Owner:\n    def __init__(self, w): self.w = w; self.v = 1.0\no = Owner(2.0)\ndef f(x, y, o):\n    x = x * o.v\n{body}\nf = wrap(f)", "f", "o"),
    ("class Owner:\n    __slots__ = ('w', 'v')\n    def __init__(self, w): self.w = w; self.v = 1.0\no = Owner(np.array([1.0, 2.0]))\ndef f(x, y, o):\n    y = y * o.w[0] + o.v\n{body}\nf = wrap(f)", "f", "o"),
    ("def g(k, x, y):\n{body}\nf = wrap(functools.partial(g, 2.0))", "f"),
    ("def g(x, y):\n{body}\n@wrap\n@functools.wraps(g)\ndef f(x, y): return g(x, y)", "f"), ("def g(x, y):\n{body}\ng = wrap(g)\ndef f(x, y): return g(x * 2, y)\nf = wrap(f)", "f"),
    ("def g(x, y):\n{body}\ndef pieces(x, y):\n    yield g(x, y)\n    yield x * 2\ndef f(x, y): return list(pieces(x, y))\nf = wrap(f)", "f"),
    ("def f(x, y):\n    x, y = x._np_compat(), y._np_compat()\n{body}\nf = wrap(f)", "f", "torch"),
    ("def f(t, y):\n    x, y = (t * t)._np_compat(), y\n{body}\nf = wrap(f)", "f", "leaf"),
    ("def f(t, y):\n    x = y * 2\n    (t * 3.0).sum().backward()\n{body}\nf = wrap(f)", "f", "leaf"),
    ("def f(pair, y):\n    x = pair[0] * pair[1]\n{body}\nf = wrap(f)", "f", "list"), ("def f(d, y):\n    x = d['w'] * d['k']\n{body}\nf = wrap(f)", "f", "dict"),
    ("class Net(torch_np.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.k = 2.0\n        self.w = torch_np.nn.Parameter(torch_np.tensor([1.0, 2.0]))\n    def forward(self, x, y):\n        y = y * self.k\n    {inner}\no = Net()\nf = wrap(o)", "f"),
    ("def f(x, y, extra):\n    x = x * extra if isinstance(extra, (int, float)) else x\n{body}\nf = wrap(f)", "f", "extra"),
    ("def f(x, y):\n{body}\nf = wrap(wrap(f))\ng = wrap(f)", "g"),
)
FORM_SHARES = [3, 3, 2, 2, 2, 2, 1, 2, 2, 1, 1, 1, 1, 1, 1.5, 1, 0.7, 1, 1, 0.4, 2, 0.5]
CHANGES_OF_OWNERS = ("o.v = 3.0", "o.v = -0.0", "o.v = 1", "o = Owner(np.array([3.0, 4.0]))", "o.w = np.array([5.0, 6.0])", "Owner.k = 3.0", "o.u = 1.0", "Owner.u = 2.0", "o.w = o.w * 2", "o.w[...] = 7.0", "del o.v")
CHANGES_OF_FORMS = ("inner(g).__code__ = (lambda *a: a[-1] * 3).__code__", "inner(f).__defaults__ = (3.0,)", "inner(f).__code__ = (lambda *a: a[0]).__code__", "g = lambda *a: a[-1]")


def source(seed: str) -> tuple[str, ...]:
    """The statements of a program."""
    r = random.Random(seed)
    states = []
    for i in range(r.choice((1, 1, 2, 2, 3))):
        kinds, shares = (_NUMBERS, _NUMBER_SHARES) if r.random() < 0.6 else (_ARRAYS, _ARRAY_SHARES)
        states.append(State(r.choices(kinds, shares)[0], i))
    units = [s.text(r, s.kind.make) for s in states if s.kind.make]
    writer = Writer(r, states, ["x", "y"])
    for _ in range(r.choice((2, 3, 4, 5, 7))):
        writer.statement()
    writer.result()
    body = "\n".join([f"    global {', '.join(sorted(writer.globals))}"] * bool(writer.globals) + writer.lines)
    form = r.choices(FORMS, FORM_SHARES)[0]
    inner = body.replace("\n", "\n    ")
    units.append(form[0].replace("{body}", body).replace("{inner}", inner))
    made = [_argument(r), _argument(r)]
    names = ["p", "q"]
    units.append(f"p = {made[0]}\nq = {made[1]}")
    called = _call(r, form, names)
    units += [called, called]
    for _ in range(r.choice((2, 2, 3, 3, 4))):
        for _ in range(r.choice((0, 1, 1, 1, 2))):
            units.append(_change(r, states, form, body))
        for _ in range(r.choice((1, 1, 2))):
            if r.random() < 0.15:
                units.append(r.choice(("poke()", "back()", "poke()", "exchange()")))
            units.append(called if r.random() < 0.85 else _call(r, form, names))
    return tuple(units)


def _argument(r: random.Random) -> str:
    return r.choice(USUAL if r.random() < 0.85 else ARGUMENTS).replace("$", str(r.randrange(9)))


def _call(r: random.Random, form: tuple[str, ...], names: list[str]) -> str:
    first, second = names if r.random() < 0.9 else [r.choice(names), r.choice(names)]
    face = form[2] if len(form) > 2 else ""
    if face == "torch":
        first, second = f"as_array({first})._torch()", f"as_array({second})._torch()"
    elif face == "leaf":
        first = f"leaf({first}, {r.randrange(3)})"
    elif face == "list":
        first = r.choice((f"[{first}, 2.0]", f"({first}, {second})", f"[{first}, {first}]", f"Pair({first}, -0.0)"))
    elif face == "dict":
        first = r.choice((f"{{'w': {first}, 'k': 2.0}}", f"collections.OrderedDict(w={first}, k={second})", f"dict(k=3, w={first})", f"collections.defaultdict(int, w={first})"))
    rest = {"o": ", o", "extra": ", " + r.choice(EXTRAS[r.choice(list(EXTRAS))])}.get(face, "")
    if face == "" and form[1] == "f" and "*more" in form[0] and r.random() < 0.6:
        rest = r.choice((", 3", ", z=3", ", 'a', k=2.0", ", -0.0, None"))
    return f"call({form[1]}, {first}, {second}{rest})"


def _change(r: random.Random, states: list[State], form: tuple[str, ...], body: str) -> str:
    kind = r.random()
    if kind < 0.2:
        p, q = r.choice((("p", "q"), ("q", "p")))
        return r.choice(CHANGES_OF_ARGUMENTS).format(p=p, q=q)
    if kind < 0.35 and ("Owner" in form[0]):
        return r.choice(CHANGES_OF_OWNERS)
    if kind < 0.37 and re.search(r"\bg\b", form[0]):
        return r.choice(CHANGES_OF_FORMS)
    if kind < 0.40:
        other = State(r.choice(_NUMBERS + _ARRAYS), 0)  # may not concern the program at all
        return other.text(r, r.choice(other.kind.changes))
    s = r.choice(states)
    return s.text(r, r.choice(s.kind.changes))
