"""Environment variables that turn off the devices that read what Python and NumPy do not document
(csrc/objects/switches.h). Results are the same to the last bit, and messages name less."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

from torch_np import _C

TESTS = pathlib.Path(__file__).parents[1]


def run(code, switch=None):
    environment = {name: value for name, value in os.environ.items() if name not in (row[0] for row in _C._switches())}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment | ({switch: "0"} if switch else {}))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_page_lists_the_switches():
    page = (TESTS.parents[1] / "docs" / "performance.md").read_text()
    rows = [f"| `{name}` | {does} | {reads} | {reason} | {without} |" for name, does, reads, reason, without in _C._switches()]
    assert "\n".join(rows) in page, "\n".join(rows)


EXPRESSIONS = """
import hashlib, json, numpy, torch_np, torch_np.numpy as np
torch_np.fusion.set_mode("off")
g, digests = numpy.random.default_rng(5), []
for dtype in ("f4", "f8", "i8", "c16"):
    a, b, c = (np.array((g.normal(size=50_000) * 100).astype(dtype)) for _ in range(3))
    def expressions():
        return [a * b + c - a, a - a * b, (a + b) * 3, 2 - (b - c), (a + 0) * (b + 0), abs(a - b), (np.sort(a) * b)[::-1] + c]
    expressions()
    before = torch_np.cpu.memory_stats()["allocations"]
    results = expressions()
    allocations = torch_np.cpu.memory_stats()["allocations"] - before
    digests += [hashlib.sha1(r.tobytes()).hexdigest() for r in results] + [hashlib.sha1(x.tobytes()).hexdigest() for x in (a, b, c)]
print(json.dumps([digests, allocations]))
"""


def test_results_without_temporary_elision():
    (digests, fewer), (same, more) = run(EXPRESSIONS), run(EXPRESSIONS, "TORCH_NP_TEMPORARY_ELISION")
    assert digests == same and fewer < more


DRAWS = """
import json, numpy, torch_np.numpy as np
from torch_np import _C
from torch_np.numpy.random._legacy import MT19937, RandomState

class Counting(numpy.random.RandomState):
    calls = 0
    def get_state(self, legacy=True):
        Counting.calls += 1
        return super().get_state(legacy)

theirs, ours, bits = Counting(5), RandomState.__new__(RandomState), MT19937.__new__(MT19937)
bits._generator, bits._seed_seq = _C._numpys_generator(theirs, Counting(1)), None
ours._bit_generator, ours._generator = bits, bits._generator
drawn = []
for i in range(4):
    for source in (ours, theirs):
        drawn += [source.standard_normal(), *source.standard_normal(3).tolist(), source.random_sample(), source.gamma(2.0), *source.randint(9, size=700).tolist()]
before = Counting.calls
ours.standard_normal()
print(json.dumps([[float(x) for x in drawn], Counting.calls - before]))
"""


def test_draws_without_numpys_memory():
    (drawn, calls), (same, more) = run(DRAWS), run(DRAWS, "TORCH_NP_GENERATOR_MEMORY")
    assert drawn == same and calls == 0 and more > 0


@pytest.mark.slow("a process of its own, in which each draw takes 1 ms")
def test_the_stream_is_shared_without_numpys_memory():
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS / "numpy_face" / "test_random_shared_stream.py"],
                          capture_output=True, text=True, env=os.environ | {"TORCH_NP_GENERATOR_MEMORY": "0"})
    assert done.returncode == 0, done.stdout


MESSAGES = """
import json, torch_np, torch_np.numpy as np
def message(call):
    try:
        call()
    except Exception as error:
        return str(error)
print(json.dumps([message(lambda: np.isclose(np.ones(2), np.ones(3))), message(lambda: torch_np.nn.Linear(2, 3)(torch_np.ones(5))),
                  message(lambda: np.add(np.ones(2), np.ones(3)))]))
"""


def test_messages_without_the_names_of_callers():
    for named, plain in zip(run(MESSAGES), run(MESSAGES, "TORCH_NP_CALLER_NAMES"), strict=True):
        assert named.endswith(plain), (named, plain)
    assert run(MESSAGES)[0].startswith("isclose(): ") and not run(MESSAGES, "TORCH_NP_CALLER_NAMES")[0].startswith("isclose")
