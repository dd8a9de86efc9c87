"""Test runs: the selection of second passes, the check of their marks, the list of slow tests, and the table of minutes."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TESTS = ROOT / "test" / "python"
sys.path.insert(0, str(ROOT))   # the tools are not part of the package

from tools import test_times  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]


def run(folder, text, *options, **environment):
    """The output of pytest for a file with this text, with the conftest of these tests."""
    (folder / "test_it.py").write_text("import pytest\nimport torch_np.numpy as np\n" + text)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "TORCH_NP_FUSION"))}
    env |= {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), **environment}
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-v", *options, folder], cwd=folder, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


CASES = '''
@pytest.mark.parametrize("layout", ["c", "f", "strided"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_each(dtype, layout): pass

@pytest.mark.every_combination("small")
@pytest.mark.parametrize("b", "xy")
@pytest.mark.parametrize("a", "xy")
def test_all(a, b): pass

@pytest.mark.same_when_pending("numbers")
def test_numbers(): pass

def test_one(): pass
'''


def test_second_passes_have_each_value_and_not_each_combination(tmp_path):
    found = run(tmp_path, CASES, "--second-pass", TORCH_NP_FUSION="always")
    cases = [line.partition("[")[2].partition("]")[0] for line in found.splitlines() if "::test_each[" in line]
    assert {c.partition("-")[0] for c in cases} == {"f4", "f8", "i4", "i8"} and {c.partition("-")[2] for c in cases} == {"c", "f", "strided"}
    assert 4 <= len(cases) < 12
    assert found.count("::test_all[") == 4 and "::test_one" in found and "::test_numbers" not in found
    assert f"{len(cases) + 5} passed" in found and "deselected" in found


def test_all_run_else(tmp_path):
    assert "18 passed" in run(tmp_path, CASES, TORCH_NP_FUSION="always")
    assert "this would be the first" in run(tmp_path, CASES, "--second-pass")


def test_a_mark_that_is_not_true_is_found_where_everything_runs(tmp_path):
    wrong = '@pytest.mark.same_when_pending("but see")\ndef test_wrong(): assert (np.ones(3) + 1).sum() == 6\n'
    assert "is marked same_when_pending, but not: records no pending result" in run(tmp_path, wrong, TORCH_NP_FUSION="always")
    assert "1 passed" in run(tmp_path, wrong)


def test_tests_that_take_long_say_why(tmp_path):
    text = 'import conftest, time\nconftest.SLOW = 0.2\ndef test_a(): time.sleep(0.3)\n@pytest.mark.slow("waits")\ndef test_b(): time.sleep(0.3)\n'
    listed = run(tmp_path, text).partition("and no slow(reason)")[2]
    assert "::test_a" in listed and "::test_b" not in listed


def test_the_table_of_minutes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(test_times, "FILE", tmp_path / "build" / "times.json")
    assert test_times.main(["run", "quick", sys.executable, "-c", ""]) == 0
    assert test_times.main(["run", "fails", sys.executable, "-c", "raise SystemExit(3)"]) == 3
    assert list(json.loads(test_times.FILE.read_text())) == ["quick"]
    assert test_times.main(["table"]) == 0 and "| `quick` | 0." in capsys.readouterr().out
    page = f"before\n{test_times.BEGIN}old\n{test_times.END}after\n"
    assert test_times.written(page, "| new |\n") == f"before\n{test_times.BEGIN}| new |\n{test_times.END}after\n"
    assert test_times.BEGIN in test_times.PAGE.read_text()
    assert test_times.main(["begin"]) == 0 and test_times.parts() == {} and test_times.main([]) == 2
    capsys.readouterr()
