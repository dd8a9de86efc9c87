"""torch_np.set_float32_matmul_precision and torch_np.backends.cuda.matmul.allow_tf32: PyTorch's names and meanings."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np

matmul = torch_np.backends.cuda.matmul


@pytest.fixture(autouse=True)
def back_to_highest():
    yield
    torch_np.set_float32_matmul_precision("highest")


def test_at_first_nothing_is_rounded():
    assert torch_np.get_float32_matmul_precision() == "highest"
    assert matmul.allow_tf32 is False


@pytest.mark.parametrize("precision, allowed", [("highest", False), ("high", True), ("medium", True)])
def test_both_names_are_one_setting(precision, allowed):
    torch_np.set_float32_matmul_precision(precision)
    assert torch_np.get_float32_matmul_precision() == precision
    assert matmul.allow_tf32 is allowed
    matmul.allow_tf32 = True
    assert torch_np.get_float32_matmul_precision() == "high"
    matmul.allow_tf32 = False
    assert torch_np.get_float32_matmul_precision() == "highest"


def test_other_words_are_refused_and_change_nothing():
    torch_np.set_float32_matmul_precision("high")
    with pytest.raises(ValueError, match="'highest', 'high' or 'medium', not 'low'"):
        torch_np.set_float32_matmul_precision("low")
    for bad in (1, None, b"high"):
        with pytest.raises(TypeError, match="must be a str"):
            torch_np.set_float32_matmul_precision(bad)
    with pytest.raises(TypeError, match="True or False"):
        matmul.allow_tf32 = "yes"
    with pytest.raises(AttributeError):
        matmul.allow_tf23 = True
    assert torch_np.get_float32_matmul_precision() == "high"


def test_the_cpu_multiplies_as_before():
    rng = numpy.random.default_rng(0)
    a, b = (np.asarray(x, device="cpu") for x in rng.standard_normal((2, 50, 50)).astype("f4"))
    before = a @ b
    torch_np.set_float32_matmul_precision("medium")
    assert (a @ b == before).all()
