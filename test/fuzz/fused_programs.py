"""Random programs over arrays that must give the same bits with fusion and without.

A program is a list of statements over variables a0, a1, ...: pointwise operators, casts, views,
many forms of assignment, reductions, deletions of variables, and reads of single numbers. A
statement must raise the same error in both runs.
"""
from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy

import torch_np
import torch_np.numpy as np

SHAPES = [(4, 6), (6,), (4, 1), (24,), (2, 3, 4), (1,), ()]
LONG = [(3, 300), (300,), (3, 1), (900,), (2, 3, 90), (1,), ()]  # whose lines are read in place
# large enough to be pending by default, and to be shared by threads
LARGE = [(40, 900), (900,), (40, 1), (36_000,), (2, 20, 900), (1,), ()]
DTYPES = ["f8", "f8", "f4", "f4", "i8", "i4", "u1", "?", "c16", "f2"]
UNARY = ["np.exp({0})", "np.tanh({0})", "np.sqrt(abs({0}))", "-{0}", "abs({0})", "np.floor({0})", "np.sign({0})", "np.isnan({0})", "np.square({0})",
         "np.logical_not({0})", "~({0} > 0)", "np.cos({0})", "np.log1p(abs({0}))", "np.reciprocal({0} + 3)", "np.rint({0})", "np.real({0})"]
BINARY = ["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / {1}", "{0} // {1}", "np.maximum({0}, {1})", "np.minimum({0}, {1})", "np.hypot({0}, {1})",
          "{0} < {1}", "{0} == {1}", "np.arctan2({0}, {1})", "{0} ** 2 + {1}", "np.where({0} > {1}, {0}, {1})", "np.add({0}, {1}, dtype='f8')",
          "np.where({0}, {1}, 0.5)", "np.logaddexp({0}, {1})", "np.clip({0}, -1, {1})", "np.multiply({0}, {1}, where={0} > 0, out=np.zeros_like({0}))"]
NUMBERS = ["2", "0.5", "-1.25", "True", "np.float32(0.1)", "1j", "300", "np.int8(3)", "{n}.sum()", "{n}.ravel()[0]"]
VIEWS = ["{0}.T", "{0}[1:]", "{0}[::-1]", "{0}[..., ::2]", "{0}.reshape(-1)", "{0}[None]", "{0}.ravel()", "np.broadcast_to({0}, (2,) + {0}.shape)",
         "{0}.swapaxes(0, -1)", "{0}.view({0}.dtype)", "{0}[{0} > 0]", "{0}._torch().detach()._np_compat()"]
CHANGES = ["{0} += {1}", "{0} *= 2", "{0} -= 0.5", "{0}[...] = {1}", "{0}[1:] = {0}[:-1]", "np.add({1}, {0}, out={0})", "np.exp({0}, out={0})", "{0}[{0} > 0] = 3",
           "{0}.fill(2)", "{0}.sort()", "np.copyto({0}, {1})", "{0}._torch().mul_(2)", "{0}._torch().detach().zero_()", "numpy.asarray({0})[...] = 1",
           "memoryview({0}.reshape(-1))[0] = 1", "np.put({0}, 0, 5)", "{0}.flat[1] = 7", "np.negative.at({0}, 0)", "{0}._torch().uniform_(0, 1)", "{0}.real = 2",
           "{0}._torch().data = {1}._torch()", "{0}.shape = (-1,)", "np.random.shuffle({0})", "{0}.partition(0)", "{0}.itemset(0, 1) if {0}.size else 0",
           "np.place({0}, {0} > 1, [9])", "{0}.byteswap(inplace=True)", "np.cumsum({0}, axis=-1, out={0})", "{0}._torch().copy_({1}._torch())"]
REDUCTIONS = ["{0}.sum()", "{0}.sum(axis=-1)", "{0}.max()", "{0}.mean(axis=0)", "np.argmax({0})", "np.count_nonzero({0} > 0.5)", "{0}.any()", "np.cumsum({0})",
              "np.dot({0}, {1})", "np.sort({0})", "{0}.std()", "np.linalg.norm({0})", "{0} - {0}.max(axis=-1, keepdims=True)",
              "np.exp(-abs({0} - {0}.mean(axis=-1, keepdims=True))).sum(axis=-1, keepdims=True) * {1}"]
