#!/usr/bin/env python3
"""Compares operators with PyTorch on the samples of PyTorch's own database of operators.

    PYTHON torch_opinfo.py --record FOLDER                       # PYTHON has PyTorch
    python torch_opinfo.py FOLDER [--only REGEX]                 # without PyTorch; the same version of Python

The database is `op_db` of torch.testing._internal.common_methods_invocations. The first command
calls each operator with PyTorch and records arguments, results and gradients, one file for each
operator. The second one repeats the recorded calls with torch_np and compares. A record names
functions of PyTorch; small functions of the database, such as `lambda x: x.abs()`, are kept as
code. Nothing of PyTorch's is kept here.

An operator is right in values if all its recorded results agree: dtype, shape, and elements up to
the tolerance that the database states. Results that differ between two calls in PyTorch are random
or not initialised; only their dtypes and shapes are compared. Gradients are those of a weighted sum
of the float64 results.
"""
import argparse
import collections
import concurrent.futures
import functools
import importlib
import itertools
import json
import marshal
import os
import pickle
import pydoc
import re
import sys
import tempfile
import types
import warnings

import numpy
from suite_process import Recorder, run_child, run_with_restarts

DTYPES = ["float32", "complex64", "int64", "bool", "float64"]
GRADIENTS = "float64"
# Absolute and relative, for operators whose entry states none. Results are sums in another order.
TOLERANCES = {"float32": (1e-5, 2e-5), "complex64": (1e-5, 2e-5), "float64": (1e-8, 1e-7), "complex128": (1e-8, 1e-7),
              "float16": (2e-3, 4e-3), "bfloat16": (1e-2, 2e-2)}
OUT_OF_SCOPE = re.compile(r"sparse|jiterator|quant|nested")
# The order of equal elements is free, unless stable=True is given.
UNSTABLE = re.compile(r"^(sort|argsort|topk|kthvalue|mode)\b")
MOST_ELEMENTS = 200_000


class Unsupported(Exception):
    """A value that a record cannot hold: a sparse tensor, a generator."""


def name_of(value):
    """The name of a dtype, a layout or a memory format, without its module."""
    return str(value).rpartition(".")[2]


def encode(torch, value):
    """A value as tuples of its kind and plain data."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized or value.numel() > MOST_ELEMENTS:
            raise Unsupported("a tensor that is not dense, or is large")
        strides = None if value.is_contiguous() else value.stride()
        plain = value.detach().resolve_conj().resolve_neg().contiguous()
        if value.dtype == torch.bfloat16:
            plain = plain.view(torch.int16)
        return "tensor", name_of(value.dtype), plain.numpy().copy(), strides, value.requires_grad
    if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str, slice, numpy.ndarray, numpy.generic, range)):
        return "plain", value
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return "named", name_of(value)
    if isinstance(value, torch.device):
        return "device", str(value)
    if isinstance(value, dict):
        return "dict", {k: encode(torch, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "size" if isinstance(value, torch.Size) else "tuple"
        return kind, [encode(torch, v) for v in value]
    if isinstance(value, functools.partial):
        return "partial", encode(torch, value.func), encode(torch, value.args), encode(torch, value.keywords)
    if getattr(value, "__name__", "").startswith(("wrapper_set_seed", "gradcheck_wrapper_masked")):
        return ("seeded",)
    path = path_of(torch, value)
    if path:
        return "path", path
    if isinstance(value, types.FunctionType):
        cells = [encode(torch, c.cell_contents) for c in value.__closure__ or ()]
        names = {n: encode(torch, value.__globals__[n]) for n in names_in(value.__code__) if n in value.__globals__}
        return "function", marshal.dumps(value.__code__), encode(torch, value.__defaults__), encode(torch, value.__kwdefaults__), cells, names
    raise Unsupported(f"a {type(value).__name__}")


def names_in(code):
    """The global names in a function's code and in the functions within it."""
    return set(code.co_names).union(*(names_in(c) for c in code.co_consts if isinstance(c, types.CodeType)))


