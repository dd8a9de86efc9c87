"""Stored results of PyTorch: the cases in data/torch_cases/*.txt, their results in
data/golden/torch/*.json.

A case is a line of Python whose last statement is an expression; `torch` is the module under test. With PyTorch installed,

    python test/python/support/torch_golden.py [AREA ...]       stores results of new cases, and drops results without a case
    python test/python/support/torch_golden.py --all [AREA ...] recomputes all results
    python test/python/support/torch_golden.py --diff [AREA ...] runs the cases on both and prints differences

The tests (test_torch_golden.py) run the same lines with `torch_np`, without PyTorch. Lines that begin with # are comments.
A line may end in options, `## rtol=1e-4`:

    rtol, atol      the bounds of differences, relative and absolute (below: TOLERANCES). A comment above gives the reason for wider ones
    only=shape      compare dtype and shape, not values, for results that are random or unordered
    only=dtype      compare dtypes of results only
    cpu             not run on a GPU: the case depends on the CPU as its device

Names in cases, besides torch: `f64(2, 3)`, f32, f16, bf16, c64, c128 (normal numbers), i64, i32, i16, i8, u8 (from -9 to 9, or
0 to 18; `i64(3, low=0, high=5)`), bools, `unit(3)` (float64 in (0.05, 0.95)), `pos(3)` (float64 in (0.3, 3)); `T([1, 2], "int64")`;
`grad(f, x, ...)` (the gradients of f's results, weighted, by each x), `grad2` (second derivatives); `filled(module)` (a module whose
parameters and buffers have numbers that depend on their names only); `warned(f)` (the result of f(), and the texts of its UserWarnings).
Numbers depend on the case's text only.
"""
import argparse
import ast
import json
import pathlib
import sys
import warnings
import zlib

import numpy

HERE = pathlib.Path(__file__).resolve().parent
CASES, GOLDEN = HERE.parent / "data" / "torch_cases", HERE.parent / "data" / "golden" / "torch"
# Tolerances of floats: several roundings in another order. A case that is computed differently
# states its own.
TOLERANCES = {"float64": (1e-10, 1e-11), "float32": (2e-5, 2e-6), "float16": (4e-3, 2e-3), "bfloat16": (3e-2, 1e-2),
              "complex64": (2e-5, 4e-6), "complex128": (1e-10, 1e-11)}


class Case:
    """One line, its statements and its options."""

    def __init__(self, line, number, area):
        self.text, _, options = (part.strip() for part in line.partition("##"))
        self.area, self.number = area, number
        self.options = dict(o.split("=") if "=" in o else (o, True) for o in options.split())
        unknown = set(self.options) - {"rtol", "atol", "only", "cpu"}
        if unknown:
            raise ValueError(f"{area}.txt:{number}: unknown options {unknown}")

    def __repr__(self):
        return f"{self.area}:{self.number}"

    def run(self, torch):
        """The description of the case's result, or of its exception."""
        return run(self.text, torch)

    def bounds(self, dtype):
        rtol, atol = TOLERANCES[dtype]
        return float(self.options.get("rtol", rtol)), float(self.options.get("atol", atol))


def areas():
    return sorted(p.stem for p in CASES.glob("*.txt"))


