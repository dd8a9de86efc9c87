"""torch_np.testing.assert_close, and names for accelerators, mixed precision and old tensor types
that programs use."""
import pytest

import torch_np
from torch_np.testing import assert_close


@pytest.mark.parametrize("actual, expected", [
    (torch_np.ones(3), torch_np.ones(3) + 5e-6), (1.0, 1.0 + 5e-8), (torch_np.tensor([1, 2]), torch_np.tensor([1, 2])),
    ([1, torch_np.zeros(2)], [1, torch_np.zeros(2)]), ({"a": 1.5}, {"a": 1.5}), (torch_np.zeros(0, 3), torch_np.zeros(0, 3)),
    (torch_np.tensor([1 + 1j]), torch_np.tensor([1 + 1j])),
])
def test_what_is_close(actual, expected):
    assert_close(actual, expected)


@pytest.mark.parametrize("actual, expected, message", [
    (torch_np.ones(3), torch_np.ones(3) + 1e-4, r"3 of 3 elements differ .* first at \(0,\)"),
    (torch_np.ones(3), torch_np.ones(1, 3), r"shapes differ: \(3,\) and \(1, 3\)"),
    (torch_np.ones(3), torch_np.ones(3, dtype=torch_np.float64), "dtypes differ"),
    ([1, 2], [1, 3], r"1 of 1 elements\[1\] differ"), ({"a": 1}, {"b": 1}, "keys differ"), ([1], [1, 2], "lengths differ"),
    (torch_np.tensor([float("nan")]), torch_np.tensor([float("nan")]), "differ"),
    (torch_np.tensor([2**62]), torch_np.tensor([2**62 + 1]), "differ"),
])
def test_what_is_not(actual, expected, message):
    with pytest.raises(AssertionError, match=message):
        assert_close(actual, expected)


def test_its_options():
    nan = torch_np.tensor([float("nan")])
    assert_close(nan, nan, equal_nan=True)
    assert_close(torch_np.ones(2), torch_np.ones(2, dtype=torch_np.float64), check_dtype=False)
    assert_close(torch_np.ones(2), torch_np.ones(2) * 1.05, rtol=0.1, atol=0)
    with pytest.raises(ValueError, match="both"):
        assert_close(1, 1, rtol=0.1)
    with pytest.raises(AssertionError, match="^mine$"):
        assert_close(1, 2, msg="mine")
    with pytest.raises(AssertionError, match="so: The shapes"):
        assert_close(torch_np.ones(2), torch_np.ones(3), msg=lambda text: "so: " + text)
    with pytest.raises(TypeError, match="cannot be compared"):
        assert_close("a", "a")


def test_old_types_make_tensors_and_tell_them_apart():
    x = torch_np.LongTensor([1, 2])
    assert x.dtype == torch_np.int64 and x.tolist() == [1, 2]
    assert torch_np.FloatTensor(2, 3).shape == (2, 3) and torch_np.DoubleTensor().shape == (0,)
    assert isinstance(x, torch_np.LongTensor) and not isinstance(x, torch_np.FloatTensor) and not isinstance([1], torch_np.LongTensor)


@pytest.mark.skipif(torch_np.cuda.is_available(), reason="there is a GPU")
def test_mixed_precision_for_a_gpu_that_is_not_there_is_off_with_a_warning():
    from torch_np import amp
    with pytest.warns(UserWarning, match="CUDA is not available"):
        scaler = amp.GradScaler()
    assert not scaler.is_enabled() and scaler.scale(3) == 3 and scaler.state_dict() == {} and scaler.get_scale() == 1
    with pytest.warns(UserWarning, match="CUDA is not available"):
        context = amp.autocast("cuda", torch_np.float16)
    with context:
        assert (torch_np.ones(2, 2) @ torch_np.ones(2, 2)).dtype == torch_np.float32


def test_accelerators_are_the_gpus():
    there = torch_np.cuda.is_available()
    assert torch_np.accelerator.is_available() == there and torch_np.accelerator.device_count() == torch_np.cuda.device_count()
    assert torch_np.accelerator.current_accelerator() == (torch_np.device("cuda") if there else None)
    assert not torch_np.backends.mps.is_available() and not torch_np.backends.cudnn.is_available()
