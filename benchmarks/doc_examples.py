"""Runs the examples in the docstrings of NumPy or PyTorch on that library and on torch_np, in turns
in one process: times, results and errors.

    python benchmarks/doc_examples.py numpy|torch [--only TEXT] [--ms 1] [--top 60] [--json OUT]

The docstring of each public function is a small session. Each of its expressions runs on both
libraries. Results are compared by their repr, with numbers to three digits; the time is the minimum
of at least five rounds of --ms milliseconds. Examples about files, GPUs, pictures and processes are
left out. Printed are the slowest examples, those that raise an exception on ours only, those with
another repr, and the geometric mean of our time over the other library's.
"""
import argparse
import ast
import contextlib
import doctest
import importlib
import inspect
import io
import json
import math
import os
import re
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

NUMPY_SPACES = """. linalg fft random ndarray lib.stride_tricks random.Generator random.RandomState polynomial.polynomial ma char
testing""".split()
TORCH_SPACES = """. Tensor linalg fft special nn.functional nn nn.init nn.utils nn.utils.rnn autograd autograd.functional func
distributions optim utils.data sparse signal.windows""".split()
LEFT_OUT = re.compile(r"cuda|plt\.|matplotlib|xla|mps|input\(|sleep|\.show|download|distributed|save\(|os\.|open\(|subprocess|multiprocess"
                      r"|set_printoptions|seterr|set_default")
# An expression that changes its operands runs once.
CHANGES = re.compile(r"\.(append|pop|send|close|step|backward|release|start|write|read|seek|next|share_memory)\b"
                     r"|^next\(|_\(|resize|__next__|run\(")
NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
IMPORTS = re.compile(r"\bimport torch\b.*|\bimport numpy as np\b")
SECONDS = 10  # of one execution
ROUNDS, MORE_ROUNDS = 5, 40


class Late(Exception):
    """An example takes too long."""


class Library:
    """One of the two libraries, `module`, and the names that its examples use."""

    def __init__(self, module, which):
        self.module, self.which = module, which

    def names(self):
        found = {"__name__": "example"}
        if self.which == "numpy":
            return found | {"np": self.module, "numpy": self.module}
        numpy = importlib.import_module("numpy")
        return found | {"torch": self.module, "nn": self.module.nn, "F": self.module.nn.functional, "np": numpy, "numpy": numpy}

    def seed(self):
        if self.which == "numpy":
            self.module.random.seed(1)
        else:
            self.module.manual_seed(1)

    def source(self, text):
        """The text, with imports from the library."""
        return re.sub(rf"\bfrom {self.which}\b|\bimport {self.which}(?=\.\S+ as\b)", lambda m: f"{m[0].split()[0]} {self.module.__name__}", text)

    def run(self, code, names):
        """The value of the code and its exception; one of the two is None."""
        self.seed()
        signal.alarm(SECONDS)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return eval(code, names), None
        except (Exception, SystemExit) as e:
            return None, e
        finally:
            signal.alarm(0)


def libraries(which):
    """The library of the examples, and ours."""
    theirs = importlib.import_module(which)
    if which == "torch":
        importlib.import_module("torch.nn.utils.rnn")
    ours = importlib.import_module("torch_np.numpy" if which == "numpy" else "torch_np")
    return Library(theirs, which), Library(ours, which)


def docstrings(which, library, only):
    """(name, docstring) of each public object whose docstring has examples."""
    seen = set()
    for space in NUMPY_SPACES if which == "numpy" else TORCH_SPACES:
        owner = library.module
        for part in space.split(".") if space != "." else []:
            owner = getattr(owner, part)
        prefix = ("np" if which == "numpy" else "torch") + ("" if space == "." else f".{space}")
        for name in sorted(n for n in getattr(owner, "__all__", None) or dir(owner) if not n.startswith("_")):
            value = getattr(owner, name, None)
            doc = getattr(value, "__doc__", None)
            if inspect.ismodule(value) or not isinstance(doc, str) or ">>>" not in doc or id(doc) in seen or only not in f"{prefix}.{name}":
                continue
            seen.add(id(doc))
            yield f"{prefix}.{name}", inspect.cleandoc(doc)


def canonical(value):
    """The repr of a value, without spaces and our names, with numbers to three digits."""
    text = repr(value).replace("torch_np.numpy", "numpy").replace("torch_np", "torch")
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = NUMBER.sub(lambda m: f"{float(m.group()):.3g}" if re.search("[.e]", m.group()) else m.group(), text)
    return re.sub(r"\s+", "", text)


