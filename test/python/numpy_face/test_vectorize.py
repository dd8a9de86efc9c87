"""vectorize, compared with NumPy's: elementwise, and with a signature on slices."""
import numpy
import pytest

import torch_np.numpy as np

X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def same(f):
    want, got = f(numpy), f(np)
    pairs = zip(want, got, strict=True) if isinstance(want, tuple) else [(want, got)]
    assert isinstance(got, tuple) == isinstance(want, tuple)
    for w, g in pairs:
        assert isinstance(g, np.ndarray) and g.dtype == w.dtype and g.shape == w.shape
        numpy.testing.assert_array_equal(numpy.asarray(g), w)


@pytest.mark.parametrize("f", [
    lambda xp: xp.vectorize(lambda a, b: a + b)([1, 2, 3], [[1], [2]]),
    lambda xp: xp.vectorize(lambda a: 1 if a < 2 else 2.5)([1, 2, 3]),  # the first call decides: int
    lambda xp: xp.vectorize(lambda a: a, otypes="f")([1, 2, 3]),
    lambda xp: xp.vectorize(lambda a: (a, 2.0 * a), otypes=[int, float])([1, 2, 3]),
    lambda xp: xp.vectorize(lambda a, b=1: a * b, excluded=["b"])([1, 2], b=3),
    lambda xp: xp.vectorize(lambda p, x: sum(p) * x, excluded={0})([1, 2], [3, 4]),
    lambda xp: xp.vectorize(lambda a, b: a - b)(a=[1, 2], b=3),
    lambda xp: xp.vectorize(lambda a: a, otypes=[float])([]),
])
def test_by_elements(f):
    same(f)


@pytest.mark.parametrize("f", [
    lambda xp: xp.vectorize(lambda v: v.sum(), signature="(n)->()")(xp.array(X)),
    lambda xp: xp.vectorize(lambda v: v.mean(), signature="(n)->()")(X[0]),
    lambda xp: xp.vectorize(lambda a, b: a @ b, signature="(m, n),(n)->(m)")(xp.ones((4, 2, 3)), xp.arange(3.0)),
    lambda xp: xp.vectorize(lambda a, b: a * b, signature="(),(n)->(n)")([1.0, 2.0], xp.array(X)),
    lambda xp: xp.vectorize(lambda v: (v.min(), v - v.min()), signature="(n)->(),(n)")(xp.array(X)),
    lambda xp: xp.vectorize(lambda v: xp.concatenate([v, v]), signature="(n)->(m)")(xp.array(X)),
    lambda xp: xp.vectorize(lambda v: v.sum(), signature="(n)->()", otypes=["f4"])(xp.array(X)),
    lambda xp: xp.vectorize(lambda v, k: v * k, signature="(n)->(n)", excluded={1})(xp.array(X), 3),
    lambda xp: xp.vectorize(lambda v, k: v * k, signature="(n)->(n)", excluded=["k"])(xp.array(X), k=3),
    lambda xp: xp.vectorize(lambda v: v.sum(), signature="(n)->()", otypes=[float])(xp.ones((0, 3))),
    lambda xp: xp.vectorize(lambda: 3, signature="->()")() if xp is None else xp.vectorize(lambda a: a + 1, signature="()->()")(1.5),
])
def test_by_slices(f):
    same(f)


@pytest.mark.parametrize("signature, args, otypes", [
    ("(n)", (X,), None), ("(n)->()", (X, X), None), ("(n)->()", (1.0,), None), ("(n),(n)->()", (X[0], [1.0]), None),
    ("(n)->(),()", (X,), None), ("(n)->(n)", (X,), None), ("(n)->()", (numpy.ones((0, 3)),), None), ("(n)->(k)", (numpy.ones((0, 3)),), [float]),
])
def test_errors_of_signatures(signature, args, otypes):
    messages = []
    for xp in (numpy, np):
        with pytest.raises((TypeError, ValueError)) as error:
            xp.vectorize(lambda *a: xp.sum(a[0]), signature=signature, otypes=otypes)(*(xp.asarray(a) for a in args))
        messages.append((error.type, str(error.value)))
    assert messages[0] == messages[1]


def test_as_a_decorator():
    @np.vectorize(otypes=[float], signature="(n)->()")
    def total(v):
        """The sum."""
        return v.sum()

    assert total(np.array(X)).tolist() == [6.0, 15.0]
    assert total.__doc__ == "The sum." and total.__name__ == "total"

    @np.vectorize
    def double(a):
        return 2 * a

    assert double([1, 2]).tolist() == [2, 4]


def test_results_that_are_arrays_are_objects_if_otypes_says_so():
    for kind in (np.ndarray, object):
        pairs = np.vectorize(lambda x: np.array([x, -x]), otypes=[kind])
        one, many = pairs(3.0), pairs(np.arange(2.0))
        assert one.shape == () and one.tolist().tolist() == [3, -3]
        assert many.shape == (2,) and many.dtype == object and many[1].tolist() == [1, -1]


@pytest.mark.parametrize("cache", [False, True])
def test_the_function_is_called_once_for_each_element(cache):
    called = []
    assert np.vectorize(lambda x: called.append(x) or 2 * x, cache=cache)([1, 2, 3]).tolist() == [2, 4, 6]
    assert called == [1, 2, 3]
