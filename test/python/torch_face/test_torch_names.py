"""PyTorch's public names: the number of right ones (test/conformance/torch_coverage.py), and that
each right one is tested."""
import json
import pathlib
import subprocess
import sys

import pytest
import torch_names

TESTS = pathlib.Path(__file__).resolve().parents[1]
# Minimum numbers of right names; raise them after additions.
FLOOR = 1595
# Prefixes of names that golden cases cannot cover, and the tests that do.
ELSEWHERE = {
    "torch.utils.data.": "test_data.py", "torch.save": "test_torch_files.py", "torch.load": "test_torch_files.py",
    "torch.compile": "test_torch_functions.py", "torch.from_file": "test_torch_functions.py", "torch.set_printoptions": "test_torch_functions.py",
    "torch.Tensor.chalf": "test_torch_functions.py", "torch.set_num_threads": "test_threads.py", "torch.manual_seed": "test_random.py",
    "torch.set_float32_matmul_precision": "test_matmul_precision.py", "torch.get_float32_matmul_precision": "test_matmul_precision.py",
    "torch.Tensor.pin_memory": "test_cuda.py", "torch.Tensor.record_stream": "test_cuda.py", "torch.Tensor.cuda": "test_cuda.py",
    "torch.lobpcg": "test_lobpcg.py",
}


def elsewhere(name):
    return next((test for start, test in ELSEWHERE.items() if name == start or start.endswith(".") and name.startswith(start)), None)


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    out = tmp_path_factory.mktemp("names") / "names.json"
    subprocess.run([sys.executable, str(TESTS.parent / "conformance" / "torch_coverage.py"), "--json", str(out)], check=True, capture_output=True)
    states = json.loads(out.read_text())
    assert set(states) == set(torch_names.in_scope())
    return {name for name, state in states.items() if state == "right"}


def test_names_do_not_get_fewer(right):
    assert len(right) >= FLOOR


def test_every_right_name_is_in_a_case_or_has_a_test(right):
    full, attributes = torch_names.words()
    without = {n for n in right if not torch_names.occurs(n, full, attributes) and not elsewhere(n)}
    assert not without, "names without a golden case; write one"


@pytest.mark.parametrize("name, test", ELSEWHERE.items())
def test_tests_that_are_named_have_the_name(name, test):
    (path,) = TESTS.glob(f"*/{test}")
    text = path.read_text()
    assert name.removesuffix(".").rpartition(".")[2] in text