def seconds(code, names, ms):
    """Seconds of one evaluation, the mean of so many that they take `ms` milliseconds."""
    n = 1
    while True:
        begin = time.perf_counter()
        for _ in range(n):
            eval(code, names)
        duration = time.perf_counter() - begin
        if duration * 1e3 >= ms or n >= 4096:
            return duration / n
        n = min(4096, max(n * 2, int(n * ms / max(duration * 1e3, 1e-4)) + 1))


def minimum_times(codes, names, ms):
    """The minimum seconds of each library, in turns; None if an evaluation raises. An example that
    is slower on ours has more rounds, since other processes may have slowed the first ones."""
    best = [math.inf, math.inf]
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for k in range(ROUNDS + MORE_ROUNDS):
                if k >= ROUNDS and best[1] <= best[0]:
                    break
                for library in range(2):
                    best[library] = min(best[library], seconds(codes[library], names[library], ms))
    except Late:
        return best if math.isfinite(best[1]) else None
    except Exception:
        return None
    finally:
        signal.alarm(0)
    return best


def first_line(error):
    return f"{type(error).__name__}: {error}".replace("\n", " ; ")[:160]


def run_example(row, text, both, names, ms):
    """Runs one example on both libraries. Returns its row, or None if it says nothing."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    is_expression = len(body) == 1 and isinstance(body[0], ast.Expr)
    sources = [library.source(text) for library in both]
    codes = [compile(s.strip(), "example", "eval" if is_expression else "exec") for s in sources]
    (theirs, their_error), (ours, our_error) = (b.run(c, n) for b, c, n in zip(both, codes, names))
    if their_error:
        return None
    if our_error:
        return row | {"error": first_line(our_error)}
    if is_expression:
        texts = canonical(theirs), canonical(ours)
        row["same"] = texts[0] == texts[1]
        if not row["same"]:
            row["texts"] = [t[:150] for t in texts]
    elif len(body) == 1 and isinstance(body[0], ast.Assign):  # its right side is timed
        codes = [compile(ast.Expression(ast.parse(s.strip()).body[0].value), "example", "eval") for s in sources]
    else:
        return None
    if not CHANGES.search(text):
        times = minimum_times(codes, names, ms)
        if times:
            row |= {"theirs": times[0], "ours": times[1], "ratio": times[1] / times[0]}
    return row


def run_examples(which, only, ms):
    both = libraries(which)
    parser = doctest.DocTestParser()
    for name, doc in docstrings(which, both[0], only):
        try:
            examples = parser.get_examples(doc)
        except ValueError:
            continue
        names = [library.names() for library in both]
        for example in examples:
            text = IMPORTS.sub("pass", example.source)
            if not LEFT_OUT.search(text):
                row = run_example({"function": name, "example": text.strip()[:140].replace("\n", " ; ")}, text, both, names, ms)
                if row:
                    yield row


def report(rows, top):
    timed = sorted((r for r in rows if "ratio" in r), key=lambda r: -r["ratio"])
    errors, others = ([r for r in rows if test(r)] for test in (lambda r: "error" in r, lambda r: r.get("same") is False))
    print("== slowest")
    for r in timed[:top]:
        print(f"{r['ratio']:7.2f} {r['theirs'] * 1e6:9.2f} {r['ours'] * 1e6:9.2f} us  {r['function']}: {r['example']}")
    print("== raise on ours only")
    for r in errors:
        print(f"{r['function']}: {r['example']} -> {r['error']}")
    print("== another repr")
    for r in others:
        print(f"{r['function']}: {r['example']}\n      {r['texts'][0]}\n      {r['texts'][1]}")
    mean = math.exp(sum(math.log(r["ratio"]) for r in timed) / max(1, len(timed)))
    above = ", ".join(f"above {bound}: {sum(r['ratio'] > bound for r in timed)}" for bound in (1, 1.2, 2, 5))
    print(f"{len(rows)} examples; {len(errors)} raise on ours only; {len(others)} have another repr; {len(timed)} timed, "
          f"geometric mean of our time over theirs {mean:.3f}; {above}")


def late(*_):
    raise Late(f"takes more than {SECONDS} seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["numpy", "torch"])
    parser.add_argument("--only", default="", help="only functions whose name contains this")
    parser.add_argument("--ms", type=float, default=1.0, help="milliseconds of one measurement")
    parser.add_argument("--top", type=int, default=60, help="number of slowest examples that are printed")
    parser.add_argument("--json", help="write all rows")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, late)
    path = os.path.abspath(options.json) if options.json else None
    os.chdir(tempfile.mkdtemp())  # some examples write files
    rows = list(run_examples(options.which, options.only, options.ms))
    report(rows, options.top)
    if path:
        Path(path).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
