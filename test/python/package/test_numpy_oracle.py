"""A failure report names the NumPy version of the comparison, and the processor."""
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from numpy._core._multiarray_umath import __cpu_baseline__

import numpy_oracle
from tools import processor

pytestmark = [pytest.mark.same_on_devices("NumPy alone"), pytest.mark.same_when_pending("NumPy alone")]

TESTS = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("result", ["passes", "fails", "breaks"])
def test_the_summary_of_a_failure_names_what_was_compared_with(tmp_path, result):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n@pytest.fixture\ndef broken():\n    raise ValueError\n"
        f"def test_it({'broken' if result == 'breaks' else ''}):\n    assert {result != 'fails'}\n")
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", tmp_path], cwd=tmp_path, env=env,
                          capture_output=True, text=True)
    assert done.returncode == (result != "passes"), done.stdout + done.stderr
    for text in (f"NumPy {numpy.__version__}: baseline {' '.join(__cpu_baseline__)}", f"processor: {processor.line(processor.describe())}"):
        assert (text in done.stdout) == (result != "passes"), done.stdout


def test_everything_beyond_the_baseline_can_be_disabled():
    code = "import numpy_oracle; assert numpy_oracle.beyond_baseline() == [], numpy_oracle.beyond_baseline()"
    # also those disabled for this run
    disabled = [os.environ.get("NPY_DISABLE_CPU_FEATURES", ""), *numpy_oracle.beyond_baseline()]
    env = os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(disabled), "PYTHONPATH": str(TESTS / "support")}
    subprocess.run([sys.executable, "-W", "error", "-c", code], env=env, check=True)
