"""Indices of batched tensors, and batched indices, against a loop over the samples."""
from __future__ import annotations

import pytest

import torch_np as torch
from torch_np.func import grad, vmap

X = torch.arange(12.0).reshape(3, 4)
AT = torch.tensor([0, 2, 1])


def changed(i, y):
    y = y.clone()
    y[i] = 5.0
    return y


def shifted(y):
    y = y.clone()
    y[1:] = y[:-1] * 2
    y[0] += 1
    return y


@pytest.mark.parametrize(("function", "arguments"), [
    (lambda i, x: x[i], (AT, X)),
    (lambda i: X[i], (AT,)),
    (lambda i: X[i, 1:], (AT,)),
    (lambda i: X[:, i], (AT,)),
    (lambda i: X[None, ..., i], (AT,)),
    (lambda i, j: X[i, j], (AT, AT + 1)),
    (lambda i, x: grad(lambda y: y[i] ** 2)(x), (AT, X)),
    (changed, (AT, X)),
    (shifted, (X,)),
    (lambda r: r[[0, 2]], (X,)),
    (lambda r: torch.stack(list(r)), (X,)),
])
def test_samples(function, arguments):
    expected = torch.stack([function(*sample) for sample in zip(*arguments, strict=True)])
    assert vmap(function)(*arguments).equal(expected)
