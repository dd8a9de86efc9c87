"""The cases of torch_cases/*.txt give PyTorch's results: values, dtypes, shapes, gradients,
exception classes (torch_golden.py)."""
import warnings

import pytest
import torch_golden

import torch_np

CASES = [case for area in torch_golden.areas() for case in torch_golden.load_cases(area)]
GOLDEN = {area: torch_golden.load_golden(area) for area in torch_golden.areas()}


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_gives_what_pytorch_gave(case, request):
    if ("cpu" in case.options or case.area == "autocast") and request.config.getoption("--device") != "cpu":
        pytest.skip("holds on the CPU only")
    expected = GOLDEN[case.area][case.text]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = case.run(torch_np)
    wrong = torch_golden.difference(case, expected, got)
    assert wrong is None, f"{case.text}\n    {wrong}"


def test_no_golden_value_without_its_case():
    for area in torch_golden.areas():
        assert {c.text for c in torch_golden.load_cases(area)} == set(GOLDEN[area]), area


def test_another_value_would_be_noticed():
    case = torch_golden.Case("0", 0, "none")
    tensor = {"tensor": "float32", "shape": [2], "data": [1.0, 2.0]}
    for other in ({**tensor, "data": [1.0, 2.001]}, {**tensor, "tensor": "float64"}, {**tensor, "shape": [1, 2]}, {"float": 1.0},
                  {"raises": "ValueError", "says": ""}, [tensor], None, {**tensor, "data": [1.0, float("nan")]}):
        assert torch_golden.difference(case, tensor, other)
    assert torch_golden.difference(case, {"raises": "RuntimeError", "says": ""}, {"raises": "ValueError", "says": ""})
    assert torch_golden.difference(case, tensor, dict(tensor)) is None


def test_malformed_calls_all_raise():
    areas = [area for area in torch_golden.areas() if area.startswith("malformed")]
    assert not [(area, text) for area in areas for text, value in GOLDEN[area].items() if not isinstance(value, dict) or "raises" not in value]
    assert sum(len(GOLDEN[area]) for area in areas) >= 1300
