"""Errors of native operators begin with the name of the function that the user called, through any
number of internal calls."""
import functools
import gc
import weakref

import numpy
import pytest

import torch_np as torch
import torch_np.nn.functional as F
import torch_np.numpy as np
from torch_np import nn


def message(call):
    with pytest.raises(Exception) as caught:
        call()
    return str(caught.value)


NP_CALLS = [
    ("append(): concatenate(): argument 'axis' must be int, not tuple", lambda xp: xp.append(xp.ones(3), 7, (1, "a"))),
    ("cross(): moveaxis(): source: axis -9 is out of bounds", lambda xp: xp.cross(xp.ones((2, 3)), xp.ones((2, 3)), -9)),
    ("indices(): reshape(): argument 'shape' must be int or tuple of ints", lambda xp: xp.indices(xp.ones(3))),
    ("isclose(): subtract(): operands could not be broadcast", lambda xp: xp.isclose(xp.ones(2), xp.ones((3, 3)))),
    ("linspace(): subtract(): operands could not be broadcast", lambda xp: xp.linspace(xp.ones(2), xp.ones(3))),
    ("nanmax(): reduce(): zero-size array", lambda xp: xp.nanmax(xp.ones(0))),
    ("nanvar(): sum(): argument 'axis' must be int or tuple of ints, not float", lambda xp: xp.nanvar(xp.ones(3), axis=2.5)),
    ("sort_complex(): sort(): axis -1 is out of bounds", lambda xp: xp.sort_complex(7)),
    ("multi_dot(): dot(): shapes (2, 3) and (2, 3) not aligned", lambda xp: xp.linalg.multi_dot([xp.ones((2, 3))] * 3)),
    ("matrix.__mul__(): dot(): shapes (1, 2) and (1, 2) not aligned", lambda xp: xp.matrix([[1, 2]]) * xp.matrix([[1, 2]])),
    ("masked_not_equal(): not_equal(): operands could not be broadcast", lambda xp: xp.ma.masked_not_equal(xp.ones((2, 3)), xp.ones((2, 2)))),
    ("median(): copyto(): argument 'dst' must be an array, not int", lambda xp: xp.median(xp.ones(3), out=7)),
    # Errors from private helpers name the operator.
    ("concatenate(): all the input arrays must have same number of dimensions", lambda xp: xp.r_[xp.ones(3), xp.ones((2, 2))]),
    ("sum(): axis 5 is out of bounds", lambda xp: xp.sum(xp.ones(3), axis=5)),
]


@pytest.mark.parametrize("begins, call", NP_CALLS, ids=[begins for begins, _ in NP_CALLS])
def test_functions_of_numpys_face(begins, call):
    with pytest.raises(Exception) as theirs:
        call(numpy)
    with pytest.raises(type(theirs.value)) as ours:
        call(np)
    assert str(ours.value).startswith(begins)


class Rows(nn.Module):
    def forward(self, x):
        return nn.Linear(3, 4)(x)


class OfOurs(nn.LayerNorm):
    pass


ones = torch.ones(2, 3)
TORCH_CALLS = [
    (RuntimeError, "gradient(): sub(): Subtraction, the `-` operator, with a bool tensor", lambda: torch.gradient(ones > 0)),
    (TypeError, "hann_window(): full(): argument 'size' must be int or tuple of ints", lambda: torch.hann_window(2.5)),
    (RuntimeError, "cross_entropy(): ", lambda: F.cross_entropy(ones, torch.ones(2))),
    (RuntimeError, "linear(): input of shape (2, 3)", lambda: nn.Linear(4, 3)(ones)),
    (RuntimeError, "Sequential(): linear(): input of shape (2, 3)", lambda: nn.Sequential(nn.Sequential(nn.Linear(4, 3)))(ones)),
    (RuntimeError, "CrossEntropyLoss(): cross_entropy(): target", lambda: nn.CrossEntropyLoss()(ones, torch.ones(2))),
    (RuntimeError, "OfOurs(): layer_norm(): ", lambda: OfOurs(4)(ones)),
    (RuntimeError, "linear(): input of shape (2, 5)", lambda: Rows()(torch.ones(2, 5))),  # forward belongs to the user
]


@pytest.mark.parametrize("error, begins, call", TORCH_CALLS, ids=[begins for _, begins, _ in TORCH_CALLS])
def test_functions_and_layers_of_pytorchs_face(error, begins, call):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(begins)


def test_functions_of_the_user_between_ours_are_the_callers():
    assert message(lambda: np.apply_along_axis(lambda v: np.isclose(v, np.ones(5)), 0, np.ones((2, 3)))).startswith("isclose(): subtract(): ")
    assert message(lambda: np.apply_along_axis(np.matmul, 0, np.ones((2, 3)), np.ones(5))).startswith("apply_along_axis(): matmul(): ")
    assert message(functools.partial(map(np.isclose, [np.ones(2)], [np.ones(3)]).__next__)).startswith("isclose(): subtract(): ")


def test_steps_of_optimizers():
    p = torch.ones(3, requires_grad=True)
    p.grad = torch.ones(3)
    optimizer = torch.optim.SGD([p], lr=0.1)
    p.data = torch.ones(4)
    assert message(optimizer.step).startswith("SGD.step(): fused_sgd_(): ")


def test_operators_of_backward_passes():
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda g: F.linear(g, torch.ones(2, 5)))
    assert message((x * 2).sum().backward).startswith("linear(): input of shape (3,)")

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return nn.Sequential(nn.Linear(5, 3))(g)

    assert message(Wrong.apply(torch.ones(3, requires_grad=True)).sum().backward).startswith("Sequential(): linear(): input of shape (3,)")


def test_compiled_functions():
    """The error is the same in the call that is traced and in replays."""
    compiled = torch.compile(lambda x, y: np.isclose(x, y) * 2)
    assert message(lambda: compiled(np.ones(2), np.ones(3))).startswith("isclose(): subtract(): ")
    assert compiled(np.ones(3), np.ones(3)).tolist() == [2, 2, 2]
    assert message(lambda: compiled(np.ones(2), np.ones(3))).startswith("isclose(): subtract(): ")


def test_objects_of_the_frames_are_not_kept():
    layer = nn.Sequential(nn.Linear(4, 3))
    known = weakref.ref(layer)
    for _ in range(3):
        assert message(functools.partial(layer, ones)).startswith("Sequential(): ")
    del layer
    gc.collect()
    assert known() is None