def load_cases(area):
    lines = (CASES / f"{area}.txt").read_text().splitlines()
    cases = [Case(line, n, area) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    texts = [c.text for c in cases]
    twice = {t for t in texts if texts.count(t) > 1} if len(set(texts)) < len(texts) else ()
    if twice:
        raise ValueError(f"{area}.txt has cases twice: {sorted(twice)}")
    return cases


def load_golden(area):
    path = GOLDEN / f"{area}.json"
    return json.loads(path.read_text()) if path.exists() else {}


# ------------------------------------------------------------------------------------------------------------- names for cases


def dtype_of(torch, name):
    return getattr(torch, name)


def constructors(torch, rng):
    def floats(dtype):
        return lambda *shape: torch.tensor(rng.standard_normal(shape)).to(dtype_of(torch, dtype))

    def complexes(dtype):
        return lambda *shape: torch.tensor(rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).to(dtype_of(torch, dtype))

    def integers(dtype, least, most):
        def make(*shape, low=least, high=most):
            return torch.tensor(rng.randint(low, high, shape)).to(dtype_of(torch, dtype))
        return make

    def within(low, high):
        return lambda *shape: torch.tensor(rng.uniform(low, high, shape))

    return {
        "f64": floats("float64"), "f32": floats("float32"), "f16": floats("float16"), "bf16": floats("bfloat16"),
        "c64": complexes("complex64"), "c128": complexes("complex128"),
        "i64": integers("int64", -9, 10), "i32": integers("int32", -9, 10), "i16": integers("int16", -9, 10),
        "i8": integers("int8", -9, 10), "u8": integers("uint8", 0, 19),
        "bools": lambda *shape: torch.tensor(rng.randint(0, 2, shape)).to(torch.bool),
        "unit": within(0.05, 0.95), "pos": within(0.3, 3),
        "T": lambda data, dtype=None: torch.tensor(data, dtype=dtype and dtype_of(torch, dtype)),
    }


def tensors_in(torch, value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in tensors_in(torch, v)]
    return []


def weighted(torch, results):
    """A number that depends on each element of the floating results with another weight."""
    total = 0
    for t in results:
        if t.is_complex():
            t = torch.view_as_real(t)
        if not (t.is_floating_point() and t.requires_grad):
            continue
        w = torch.tensor(numpy.cos(numpy.arange(1.0, t.numel() + 1)).reshape(tuple(t.shape))).to(t.dtype)
        total = total + (t * w).sum()
    return total


def differentiation(torch):
    def leaves_of(inputs):
        return [x.detach().clone().requires_grad_() if x.is_floating_point() or x.is_complex() else x for x in inputs]

    def grad(f, *inputs):
        leaves = leaves_of(inputs)
        wanted = [x for x in leaves if x.requires_grad]
        return list(torch.autograd.grad(weighted(torch, tensors_in(torch, f(*leaves))), wanted, allow_unused=True))

    def grad2(f, *inputs):
        leaves = leaves_of(inputs)
        wanted = [x for x in leaves if x.requires_grad]
        first = torch.autograd.grad(weighted(torch, tensors_in(torch, f(*leaves))), wanted, create_graph=True)
        return list(torch.autograd.grad(weighted(torch, [g * g for g in first]), wanted, allow_unused=True))

    return {"grad": grad, "grad2": grad2}


def filled(torch):
    def fill(module):
        with torch.no_grad():
            for name, t in [*module.named_parameters(), *module.named_buffers()]:
                if not t.is_floating_point():
                    continue
                rng = numpy.random.RandomState(zlib.crc32(name.encode()))
                spread = rng.uniform(0.3, 1.2, tuple(t.shape)) if "var" in name else rng.standard_normal(tuple(t.shape)) * 0.3
                t.copy_(torch.tensor(spread).to(t.dtype))
        return module
    return fill


def warned(f):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = f()
    # PyTorch appends the position in its source.
    return result, [str(w.message).partition(" (Triggered internally")[0] for w in caught if w.category is UserWarning]


def run(text, torch):
    names = {"torch": torch, "numpy": numpy, "filled": filled(torch), "warned": warned, **differentiation(torch),
             **constructors(torch, numpy.random.RandomState(zlib.crc32(text.encode())))}
    tree = ast.parse(text)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the last statement is no expression: {text}")
    try:
        exec(compile(tree, "<case>", "exec"), names)
        return describe(torch, eval(compile(ast.Expression(last.value), "<case>", "eval"), names))
    except Exception as e:
        return {"raises": exception_name(e), "says": str(e).splitlines()[0][:200] if str(e) else ""}


def exception_name(e):
    # linalg.LinAlgError of either module, and similar classes, by their own names.
    return type(e).__name__.lstrip("_")


# --------------------------------------------------------------------------------------------------------------- descriptions


def describe(torch, value):
    if isinstance(value, str):
        return value.replace("torch_np.", "torch.")
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return {"float": value}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, torch.Size):
        return {"size": list(value)}
    if isinstance(value, torch.Tensor):
        return describe_tensor(torch, value)
    if isinstance(value, dict):
        return {"dict": [[str(k), describe(torch, v)] for k, v in value.items()]}
    if isinstance(value, (tuple, list)):
        return [describe(torch, v) for v in value]
    if isinstance(value, torch.dtype):
        return {"dtype": name_of(value)}
    if isinstance(value, numpy.ndarray):
        return {"numpy": [str(value.dtype), list(value.shape), value.tolist()]}
    return {"repr": type(value).__name__}


def name_of(dtype):
    return str(dtype).rpartition(".")[2]


