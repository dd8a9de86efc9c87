"""torch_np.Tensor and torch_np.numpy.ndarray are two faces of one tensor."""
import copy
import pickle
import subprocess
import sys
import weakref

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def test_conversion_shares_memory_both_ways():
    x = np.zeros(3)
    t = x._torch()
    t[0] = 1
    x[1] = 2
    assert t.tolist() == x.tolist() == [1, 2, 0]
    back = t._np_compat()
    back[2] = 3
    assert x.tolist() == [1, 2, 3]


def test_conversion_of_a_live_object_gives_it_back():
    x = np.zeros(3)
    assert x._torch()._np_compat() is x


def test_conversion_shares_gradient_and_requires_grad():
    x = np.ones(2)
    x._requires_grad = True
    t = x._torch()
    assert t.requires_grad
    (t * 3).sum().backward()
    assert x._grad.tolist() == [3, 3] and isinstance(x._grad, np.ndarray)
    assert t.grad.tolist() == [3, 3] and isinstance(t.grad, torch_np.Tensor)


def test_conversion_shares_the_version_counter():
    x = np.ones(2)
    x._requires_grad = True
    y = x * 2
    z = (y * y).sum()
    y._torch().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z._backward()


@pytest.mark.parametrize("call, kind", [
    (lambda x, t: np.add(t, x), "np"), (lambda x, t: torch_np.add(x, t), "torch"),
    (lambda x, t: np.sum(t), "np"), (lambda x, t: torch_np.sum(x), "torch"),
    (lambda x, t: x + t, "np"), (lambda x, t: t + x, "torch"), (lambda x, t: 1 + t, "torch"), (lambda x, t: 1 - x, "np"),
])
def test_functions_take_both_types_and_return_their_own(call, kind):
    x = np.ones(2)
    result = call(x, torch_np.ones(2))
    assert isinstance(result, (np.ndarray, numpy.float32) if kind == "np" else torch_np.Tensor)


def test_the_seeds_examples():
    a, b = torch_np.randn(10)._np_compat(), torch_np.randn(10)._np_compat()
    c = np.hypot(a, b)
    assert type(c) is np.ndarray and type(c._torch()) is torch_np.Tensor
    assert numpy.allclose(numpy.asarray(c), numpy.hypot(numpy.asarray(a), numpy.asarray(b)))
    assert np.arange(10).sum() == 45 and repr(np.arange(10).sum()) == "np.int64(45)"
    assert repr(torch_np.arange(10).sum()) == "tensor(45)"
    assert not hasattr(torch_np, "clip_low")                    # hidden
    assert np.ones(shape=3).tolist() == [1, 1, 1]               # additional_translations: {shape: size}
    assert np.ones((2, 1), int).dtype == int
    assert np.random.randn(2, 3).shape == (2, 3)                # package: random
    x = np.arange(6.0).reshape(2, 3)
    assert x.sum(axis=0, keepdims=True).tolist() == torch_np.sum(x._torch(), dim=0, keepdim=True).tolist()


def test_zero_dimensional_results_behave_as_numbers():
    n = np.arange(5).sum()
    assert n.ndim == 0 and n == 10 and int(n) == 10 and float(n) == 10.0 and complex(n) == 10
    assert [0] * n == [0] * 10 and list(range(n))[-1] == 9 and "abcdefghijk"[n] == "k"
    assert hash(n) == hash(10) and {10: "x"}[n] == "x"
    assert f"{n}" == "10" and f"{n:5d}" == "   10" and f"{n / 4:.2f}" == "2.50"
    assert round(np.float64(2.567) + np.zeros(()), 2) == 2.57
    assert divmod(n, 3) == (3, 1) and bool(n) and not bool(n - 10)
    assert str(n) == "10" and "%d" % n == "10"


def test_identity_protocols():
    x = np.arange(4.0)
    for copied in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(copied) is np.ndarray and copied.tolist() == x.tolist()
        copied[0] = 9
        assert x[0] == 0
    t = torch_np.ones(2, requires_grad=True)
    again = pickle.loads(pickle.dumps(t))
    assert type(again) is torch_np.Tensor and again.requires_grad
    reference = weakref.ref(x)
    assert reference() is x
    del x
    assert reference() is None


def test_length_iteration_membership_and_truth():
    x = np.arange(6).reshape(2, 3)
    assert len(x) == 2 and [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]] and 5 in x and 6 not in x
    with pytest.raises(TypeError, match="unsized"):
        len(np.zeros(()))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(x._torch())


def test_subclasses_are_kept():
    class Meters(np.ndarray):
        def __array_finalize__(self, obj):
            self.unit = getattr(obj, "unit", "m")
    x = np.arange(3.0).view(Meters)
    x.unit = "km"
    y = x * 2
    assert type(y) is Meters and y.unit == "km" and type(x[1:]) is Meters


@pytest.mark.parametrize("order", ["import torch_np, torch", "import torch, torch_np"])
def test_torch_in_the_same_process(order):
    pytest.importorskip("torch")
    program = f"{order}\nx = torch_np.ones(3)\nprint((torch.from_dlpack(x) + 1).tolist(), torch_np.ones(2).sum().item())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[2.0, 2.0, 2.0] 2.0", done.stderr


def test_reciprocals_of_integer_tensors_are_floats():
    got = torch_np.reciprocal(torch_np.tensor([1, 2, 4]))
    assert got.dtype == torch_np.float32 and got.tolist() == [1, 0.5, 0.25]
    assert torch_np.tensor([True, False]).reciprocal().tolist() == [1, float("inf")]
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch_np.tensor([1, 2]).reciprocal_()
    assert np.reciprocal(np.array([1, 2])).tolist() == [1, 0]