def path_of(torch, value):
    """Where an importing program finds a function, class or module; None if nowhere."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, torch._ops.OpOverload):
        return f"torch.ops.{value}"
    for place in ("torch", "torch.nn.functional"):      # public names of functions of torch._C
        for name, found in vars(locate(torch, place)).items():
            if found is value and not name.startswith("_"):
                return f"{place}.{name}"
    name = getattr(value, "__name__", "")
    places = ["torch", "torch.Tensor", "torch.nn.functional", "torch.nn", "torch.linalg", "torch.fft", "torch.special",
              "torch.masked", "torch.signal.windows", "torch.sparse", "torch.ops.aten", getattr(value, "__module__", None) or "torch"]
    for place in places:
        prefix = place.rpartition(".")[2] + "_"     # torch.linalg.inv is named linalg_inv
        for short in dict.fromkeys((name, name.removeprefix(prefix))):
            try:
                found = pydoc.locate(f"{place}.{short}") if short else None
            except pydoc.ErrorDuringImport:
                continue
            if found is value and not place.startswith("torch.testing"):
                return f"{place}.{short}"
    return None


def locate(torch, path):
    """The module, function or class of a path, with `torch` for PyTorch."""
    head, _, rest = path.partition(".")
    found = torch if head == "torch" else importlib.import_module(head)
    for part in rest.split(".") if rest else []:
        found = getattr(found, part)
    return found


def call_seeded(function, *args, **kwargs):
    """Calls a function of random results, as the database's wrapper_set_seed, without a seed of its own."""
    return function(*args, **kwargs)


def decode(torch, value):
    """The value of a record, with the tensors of `torch`."""
    kind, *rest = value
    if kind == "tensor":
        dtype, array, strides, requires_grad = rest
        t = torch.from_numpy(array.copy())
        if dtype == "bfloat16":
            t = t.view(torch.bfloat16)
        if strides and all(step > 0 or size < 2 for size, step in zip(array.shape, strides)):
            t = torch.empty_strided(array.shape, strides, dtype=t.dtype).copy_(t)
        return t.requires_grad_(requires_grad)
    if kind == "plain":
        return rest[0]
    if kind == "named":
        return getattr(torch, rest[0])
    if kind == "device":
        return torch.device(rest[0])
    if kind == "dict":
        return {k: decode(torch, v) for k, v in rest[0].items()}
    if kind == "seeded":
        return call_seeded
    if kind == "path":
        return locate(torch, rest[0])
    if kind == "partial":
        function, args, keywords = (decode(torch, v) for v in rest)
        return functools.partial(function, *args, **keywords)
    if kind == "function":
        code, defaults, keywords, cells, names = rest
        names = {n: decode(torch, v) for n, v in names.items()} | {"__builtins__": __builtins__}
        cells = tuple(types.CellType(decode(torch, c)) for c in cells)
        made = types.FunctionType(marshal.loads(code), names, "recorded", decode(torch, defaults), cells)
        made.__kwdefaults__ = decode(torch, keywords)
        return made
    items = [decode(torch, v) for v in rest[0]]
    return items if kind == "list" else torch.Size(items) if kind == "size" else tuple(items)