# Reductions of temporaries.
TEMPORARIES = ["({0} * {1}).sum()", "({0} + {1}).sum(axis=-1)", "({0} - {1}).mean(axis=0)", "({0} * 0.5).prod(axis=0)", "({0} > {1}).any()", "({0} <= {1}).all(axis=-1)",
               "np.max({0} * {1})", "({0} + 1).min(axis=0)", "np.count_nonzero({0} < {1})", "np.argmin({0} * {1})", "np.argmax({0} + {1}, axis=-1)",
               "(np.exp(-abs({0})) * {1}).sum(axis=0)", "({0} == {1}).sum()", "np.sqrt((abs({0}) ** 2).mean())", "({0} * {1}).var()", "(1 / {0}).sum()",
               "({0} * 2).sum(axis=0, keepdims=True) + {1}", "np.sum({0} * {1}, dtype='f4')", "np.sum({0} * 2, initial=1)",
               # Reductions along rows, which compiled functions compute in tiles.
               "(lambda p: p / (p * p).sum(axis=-1, keepdims=True))({0} + {1})", "(lambda p: (p > p.mean(axis=-1, keepdims=True)).sum(axis=-1))({0} * {1})",
               "(lambda p: (p - p[::-1]).max(axis=-1, keepdims=True) * p.min(axis=-1, keepdims=True))({0} - {1})"]
LOOKS = ["float({0}.ravel()[0].real)", "repr({0})", "bytes({0}.tobytes())", "{0}.tolist()", "bool(({0} == {1}).all())", "hash({0}.tobytes())", "np.shares_memory({0}, {1})",
         "{0}.flags.c_contiguous", "{0}.strides", "{0}.nbytes", "({0}.shape, {0}.dtype)", "{0}.__array_interface__['shape']", "np.array_equal({0}, {1})"]


def choose_shapes(r: random.Random) -> list[tuple[int, ...]]:
    return LARGE if r.random() < 0.1 else r.choice([SHAPES, LONG])


def statements(seed: int | str, length: int = 25, reductions: list[str] = REDUCTIONS, share: float = 0.07) -> list[str]:
    """The program of a seed; `share` of its statements are drawn from `reductions`."""
    r = random.Random(seed)
    shapes = choose_shapes(r)
    names, lines = [], []

    def new(expression: str) -> None:
        # Names are reused, so that some results are released before they are read.
        name = f"a{r.randrange(8)}"
        lines.append(f"{name} = {expression}")
        if name not in names:
            names.append(name)

    def array() -> str:
        return r.choice(names)

    def operand() -> str:
        return array() if r.random() < 0.7 else r.choice(NUMBERS).format(n=array())

    for _ in range(3):
        shape, dtype = r.choice(shapes[:4]), r.choice(DTYPES)
        new(f"made({shape}, {dtype!r}, {r.randrange(1000)})")
    while len(lines) < length:
        kind = r.random()
        if kind < 0.4:
            new(r.choice(BINARY).format(array(), operand()))
        elif kind < 0.55:
            new(r.choice(UNARY).format(array()))
        elif kind < 0.6:
            new(f"{array()}.astype({r.choice(DTYPES)!r})")
        elif kind < 0.7:
            new(r.choice(VIEWS).format(array()))
        elif kind < 0.84:
            lines.append(r.choice(CHANGES).format(array(), array()))
        elif kind < 0.84 + share:
            new(f"np.asarray({r.choice(reductions).format(array(), array())})")
        elif kind < 0.95:
            lines.append("seen.append(" + r.choice(LOOKS).format(array(), array()) + ")")
        else:
            new(f"made({r.choice(shapes)}, {r.choice(DTYPES)!r}, {r.randrange(1000)})")
    return lines


def reduction_statements(seed: int | str) -> list[str]:
    """A program with reductions of temporaries."""
    return statements(seed, 25, TEMPORARIES, 0.09)


