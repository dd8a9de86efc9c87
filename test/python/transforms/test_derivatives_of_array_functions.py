"""np._grad and its like: derivatives of functions of arrays."""
import pytest

import torch_np as torch
import torch_np.numpy as np

X = np.array([0.5, 1.5, 2.5])


def build(x):
    y = np.zeros((2, 3))
    y[0] = x[::-1] * 2
    y[1, 1:] = np.cumsum(x)[:2]
    return y


@pytest.mark.parametrize("function", [
    lambda x: np.sin(x) * x, lambda x: np.outer(x, x), np.prod, np.linalg.norm, lambda x: np.where(x > 1, x ** 2, 3 * x), build,
    lambda x: np.interp(np.array([1.0, 2.0]), x, x ** 2), lambda x: np.fft.rfft(x).real, lambda x: np.sort(-x), lambda x: np.clip(x, 1, 2)])
def test_derivatives_agree_with_differences(function):
    t = np.array([1.0, -2.0, 0.5])
    expected = (function(X + 1e-6 * t) - function(X - 1e-6 * t)) / 2e-6
    value, derivative = np._jvp(function, (X,), (t,))
    assert isinstance(derivative, np.ndarray)
    assert np.allclose(value, function(X)) and np.allclose(derivative, expected)
    _, product = np._linearize(function, X)
    assert np.allclose(product(t), expected)
    for mode in ("forward", "reverse"):
        assert np.allclose(np._jacobian(function, mode=mode)(X) @ t, expected)
    _, pull = np._vjp(function, X)
    assert np.allclose(np.sum(pull(np.ones_like(expected))[0] * t), expected.sum())


def test_gradients_and_values():
    def loss(w, data):
        return ((data["x"] * w - data["y"]) ** 2).sum()
    data = {"x": X, "y": np.ones(3)}
    value, gradient = np._value_and_grad(loss)(X, data)
    assert float(value) == float(loss(X, data)) and np.allclose(gradient, 2 * (X * X - 1) * X)
    of_data = np._grad(loss, argnums=1)(X, data)
    assert set(of_data) == {"x", "y"} and np.allclose(of_data["y"], -2 * (X * X - 1))
    (value, aux), gradient = np._value_and_grad(lambda x: (x.sum(), x * 2), has_aux=True)(X)
    assert float(value) == 4.5 and np.allclose(aux, 2 * X) and gradient.tolist() == [1.0, 1.0, 1.0]


def test_hessians_are_symmetric():
    h = np._hessian(lambda x: np.exp(np.prod(x)) + np.sum(x ** 3))(X)
    assert np.allclose(h, h.T) and h.shape == (3, 3)


def test_modes_of_jacobians():
    with pytest.raises(ValueError, match="mode must be"):
        np._jacobian(np.sin, mode="sideways")


def test_second_derivatives_where_a_cotangent_is_zero():
    """The formula of logcumsumexp has a logarithm of the gradient."""
    x = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64)
    t = torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64)
    _, product = torch.func.linearize(lambda x: torch.logcumsumexp(x, 0), x)
    assert torch.allclose(product(t), torch.func.jvp(lambda x: torch.logcumsumexp(x, 0), (x,), (t,))[1])