def describe_tensor(torch, t):
    t = t.detach().cpu()
    dtype = name_of(t.dtype)
    if t.is_complex():
        flat = torch.view_as_real(t.resolve_conj() if hasattr(t, "resolve_conj") else t).reshape(-1)
    else:
        flat = t.reshape(-1)
    if flat.is_floating_point():
        # The shortest text that is parsed to the same number.
        wide = flat.to(torch.float32) if dtype in ("float16", "bfloat16") else flat
        data = [float(str(x)) if wide.dtype == torch.float32 else float(x) for x in numpy.asarray(wide)]
    else:
        data = flat.tolist()
    return {"tensor": dtype, "shape": list(t.shape), "data": data}


def difference(case, expected, got, path="result"):
    """The problem of `got`, or None."""
    if isinstance(expected, dict) and isinstance(got, dict):
        if "raises" in expected:
            if got.get("raises") == expected["raises"]:
                return None
            return f"{path}: expected {expected['raises']} ({expected['says']}), got {got}"
        if "raises" in got:
            return f"{path}: raised {got['raises']}: {got['says']}"
        if "tensor" in expected and "tensor" in got:
            return tensor_difference(case, expected, got, path)
        if "float" in expected and "float" in got:
            return numbers_differ(case, "float64", [expected["float"]], [got["float"]], path)
        if "complex" in expected and "complex" in got:
            return numbers_differ(case, "complex128", expected["complex"], got["complex"], path)
        if "dict" in expected and "dict" in got:
            if [k for k, _ in expected["dict"]] != [k for k, _ in got["dict"]]:
                return f"{path}: keys {[k for k, _ in got['dict']]}, expected {[k for k, _ in expected['dict']]}"
            return first(difference(case, e, g, f"{path}[{k!r}]") for (k, e), (_, g) in zip(expected["dict"], got["dict"]))
    if isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            return f"{path}: {len(got)} results, expected {len(expected)}"
        return first(difference(case, e, g, f"{path}[{i}]") for i, (e, g) in enumerate(zip(expected, got)))
    if type(expected) is type(got) and expected == got or case.options.get("only") and type(expected) is type(got):
        return None
    return f"{path}: {got!r}, expected {expected!r}"


def first(differences):
    return next((d for d in differences if d), None)


def tensor_difference(case, expected, got, path):
    if got["tensor"] != expected["tensor"]:
        return f"{path}: dtype {got['tensor']}, expected {expected['tensor']}"
    if case.options.get("only") == "dtype":
        return None
    if got["shape"] != expected["shape"]:
        return f"{path}: shape {got['shape']}, expected {expected['shape']}"
    if case.options.get("only") == "shape":
        return None
    if expected["tensor"] in TOLERANCES:
        return numbers_differ(case, expected["tensor"], expected["data"], got["data"], path)
    return None if got["data"] == expected["data"] else f"{path}: {got['data']}, expected {expected['data']}"


def numbers_differ(case, dtype, expected, got, path):
    rtol, atol = case.bounds(dtype)
    a, b = numpy.array(expected, float), numpy.array(got, float)
    finite = numpy.abs(a[numpy.isfinite(a)])
    # Absolute, relative to the scale of the summands. The largest of the results stands for that
    # scale.
    near = numpy.isclose(b, a, rtol=rtol, atol=atol * max(1.0, finite.max(initial=0.0)), equal_nan=True)
    if near.all():
        return None
    i = int(numpy.argmin(near))
    return f"{path}: element {i} of {len(a)} is {b[i]!r}, expected {a[i]!r} ({int((~near).sum())} differ)"


# --------------------------------------------------------------------------------------------------------------- command line


def write(area, torch, everything):
    known = {} if everything else load_golden(area)
    golden = {}
    for case in load_cases(area):
        golden[case.text] = known[case.text] if case.text in known else case.run(torch)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in golden.items())
    (GOLDEN / f"{area}.json").write_text("{\n" + lines + "\n}\n")
    raised = [(k, v) for k, v in golden.items() if isinstance(v, dict) and "raises" in v and k not in known]
    for text, v in raised:
        print(f"{area}: PyTorch raises {v['raises']} ({v['says']}): {text}")
    print(f"{area}: {len(golden)} cases, {len(golden) - len(set(golden) & set(known))} of them new")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("areas", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--diff", action="store_true")
    args = parser.parse_args()
    import torch
    torch.set_num_threads(1)
    if args.diff:
        sys.path.insert(0, str(HERE.parents[2]))
        import torch_np
        for area in args.areas or areas():
            for case in load_cases(area):
                wrong = difference(case, case.run(torch), case.run(torch_np))
                if wrong:
                    print(f"{case!r}: {case.text}\n    {wrong}")
        return
    for area in args.areas or areas():
        write(area, torch, args.all)


if __name__ == "__main__":
    main()