def gradient_statements(seed: int | str, length: int = 12) -> list[str]:
    """A program of the Tensor face that ends with gradients of its leaves."""
    r = random.Random(seed)
    shapes = choose_shapes(r)
    lines, names = [], []
    for i in range(2):
        lines.append(f"x{i} = leaf({r.choice(shapes[:4])}, {r.choice(['f8', 'f4'])!r}, {r.randrange(1000)})")
        names.append(f"x{i}")
    for i in range(length):
        a, b = r.choice(names), r.choice([*names, "0.5", "2"])
        expression = r.choice([f"{a} * {b}", f"{a} + {b}", f"{a} - {b}", f"{a} / (abs(torch.as_tensor({b})) + 1)", f"{a}.tanh()", f"{a}.sin()", f"({a} * {a} + 1).sqrt()",
                               f"torch.where({a} > 0, {a}, {a} * 2)", f"{a}.exp().clamp(max=3)", f"{a}.sigmoid()", f"{a}.sum(-1, keepdim=True) * {a}", f"{a}.clone().mul_({b})",
                               f"{a}.reshape(-1)[::2].sum() * {a}", f"torch.maximum({a}, {a} * {b})", f"{a}.detach() * {a}", f"{a}.mean() + {a}", f"{a}.softmax(-1)"])
        lines.append(f"y{i} = {expression}")
        names.append(f"y{i}")
        if r.random() < 0.2:
            lines.append(f"y{i} = y{i}.relu_()")
        if r.random() < 0.1:
            lines.append(f"seen.append(float(y{i}.sum()))")
    lines.append(f"loss = sum({a}.double().square().mean() for a in ({', '.join(names[-4:])},))")
    lines.append("loss.backward(create_graph=True)" if r.random() < 0.2 else "loss.backward()")
    lines += [f"g{i} = x{i}.grad * 2 + x{i}.detach() if x{i}.grad is not None else None" for i in range(2)]
    return lines


def result_statements(seed: int | str, length: int = 10) -> list[str]:
    """A function of the Tensor face whose results have gradients. Returns the source that makes its
    arguments x0, x1 (with gradients) and k, and its statements. The last two lines are its results,
    and the expression of each result that the caller differentiates (None if the result is unused)."""
    r = random.Random(f"result {seed}")
    shapes = choose_shapes(r)
    shape, other = r.choice(shapes[:3]), r.choice(shapes[:3])
    lines = [f"x0 = leaf({shape}, {r.choice(['f8', 'f4'])!r}, {r.randrange(1000)})", f"x1 = leaf({other}, {r.choice(['f8', 'f4'])!r}, {r.randrange(1000)})",
             f"k = made({shape}, {r.choice(['f8', 'f4', 'i8'])!r}, {r.randrange(1000)})._torch()"]
    names, made_here = ["x0", "x1", "k"], []
    for i in range(r.randrange(3, length)):
        a, b = r.choice(names), r.choice([*names, "0.5", "2"])
        lines.append(f"y{i} = " + r.choice([
            f"{a} * {b}", f"{a} + {b}", f"{a} - {b}", f"{a} / (abs(torch.as_tensor({b})) + 1)", f"{a}.tanh()", f"{a}.sin()", f"({a} * {a} + 1).sqrt()",
            f"torch.where({a} > 0, {a}, {a} * 2)", f"{a}.exp().clamp(max=3)", f"{a}.sigmoid()", f"{a}.sum(-1, keepdim=True) * {a}", f"{a}.clone().mul_({b})",
            f"{a}.reshape(-1)[::2].sum() * {a}", f"torch.maximum({a}, {a} * {b})", f"{a}.detach() * {a}", f"{a}.double().mean() + {a}", f"{a}.double().softmax(-1)",
            f"torch.cat([{a}, {a} * 2])", f"torch.stack([{a}, {a}]).max(0).values", f"{a}.double().cumsum(-1)", f"{a}.double().T @ {a}.double()", f"torch.rand({a}.shape, dtype=torch.float64) * {a}",
            f"{a}.double().std() * {b}", f"{a}[..., ::2]", f"{a}.double().sort(-1).values", f"({a} * {a}).sum().sqrt()", f"{a}.masked_fill({a} > 1, 2)", f"{a}.T", f"{a}.abs().double().prod()",
            f"torch.nn.functional.gelu({a}.double())", f"{a}.double().log1p().nan_to_num()"]))
        names.append(f"y{i}")
        made_here.append(f"y{i}")
        if r.random() < 0.2:
            lines.append(f"y{i} = (y{i} * 1.5).relu_()")
        if r.random() < 0.1:
            lines.append(f"y{i} = y{i} * 2 if float(y{i}.sum()) > 0 else y{i}.exp()")
    results = r.sample(made_here[-4:], min(len(made_here), r.choice([1, 1, 2, 3])))
    uses = [r.choice([None, "{}.sum()", "{}.sum()", "({0} * {0}).sum()", "{}.mean()", "({}.T * 2).sum()", "{}.double().sum().exp()", "{}.reshape(-1)[::2].sum()"]) for _ in results]
    if not any(uses):
        uses[0] = "{}.sum()"
    return [*lines, f"results = [{', '.join(results)}]", f"uses = {uses}"]


