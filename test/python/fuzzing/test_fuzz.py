"""A short run of the fuzzer (test/fuzz, docs/testing.md), with the same cases each time. `make
fuzz` runs for minutes or hours."""
import os
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.same_on_devices("the fuzzer's processes compute on the CPU")

TESTS = pathlib.Path(__file__).parents[2]
CASES = {"hostile": 4000, "numpy": 1500, "tensor": 1500, "gradients": 800, "programs": 300, "compiled": 1500}


@pytest.mark.slow("thousands of cases")
@pytest.mark.parametrize("part", CASES)
def test_a_short_run_finds_nothing(part):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", "fuzz", "--part", part, "--calls", str(CASES[part]), "--jobs", "1"],
                          env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.mark.slow("two processes make all parts of the fuzzer")
def test_a_case_is_the_same_in_every_process():
    code = "from fuzz.parts import PARTS, make_part\nprint([str(part.case(3, n)) for part in map(make_part, PARTS) for n in (0, 77, 100003)])"
    texts = {subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True,
                            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])}).stdout
             for seed in ("1", "2")}
    assert len(texts) == 1
