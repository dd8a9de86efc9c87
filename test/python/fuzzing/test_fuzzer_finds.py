"""The fuzzer detects the defects that it is meant for: crashes, hangs, SystemErrors, wrong values,
wrong gradients."""
import json
import os
import pathlib
import subprocess
import sys
from collections import Counter

import pytest

TESTS = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(TESTS))

from fuzz import bounds  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("breaks the library in its own processes"),
              pytest.mark.same_when_pending("breaks the library in its own processes")]

# Reads cases as lines of JSON, and prints the kind of each finding. Each case runs in its own fork,
# since `prepare` breaks the library.
PROGRAM = """
import json, os, sys
import numpy, torch_np, torch_np.numpy as np
from fuzz import children, hostile, against_numpy, gradients
from fuzz.cases import Call, Case
children.CPU_SECONDS = 1
parts = {}
for line in sys.stdin:
    part, function, arguments, setup, prepare = json.loads(line)
    made = parts.get(part) or parts.setdefault(part, eval(part)())
    if (child := os.fork()) == 0:
        exec(prepare)
        case = Case(tuple(setup), Call(function, tuple((None, a) for a in arguments)), "subject")
        finding = children.run_one(made, case)
        print(finding.kind if finding else None, flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        print("the fuzzer ended", flush=True)
"""


@pytest.fixture(scope="module")
def kind_of():
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", PROGRAM], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])}) as process:
        def kind_of(part, function, *arguments, setup=(), prepare="pass"):
            print(json.dumps([part, function, arguments, setup, prepare]), file=process.stdin, flush=True)
            return process.stdout.readline().strip()

        yield kind_of
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.parametrize(("function", "arguments", "kind"), [
    ("ctypes.string_at", ["0"], "SIGSEGV"),
    ("operator.methodcaller('abort')", ["__import__('os')"], "SIGABRT"),
    ("exec", ["'while True: pass'"], "hang"),
    ("exec", ["'raise SystemError(5)'"], "SystemError"),
    ("np.add", ["1", "2"], "None"),
])
def test_hostile_part(kind_of, function, arguments, kind):
    assert kind_of("hostile.Hostile", function, *arguments) == kind


@pytest.mark.parametrize(("wrong", "kind"), [
    ("np.sin = lambda x: np.cos(x)", "value"),
    ("np.sin = lambda x: np.asarray(numpy.sin(numpy.asarray(x)).astype('f4'))", "dtype"),
    ("np.sin = lambda x: np.asarray(numpy.sin(numpy.asarray(x)))[None]", "shape"),
    ("np.sin = lambda x: 1 / 0", "refused"),
    ("pass", "None"),
])
def test_numpy_part(kind_of, wrong, kind):
    assert kind_of("against_numpy.AgainstNumPy", "np.sin", "a", setup=["a = np.array([1.0, 2.0])"], prepare=wrong) == kind


@pytest.mark.parametrize(("wrong", "kind"), [
    ("old = np.sin; np.sin = lambda x: old(x._detach()) + x * 0 if isinstance(x, np.ndarray) else numpy.sin(x)", "gradient"),
    ("old = np.sin; np.sin = lambda x: old(x._detach()) if isinstance(x, np.ndarray) else numpy.sin(x)", "gradient"),
    ("pass", "None"),
])
def test_gradient_part(kind_of, wrong, kind):
    assert kind_of("gradients.Gradients", "np.sin", "a", setup=["a = leaf(0, [1.0, 2.0])"], prepare=wrong) == kind


@pytest.mark.parametrize(("call", "kind"), [
    ("np.sqrt", "None"),  # inf - inf
    ("(lambda x: np.where(x == 0, x, np.log(x * x + 1) / x))", "not a number"),
])
def test_gradient_part_knows_nan_of_infinite_derivatives(kind_of, call, kind):
    assert kind_of("gradients.Gradients", call, "v", setup=["a = leaf(0, [1.0, 2.0])", "v = a - a"]) == kind


@pytest.mark.parametrize(("wrong", "kind"), [
    ("pass", "None"),
    ("np.quantile = lambda x, q: np.array(1.0)", "value"),
    ("np.quantile = lambda x, q: np.array(numpy.inf)", "value"),
])
def test_numpy_part_knows_quantiles_beside_infinity(kind_of, wrong, kind):
    assert kind_of("against_numpy.AgainstNumPy", "np.quantile", "a", "0.5", setup=["a = np.array([1.0, 2.0, inf])"], prepare=wrong) == kind


def test_a_reason_that_explains_too_much_is_a_finding():
    measured = bounds.read("# comment\nnumpy 100.0 a reason of some words\n")
    assert measured == {("numpy", "a reason of some words"): 100.0}
    for count, rare, found in ((10, 0, []), (29, 0, ["a reason of some words"]), (10, 9, ["of another part"])):
        words = Counter({"explained: a reason of some words": count, "explained: of another part": rare, "returned": 10_000 - count - rare})
        assert [reason for _, reason, *_ in bounds.exceeded({"numpy": words}, measured)] == found
    assert all(rate > bounds.RARE for rate in bounds.read().values())
