"""Other libraries accept our arrays: makes each call of the tables in cases/, and the same call
with NumPy's arrays."""
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from libraries import tables
from libraries.case import DIFFERS, FAILS, SHARED, Case, problem

ROOT = Path(__file__).resolve().parents[2]
CASES = [(library.name, number, case) for library in tables.LIBRARIES for number, case in enumerate(library.cases())]


# Calls that fail or differ under the launcher, too.
STILL_FAIL = {
    "stats.pearsonr(x, y)", "stats.ttest_1samp(x, 0.0)", "stats.variation(pos)", "linear_model.Ridge(solver='svd').fit(X, t).coef_",
    "metrics.d2_tweedie_score(pos[:, 0], pos[:, 1])", "compat.is_numpy_array(x)", "pyarrow.Tensor.from_numpy(X)", "pyarrow.compute.sum(x)"}


@functools.cache
def problems(name, *launcher):
    """The problem of each call of a library, by its number."""
    library = tables.BY_NAME[name]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'test'}"}
    environment.pop("SCIPY_ARRAY_API", None)
    done = subprocess.run([sys.executable, *launcher, "-m", "libraries.run", name], capture_output=True, text=True, env=environment | library.environment)
    assert done.returncode == 0, done.stderr
    return {number: problem for _, number, problem in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name,number,case", CASES, ids=[f"{name}: {case.call}" for name, _, case in CASES])
def test_a_library_takes_our_arrays(name, number, case):
    package = tables.BY_NAME[name].package
    if tables.version(package) == "–":
        pytest.skip(f"{package} is not installed: make test-libraries installs requirements-libraries.txt")
    assert problems(name)[number] == ""


@pytest.mark.parametrize("name,number,case", CASES, ids=[f"{name}: {case.call}" for name, _, case in CASES])
def test_under_the_launcher(name, number, case):
    """The libraries in Python import torch_np.numpy, and the others see arrays of ours as NumPy's."""
    if tables.version(tables.BY_NAME[name].package) == "–":
        pytest.skip("it is not installed")
    found = problems(name, "-m", "torch_np", "--numpy", "--numpy-for", "libraries")[number]
    if case.kind not in (FAILS, DIFFERS):
        assert found == ""
    elif case.call in STILL_FAIL:
        assert not found.startswith("does not")
    else:
        assert found.startswith("does not")


def test_there_are_as_many_calls_as_the_page_says():
    assert len({(name, case.call) for name, _, case in CASES}) == len(CASES) >= 120
    assert len({library.package for library in tables.LIBRARIES}) >= 15


def test_the_page_says_what_the_calls_are():
    def without_versions(page):
        cells = [line.split(" | ") for line in page.splitlines()]
        return [c[:1] + c[2:] if c[0].startswith("| ") else c for c in cells]

    page = (ROOT / "docs" / "libraries.md").read_text()
    assert without_versions(page) == without_versions(tables.with_table(page))


def test_what_is_installed_for_these_tests_are_the_libraries_of_the_table():
    lines = [line for line in (ROOT / "requirements-libraries.txt").read_text().splitlines() if not line.startswith("#")]
    assert {line.partition("~=")[0] for line in lines} >= {library.package for library in tables.LIBRARIES}


@pytest.mark.parametrize("case,text", [
    (Case("", "", "numpy.asarray(x)", "arrays of ours"), "gives <class 'numpy.ndarray'>"),
    (Case("", "", "x.shape", "arrays of ours"), "gives no array of ours"),
    (Case("", "", "x * 1", "as of NumPy's arrays"), "gives <class 'torch_np.numpy.ndarray'>"),
    (Case("", "", "x * 1", SHARED, "x"), "copies x"),
    (Case("", "", "x * (1 + (np is not numpy))", "arrays of ours"), "instead of"),
    (Case("", "", "x[:len(x) - (np is not numpy)]", "arrays of ours"), "instead of"),
    (Case("", "", "np.asarray(x, dtype=('f8', 'f4')[np is not numpy])", "arrays of ours"), "instead of"),
    (Case("", "", "x[99]", "arrays of ours"), None),
    (Case("", "", "x[0]", FAILS, "IndexError"), "does not fail any more"),
    (Case("", "", "1 / (np is numpy)", FAILS, "IndexError"), "raises ZeroDivisionError"),
    (Case("", "", "x", "differs"), "does not differ any more"),
])
def test_the_checks_find_what_is_wrong(case, text):
    if text is None:
        with pytest.raises(IndexError):  # a call that also fails with NumPy's arrays does not test ours
            problem(case)
        return
    assert text in problem(case)