def tensors_in(torch, value):
    """All tensors of a nested value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [t for v in value for t in tensors_in(torch, v)]


def call(torch, recorded, arguments, gradients, seed=0):
    """The result of an operator, and the gradients of its inputs or None."""
    op, process, wrapper = decode(torch, recorded)
    torch.manual_seed(seed)
    first, args, kwargs = decode(torch, arguments)
    leaves = [t for t in tensors_in(torch, (first, args, kwargs)) if t.requires_grad]
    result = wrapper(op, first, *args, **kwargs) if gradients else op(first, *args, **kwargs)
    result = process(result) if process else result
    if not gradients:
        return result, None
    ends = [t for t in tensors_in(torch, result) if t.requires_grad]
    if not ends or not leaves:
        return result, None
    weights = []
    for k, t in enumerate(ends):
        w = torch.sin(torch.arange(t.numel(), dtype=torch.float64) * 0.7 + k + 1).reshape(t.shape)
        weights.append(w.to(t.dtype))
    return result, torch.autograd.grad(ends, leaves, weights, allow_unused=True)


def database():
    from torch.testing._internal.common_methods_invocations import op_db
    return {op.name + (f".{op.variant_test_name}" if op.variant_test_name else ""): op
            for op in op_db if not OUT_OF_SCOPE.search(op.name)}


def samples(torch, op, dtype, most):
    """The samples of an operator in one dtype."""
    torch.manual_seed(0)
    found = op.sample_inputs("cpu", getattr(torch, dtype), requires_grad=dtype == GRADIENTS and op.supports_autograd)
    return itertools.islice(found, most)


def process_of(sample):
    """The function that makes results unique (signs of eigenvectors), or None."""
    function = sample.output_process_fn_grad
    try:
        return None if function("unchanged") == "unchanged" else function
    except Exception:  # not a function of a text
        return function


def tolerance_of(op, dtype):
    """The largest tolerance of the entry, absolute and relative."""
    found = [TOLERANCES.get(dtype, (0, 0))]
    for decorator in op.decorators:
        for one in getattr(decorator, "decorators", [decorator]):
            for key, bounds in getattr(one, "d", {}).items():
                if name_of(key) == dtype and getattr(decorator, "device_type", None) in (None, "cpu"):
                    found.append((bounds.atol, bounds.rtol) if hasattr(bounds, "atol") else (bounds, 0))
    return tuple(map(max, zip(*found)))


def record_operator(torch, op, most):
    """The calls of one operator, and the reasons for samples that are left out."""
    calls, left_out = [], collections.Counter()
    for dtype in DTYPES:
        if getattr(torch, dtype) not in op.dtypes:
            continue
        for sample in samples(torch, op, dtype, most):
            try:
                functions = encode(torch, (op.op, process_of(sample), op.gradcheck_wrapper))
                arguments = encode(torch, (sample.input, tuple(sample.args), sample.kwargs))
                first = call(torch, functions, arguments, dtype == GRADIENTS)
                result, gradients = (encode(torch, v) for v in first)
                again = encode(torch, call(torch, functions, arguments, False, seed=1)[0])
            except Exception as e:  # a sample that PyTorch refuses
                left_out[f"{type(e).__name__}: {str(e).strip().partition(chr(10))[0]}"[:120]] += 1
                continue
            calls.append({"dtype": dtype, "functions": functions, "arguments": arguments, "result": result, "gradients": gradients,
                          "random": "empty" in op.name or differences(again, result, {}) != [],
                          "unstable": bool(UNSTABLE.search(op.name)) and not sample.kwargs.get("stable")})
    return {"calls": calls, "tolerances": {d: tolerance_of(op, d) for d in TOLERANCES}, "left out": left_out}


def record(options):
    import torch
    warnings.simplefilter("ignore")
    os.makedirs(options.folder, exist_ok=True)
    for name, op in database().items():
        if re.search(options.only, name):
            recorded = record_operator(torch, op, options.most)
            with open(os.path.join(options.folder, f"{name}.pickle"), "wb") as file:
                pickle.dump(recorded, file)
            print(name, len(recorded["calls"]), dict(recorded["left out"]) or "", flush=True)


def differences(got, want, tolerances, values=True, at="result"):
    """The first difference of two encoded values, as a list."""
    if want[0] in ("list", "tuple", "size", "dict"):
        if got[0] in ("list", "tuple", "size", "dict"):
            a, b = (list(v[1].values()) if v[0] == "dict" else v[1] for v in (got, want))
            if len(a) == len(b):
                parts = (differences(x, y, tolerances, values, f"{at}[{k}]") for k, (x, y) in enumerate(zip(a, b)))
                return next((p for p in parts if p), [])
        return [f"{at}: {got[0]} in place of {want[0]}"]
    if want[0] != "tensor" or got[0] != "tensor":
        same = got[0] == want[0] and (not values or same_plain(got[1], want[1]))
        return [] if same else [f"{at}: {str(got[1])[:60]} in place of {str(want[1])[:60]}"]
    _, dtype, a, _, _ = got
    _, wanted, b, _, _ = want
    if dtype != wanted or a.shape != b.shape:
        return [f"{at}: {dtype} {a.shape} in place of {wanted} {b.shape}"]
    if not values or a.size == 0:
        return []
    if wanted == "bfloat16":
        a, b = ((x.astype(numpy.int32) << 16).view(numpy.float32) for x in (a, b))
    atol, rtol = tolerances.get(wanted, (0, 0))
    if rtol:    # summands of an element may cancel
        atol = max(atol, rtol / 10 * float(abs(b[numpy.isfinite(b)]).max(initial=0)))
    near = numpy.isclose(a, b, rtol, atol, equal_nan=True) if b.dtype.kind in "fc" else a == b
    if near.all():
        return []
    where = numpy.unravel_index(numpy.argmin(near), near.shape)
    return [f"{at}: {a[where]!r} in place of {b[where]!r} at {tuple(map(int, where))} of {a.shape}, {(~near).sum()} differ"]


def same_plain(a, b):
    if isinstance(b, (float, complex)) and isinstance(a, (int, float, complex)):
        return bool(numpy.isclose(a, b, 1e-6, 1e-7, equal_nan=True))
    return a == b


def without_indices(value):
    """The result of a sort, with zeros as indices."""
    if value[0] == "tensor":
        return (*value[:2], numpy.zeros_like(value[2]), *value[3:])
    return value[0], [*value[1][:1], *map(without_indices, value[1][1:])]


def without_none(gradients, inputs):
    """Gradients in which None, of an input without influence, is zeros."""
    return [("tensor", i[1], numpy.zeros_like(i[2]), None, False) if g[:2] == ("plain", None) else g for g, i in zip(gradients, inputs)]


def leaves_of(value):
    if value[0] == "tensor":
        return [value] if value[4] else []
    if value[0] in ("list", "tuple", "size", "dict"):
        return [t for v in (value[1].values() if value[0] == "dict" else value[1]) for t in leaves_of(v)]
    return []


def replay_operator(torch, recorded):
    """{"values": reason or None, "gradients": the same} of one operator."""
    found = {"values": None, "gradients": None}
    for one in recorded["calls"]:
        functions, arguments, random = one["functions"], one["arguments"], one["random"]
        part = "values"
        try:
            result, _ = call(torch, functions, arguments, False)
            got, want = encode(torch, result), one["result"]
            if one["unstable"]:
                got, want = without_indices(got), without_indices(want)
            wrong = differences(got, want, recorded["tolerances"], not random)
            if not wrong and one["gradients"][0] == "tuple" and not random:
                part = "gradients"
                gradients = call(torch, functions, arguments, True)[1]
                inputs = leaves_of(arguments)
                got = without_none(encode(torch, gradients)[1], inputs) if gradients else []
                want = without_none(one["gradients"][1], inputs)
                wrong = differences(("tuple", got), ("tuple", want), recorded["tolerances"], at="gradient")
        except Exception as e:
            wrong = [f"{type(e).__name__}: {str(e).strip().partition(chr(10))[0]}"]
        if wrong and not found[part]:
            found[part] = f"{wrong[0][:200]}    <- {one['dtype']}: {described(arguments)[:300]}"
    return found


def described(value):
    """A short text of arguments."""
    kind, *rest = value
    if kind == "tensor":
        return f"{rest[0]}{list(rest[1].shape)}"
    if kind in ("list", "tuple", "size"):
        return "(" + ", ".join(described(v) for v in rest[0]) + ")"
    if kind == "dict":
        return "{" + ", ".join(f"{k}={described(v)}" for k, v in rest[0].items()) + "}"
    return str(rest[0])


def child(job_file):
    with open(job_file, encoding="utf-8") as file:
        job = json.load(file)
    import torch_np
    warnings.simplefilter("ignore")
    recorder = Recorder(job)
    for name in job["todo"]:
        recorder.log("start", name)
        with open(os.path.join(job["folder"], f"{name}.pickle"), "rb") as file:
            recorded = pickle.load(file)
        recorder.log("end", name, "ran", replay_operator(torch_np, recorded))
    recorder.log("done")
    os._exit(0)


def replay(options):
    names = sorted(f.removesuffix(".pickle") for f in os.listdir(options.folder) if f.endswith(".pickle"))
    names = [n for n in names if re.search(options.only, n)]
    parts = [names[k::options.jobs] for k in range(options.jobs)]
    results = {}
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def run_part(part):
            def run(attempt, todo, seconds):
                return run_child(directory, f"{parts.index(part)}_{attempt}", seconds, folder=os.path.abspath(options.folder),
                                 todo=todo, test_timeout=300)
            found, left, died, _ = run_with_restarts(run, part, 3600, 100)
            return found | {name: ("crashed", died or "not run") for name in left}
        for found in pool.map(run_part, [p for p in parts if p]):
            results |= found
    results = {name: message if outcome == "ran" else {"values": f"{outcome}: {message}"} for name, (outcome, message) in results.items()}
    for part in ("values", "gradients"):
        print(f"== {part}")
        for name in names:
            if results[name].get(part):
                print(f"{name}: {results[name][part]}")
    values = [n for n in names if not results[n].get("values")]
    both = [n for n in values if not results[n].get("gradients")]
    print(f"{len(names)} operators: {len(values)} right in values, {len(both)} in values and gradients")
    return 0


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", help="of the records")
    parser.add_argument("--record", action="store_true", help="record with PyTorch")
    parser.add_argument("--only", metavar="REGEX", default="", help="only operators whose name matches")
    parser.add_argument("--most", type=int, default=60, metavar="N", help="samples of each operator and dtype that are recorded")
    parser.add_argument("--jobs", type=int, default=2, help="processes that run at the same time")
    options = parser.parse_args()
    return record(options) if options.record else replay(options)


if __name__ == "__main__":
    sys.exit(main())