def made(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    """An array of small numbers, with a few that are special."""
    generator = numpy.random.default_rng(seed)
    values = generator.integers(-3, 9, shape) / generator.choice([1, 2, 3])
    if dtype[0] in "fc" and values.size > 3 and seed % 5 == 0:
        values.reshape(-1)[:3] = [numpy.nan, numpy.inf, -0.0]
    with numpy.errstate(all="ignore"):
        return np.array(numpy.abs(values).astype(dtype) if dtype[0] == "u" else values.astype(dtype))


def leaf(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    return made(shape, dtype, seed // 5 * 5 + 1)._torch().detach().requires_grad_()


def bits(value: Any) -> bytes:
    """The elements' bytes. All NaN are the same: IEEE 754 leaves open which of two NaN propagates,
    and the loops differ in this between whole vectors and the remainder."""
    values = numpy.array(value)
    if values.dtype.kind in "fc":
        parts = values.reshape(-1).view(f"f{values.dtype.itemsize // (1 + (values.dtype.kind == 'c'))}")
        parts[numpy.isnan(parts)] = numpy.nan
    return values.tobytes()


def shown(value: Any) -> Any:
    """The comparable form of a value."""
    if isinstance(value, torch_np.Tensor):
        value = value.detach()._np_compat()
    if isinstance(value, np.ndarray) or isinstance(value, numpy.ndarray):
        # The strides of axes of length 1 have no meaning.
        return str(value.dtype), value.shape, tuple(s for n, s in zip(value.shape, value.strides, strict=True) if n != 1), bits(value)
    return repr(value)


def outcome(lines: list[str], mode: str, look: Callable[[str, dict[str, Any]], None] | None = None) -> tuple[list[Any], list[str]]:
    """Variables that the program leaves in a mode of fusion, and the error of each statement.
    `look` is called with each statement and the variables before it."""
    torch_np.manual_seed(0)
    np.random.seed(0)
    space: dict[str, Any] = {"np": np, "numpy": numpy, "torch": torch_np, "made": made, "leaf": leaf, "seen": []}
    raised = []
    before = torch_np.fusion.get_mode()
    torch_np.fusion.set_mode(mode)
    try:
        for line in lines:
            if look:
                look(line, space)
            try:
                exec(line, space)
                raised.append("")
            except Exception as error:
                raised.append(type(error).__name__)
        names = sorted(n for n in space if n[0] in "axyg" and n[1:].isdigit())
        return [(n, shown(space[n])) for n in names] + [("seen", [shown(v) for v in space["seen"]])], raised
    finally:
        torch_np.fusion.set_mode(before)


def difference(lines: list[str], run: Callable[[list[str], str], tuple[list[Any], list[str]]] = outcome) -> str | None:
    """The first difference in bits between results with fusion and without; None if they are equal."""
    expected, errors = run(lines, "off")
    for mode in ("always", "auto"):
        got, got_errors = run(lines, mode)
        for line, e, g in zip(lines, errors, got_errors, strict=True):
            if e != g:
                return f"{mode}: {line!r}: {g or 'nothing'} raised, {e or 'nothing'} without fusion"
        for (name, e), (_, g) in zip(expected, got, strict=True):
            if e != g:
                return f"{mode}: {name}: {g}, without fusion {e}"
    return None
