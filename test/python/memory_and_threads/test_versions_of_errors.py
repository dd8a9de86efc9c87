"""An operator in place that raises a floating-point error has changed its array, and counts the change."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np


pytestmark = pytest.mark.same_on_devices("only the CPU reports floating-point errors")


def _divided(y):
    y /= np.array([0.0, 3.0])


def _divided_in_a_view(y):
    y[:, ::-1] /= np.array([3.0, 0.0])


def _divided_by_a_number(y):
    y /= 0.0


def _out(y):
    np.divide(y, np.array([0.0, 3.0]), out=y)


def _where(y):
    np.divide(y, 0.0, out=y, where=np.array([True, False]))


def _at(y):
    np.divide.at(y, (slice(None), 0), 0.0)


def _as_integers(y):
    np.copyto(y.view(np.int64), np.array([1.0, np.inf]), casting="unsafe")


def _as_integers_where(y):
    np.copyto(y.view(np.int64), np.full((2, 2), np.inf), casting="unsafe", where=np.array([True, False]))


def _reduced(y):
    np.divide.reduce(np.zeros((3, 2)), axis=0, out=y[0])


@pytest.mark.parametrize("change", [_divided, _divided_in_a_view, _divided_by_a_number, _out, _where, _at, _as_integers, _as_integers_where, _reduced])
def test_the_version_counts_the_change(change):
    y = np.array([[1.0, 0.5], [2.0, 1.5]])
    before, version = y.copy(), y._version
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        change(y)
    assert not numpy.array_equal(y, before)
    assert y._version > version


def test_a_compiled_function_is_not_called_again_after_the_change():
    w = np.array([0.0, 3.0])

    def function(x, y):
        made = y * bool((x._torch() > 0).all())
        y /= w
        return made
    compiled = torch_np.compile(function)
    for errors in ("ignore", "raise"):
        y = np.array([[1.0, 0.5], [2.0, 1.5]])
        with np.errstate(all=errors):
            try:
                compiled(np.ones(2), y)
            except FloatingPointError:
                assert errors == "raise"
        numpy.testing.assert_allclose(y, [[numpy.inf, 0.5 / 3], [numpy.inf, 0.5]])
