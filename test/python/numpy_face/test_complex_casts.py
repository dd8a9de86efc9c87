"""Discarded imaginary parts give one warning, wherever NumPy warns."""
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def assign(a, key, value):
    a[key] = value


WAYS = {
    "assignment": lambda xp, a, z: assign(a, slice(None), z),
    "mask": lambda xp, a, z: assign(a, a > -1, z),
    "indices": lambda xp, a, z: assign(a, [0, 1], z[:2]),
    "flat": lambda xp, a, z: setattr(a, "flat", z),
    "flat slice": lambda xp, a, z: assign(a.flat, slice(None), z),
    "copyto": lambda xp, a, z: xp.copyto(a, z, casting="unsafe"),
    "copyto where": lambda xp, a, z: xp.copyto(a, z, casting="unsafe", where=a > -1),
    "put": lambda xp, a, z: xp.put(a, [0, 1], z),
    "put_along_axis": lambda xp, a, z: xp.put_along_axis(a, xp.array([0]), z[:1], 0),
    "astype": lambda xp, a, z: z.astype(float),
    "array": lambda xp, a, z: xp.array(z, dtype=float),
    "out=": lambda xp, a, z: xp.add(z, z, out=a, casting="unsafe"),
    "full_like": lambda xp, a, z: xp.full_like(a, z),
    "insert": lambda xp, a, z: xp.insert(a, 0, z),
    "concatenate": lambda xp, a, z: xp.concatenate([z], dtype=float, casting="unsafe"),
    "sum": lambda xp, a, z: xp.sum(z, dtype=float),
    "prod": lambda xp, a, z: z.prod(dtype="f4"),
    "mean": lambda xp, a, z: xp.mean(z, dtype=float),
    "std": lambda xp, a, z: xp.std(z, dtype=float),
    "trace": lambda xp, a, z: xp.trace(xp.diag(z), dtype=float),
    "full": lambda xp, a, z: xp.full(2, 1j, dtype=float),
}


@pytest.mark.parametrize("way", WAYS)
def test_dropped_imaginary_parts_are_warned_of_once(way):
    for xp in (numpy, np):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            WAYS[way](xp, xp.zeros(3), xp.ones(3, dtype=complex))
        assert [w.category for w in given] == [numpy.exceptions.ComplexWarning], xp.__name__


def test_assignments_warn_of_what_no_integer_holds_too():
    for xp in (numpy, np):
        a = xp.zeros(2, dtype="i4")
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            a[:] = xp.full(2, xp.inf + 1j)
            a[0] = xp.array(xp.nan + 0j)
        assert [w.category for w in given] == [numpy.exceptions.ComplexWarning, RuntimeWarning] * 2, xp.__name__


def test_the_warning_can_be_an_error_and_leaves_truth_values_and_the_other_face_alone():
    z = np.ones(3, dtype=complex)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(numpy.exceptions.ComplexWarning):
            np.copyto(np.zeros(3), z, casting="unsafe")
        a = np.zeros(3)
        with pytest.raises(numpy.exceptions.ComplexWarning):
            a[:] = z
        assert a.tolist() == [0, 0, 0]
        assert z.astype(bool).all() and (z.real + np.abs(z)).dtype == float
        torch_np.ones(3).copy_(torch_np.ones(3, dtype=torch_np.complex64))
        x = np.array([1., 2.], _requires_grad=True)
        np.abs(x * 1j).sum()._backward()
        assert x._grad.tolist() == [1., 1.]
