"""Overrides in subclasses of ndarray are called as NumPy calls them: __array_wrap__, methods that
functions delegate to, ufuncs behind methods."""
import subprocess
import sys
from types import SimpleNamespace

import numpy
import pytest

import torch_np.numpy as np


def wrapping(np):
    """A class that records the origin of its objects."""
    class Noted(np.ndarray):
        __array_priority__ = 21

        def __new__(cls, values):
            return np.asarray(values, dtype=float).view(cls)

        def __array_finalize__(self, parent):
            self.made_by = getattr(parent, "made_by", "")

        def __array_wrap__(self, array, context=None, return_scalar=False):
            result = array.view(Noted)
            result.made_by = f"{context[0].__name__}/{len(context[1])}/{context[2]}" if context else f"scalar {return_scalar}"
            return result

        def ptp(self, axis=None, out=None):
            return "its own"

        def sum(self, axis=None, dtype=None, out=None):
            return "a sum of its own"
    return SimpleNamespace(np=np, a=Noted([1.0, 4.0]), Noted=Noted)


def with_iadd(x):
    x = x.copy()
    x += 1
    return x


CALLS = {
    "add": lambda t: t.a + 1,
    "radd": lambda t: 1 + t.a,
    "base class on the left": lambda t: t.np.ones(2) + t.a,
    "scalar on the left": lambda t: numpy.float64(2) * t.a,
    "ufunc": lambda t: t.np.sqrt(t.a),
    "ufunc of a 0-d object": lambda t: t.np.sqrt(t.a[:1].reshape(())),
    "negative": lambda t: -t.a,
    "iadd": lambda t: with_iadd(t.a),
    "out": lambda t: t.np.add(t.a, 1, out=t.a.copy()),
    "out by position": lambda t: t.np.add(t.a, 1, t.a.copy()),
    "plain out": lambda t: t.np.add(t.a, 1, out=t.np.ones(2)),
    "two results": lambda t: t.np.modf(t.a)[1],
    "comparison": lambda t: t.a < 2,
    "reduce": lambda t: t.np.multiply.reduce(t.a),
    "accumulate": lambda t: t.np.add.accumulate(t.a),
    "outer": lambda t: t.np.add.outer(t.a, t.a),
    "prod": lambda t: t.a.prod(),
    "prod along an axis": lambda t: t.np.prod(t.a.reshape(1, 2), axis=0),
    "cumsum": lambda t: t.a.cumsum(),
    "cumprod": lambda t: t.a.cumprod(),
    "mean": lambda t: t.a.mean(),
    "np.mean": lambda t: t.np.mean(t.a),
    "std": lambda t: t.a.std(),
    "var": lambda t: t.a.var(),
    "max": lambda t: t.a.max(),
    "any": lambda t: t.a.any(),
    "clip": lambda t: t.a.clip(0, 2),
    "clip from below": lambda t: t.a.clip(2),
    "round": lambda t: t.a.round(),
    "np.round": lambda t: t.np.round(t.a),
    "matmul": lambda t: t.a[:, None] @ t.a[None],
    "reshape": lambda t: t.np.reshape(t.a, (1, 2)),
    "concatenate": lambda t: t.np.concatenate([t.a, t.a]),
    "stack": lambda t: t.np.stack([t.a, t.a]),
    "diff": lambda t: t.np.diff(t.a),
    "median": lambda t: t.np.median(t.a),
    "inv": lambda t: t.np.linalg.inv(t.np.eye(2) + t.a),
    "fix": lambda t: t.np.fix(t.a),
    "apply_along_axis": lambda t: t.np.apply_along_axis(lambda x: x, 0, t.a),
    "unique": lambda t: t.np.unique(t.a),
    "a method of its own": lambda t: t.np.ptp(t.a.view(t.Noted)),
    "a sum of its own": lambda t: t.np.sum(t.a),
    "trapezoid": lambda t: t.np.trapezoid(t.a),
    "nansum": lambda t: t.np.nansum(t.a),
}


@pytest.mark.parametrize("name", CALLS)
def test_array_wrap_and_methods_are_called_as_numpys(name):
    found, expected = CALLS[name](wrapping(np)), CALLS[name](wrapping(numpy))
    assert type(found).__name__ == type(expected).__name__ and repr(found).replace(", device='cuda:0'", "") == repr(expected)
    assert getattr(found, "made_by", None) == getattr(expected, "made_by", None)


def test_context_has_the_ufuncs_of_this_namespace():
    seen = []

    class Table(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            seen.append(context[0])
            return array

    x = np.ones(2).view(Table)
    x + 1, numpy.float64(2) * x
    assert seen == [np.add, np.multiply] and all(type(u) is type(np.add) for u in seen)


def test_methods_ask_classes_that_override_ufuncs():
    def calls(np):
        seen = []

        class Asked(np.ndarray):
            def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
                seen.append((ufunc.__name__, method, len(inputs), sorted(kwargs)))
                inputs = [x.view(np.ndarray) if isinstance(x, Asked) else x for x in inputs]
                return getattr(ufunc, method)(*inputs, **kwargs)

        x = np.arange(6.0).reshape(2, 3).view(Asked)
        x.sum(), x.prod(axis=0), x.any(), x.all(), x.max(), x.min(0), x.cumsum(), x.cumprod(1), x.clip(1, 2), x.clip(1), x.round()
        np.sum(x, 0), np.amax(x), np.add.reduce(x, 1, None, None, True), np.add.accumulate(x, 1), np.multiply(x, 2, x.copy())
        return seen
    assert calls(np) == calls(numpy)


def test_ufuncs_are_equal_to_numpys_of_that_name():
    assert np.add == numpy.add and numpy.add == np.add and np.add != numpy.subtract and np.add != np.subtract
    assert {np.add: 1}[numpy.add] == 1 and {numpy.add: 1}[np.add] == 1 and numpy.add in (np.subtract, np.add)
    assert np.add != 1 and not np.add == "add"


def test_super_array_function_and_implementation_keep_the_class():
    for through in ("super", "_implementation"):
        class Handled(np.ndarray):
            def __array_function__(self, function, types, args, kwargs):
                if through == "super":
                    return super().__array_function__(function, types, args, kwargs)
                return function._implementation(*args, **kwargs)

            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                inputs = [x.view(np.ndarray) if isinstance(x, Handled) else x for x in inputs]
                if "out" in kwargs:
                    kwargs["out"] = tuple(x.view(np.ndarray) for x in kwargs["out"])
                return np.asarray(getattr(ufunc, method)(*inputs, **kwargs)).view(Handled)

        x = np.asarray([[2.0, 1.0], [1.0, 3.0]]).view(Handled)
        for result in (np.gradient(x[0]), np.amax(x), np.average(x), np.median(x), np.diff(x)):
            assert type(result) is Handled
        assert type(np.bincount(x.astype(int)[0])) in (np.ndarray, Handled) and np.broadcast_to(x, (3, 2, 2)).shape == (3, 2, 2)
    assert np.sum._implementation is np.sum._implementation


def test_classes_that_override_nothing_keep_the_direct_ways():
    class Plain(np.ndarray):
        pass
    assert Plain.__array_ufunc__ is np.ndarray.__array_ufunc__ and Plain.__array_function__ is np.ndarray.__array_function__
    assert type(np.ones(2).view(Plain).sum(0, keepdims=True)) is Plain


def test_operands_of_libraries_that_know_numpys_arrays_alone():
    class Foreign:
        """Like pandas: returns NotImplemented for objects whose __array_ufunc__ is not NumPy's."""
        def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
            if any(not isinstance(x, Foreign) and type(x) is not numpy.ndarray for x in inputs):
                return NotImplemented
            result = getattr(ufunc, method)(*(numpy.full(2, 3.0) if isinstance(x, Foreign) else x for x in inputs), **kwargs)
            if out is not None:
                out[0][...] = result
                return out[0]
            return result

    x = np.ones(2)
    assert (np.add(x, Foreign()) == [4, 4]).all() and type(np.add(x, Foreign())) is np.ndarray
    same = x
    x += Foreign()
    assert x is same and (x == [4, 4]).all()
    with pytest.raises(TypeError, match="gradient"):
        np.add(np.ones(2, _requires_grad=True), Foreign())
    with np._fallback("raise"), pytest.raises(TypeError, match="NotImplemented"):
        np.add(x, Foreign())


def test_lines_of_an_object_of_a_subclass_are_indented_by_its_name():
    class Q(np.ndarray):
        pass
    assert repr(np.zeros((2, 2)).view(Q)) == "Q([[0., 0.],\n   [0., 0.]])"


def test_draws_of_the_shape_without_axes_are_arrays():
    rng = np.random.default_rng(0)
    for draw in (rng.random, rng.normal, rng.exponential, np.random.uniform, np.random.random):
        assert type(draw(size=())) is np.ndarray and draw(size=()).shape == () and type(draw()) is float
    assert type(rng.integers(3, size=())) is np.ndarray and type(np.random.randint(3, size=())) is np.ndarray


def test_the_module_of_linalg_has_the_classes_of_results():
    assert np.linalg._linalg.SVDResult is type(np.linalg.svd(np.eye(2)))
    assert sys.modules["torch_np.numpy.linalg._linalg"] is np.linalg._linalg
    with pytest.raises(AttributeError, match="_other"):
        np.linalg._other


def test_reflected_operators_may_call_the_ufunc():
    class Reflecting(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            return array.view(Reflecting)

        def __rmul__(self, other):
            return np.multiply(other, self)
    for left in (numpy.float64(2), numpy.full(2, 2.0), 2):
        product = left * np.ones(2).view(Reflecting)
        assert type(product) is Reflecting and product.tolist() == [2, 2]


def test_objects_whose_array_method_gives_an_array():
    class Lazy:
        def __init__(self, made):
            self.made = made

        def __array__(self, dtype=None, copy=None):
            return self.made

    class Special(np.ndarray):
        pass

    special = np.arange(3).view(Special)
    assert type(np.asanyarray(Lazy(special))) is Special
    assert type(np.array(Lazy(special), subok=True)) is Special and np.asanyarray(Lazy(special), dtype=float).dtype == float
    class LazyMapping(Lazy, dict):
        pass

    assert np.asarray(LazyMapping(np.arange(3))).tolist() == [0, 1, 2]
    np.testing.assert_array_equal(Lazy(np.arange(3)), [0, 1, 2])
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal([0, 1, 1], Lazy(np.arange(3)))


def test_the_first_name_asked_of_a_module_is_there():
    # In a separate process, since results of earlier checks are cached.
    code = "import torch_np.numpy as np; print(np.rec.fromarrays([np.arange(2), np.ones(2)], names='a,b').dtype.names)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "('a', 'b')\n"


def test_a_0d_object_is_formatted_as_its_number():
    class Metres(np.ndarray):
        def __str__(self):
            return "one metre"
    assert f"{np.array(1.5).view(Metres)}" == "1.5" and str(np.array(1.5).view(Metres)) == "one metre"
    assert f"{np.ones(2).view(Metres)}" == "one metre"


def test_an_array_of_nothing_is_a_list_of_no_integers():
    parts = np.split(np.arange(3), np.array([]))
    assert len(parts) == 1 and parts[0].tolist() == [0, 1, 2] and np.zeros(np.array([])).shape == ()
    with pytest.raises(TypeError):
        np.split(np.arange(3), np.array([1.0]))


def test_tables_of_other_libraries_have_numpys_functions_or_their_names():
    class Named:
        """Like Pint and Dask: finds a function by its name below the first component of its
        module's."""
        def __array_function__(self, function, types, args, kwargs):
            path = ".".join([*function.__module__.split(".")[1:], function.__name__])
            return path if path in ("shape", "linalg.norm") else NotImplemented

    class Tabled:
        def __array_function__(self, function, types, args, kwargs):
            return {numpy.shape: "numpy's", np.ndim: "ours"}.get(function, NotImplemented)
    assert np.shape(Named()) == "shape" and np.linalg.norm(Named()) == "linalg.norm"
    assert np.shape(Tabled()) == "numpy's" and np.ndim(Tabled()) == "ours"
    with pytest.raises(TypeError, match="no implementation found for 'torch_np.numpy.size'"):
        np.size(Named())


class Recorded(np.ndarray):
    """Overrides functions, and calls NumPy's implementation with itself, as classes of quantities
    do."""
    def __array_function__(self, function, types, args, kwargs):
        return function._implementation(*args, **kwargs)


def test_implementations_see_subclasses_in_nested_lists():
    class First(Recorded):
        __array_priority__ = 2.0
    x = np.ones((2, 2)).view(First)
    assert type(np.block._implementation([[x, x]])) is First


def test_sources_of_linalg_index_with_newaxis():
    x = np.eye(2).view(Recorded)
    assert np.linalg.pinv(x).tolist() == [[1, 0], [0, 1]]


def test_grids_of_subclasses():
    x = np.arange(3.0).view(Recorded)
    first, second = np.meshgrid(x, x)
    assert type(first) is type(second) is Recorded and first.tolist() == [[0, 1, 2]] * 3


def test_concatenation_is_of_the_class_with_the_highest_priority():
    class First(Recorded):
        __array_priority__ = 2.0
    x = np.arange(2.0)
    assert type(np.concatenate._implementation((x, x.view(First)))) is First
    assert type(np.concatenate._implementation((x, x.view(Recorded)))) is np.ndarray


def test_in_place_operators_leave_the_expression_to_operands_of_higher_priority():
    class Unit:
        __array_priority__ = 3.0

        def __rmul__(self, other):
            return "a quantity", other

    class Quantity(np.ndarray):
        __array_priority__ = 2.0

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return NotImplemented

    x = np.arange(2.0).view(Quantity)
    y = x
    y *= Unit()
    assert y[0] == "a quantity" and y[1] is x


def test_counts_are_of_the_base_class():
    assert type(np.bincount(np.arange(3).view(Recorded))) is np.ndarray


def test_assertions_compare_as_the_class_does():
    class Rounded(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return getattr(ufunc, method)(*(np.round(np.asarray(x)) for x in inputs), **kwargs)

    x = np.array([1.1, 2.2]).view(Rounded)
    np.testing.assert_array_equal(x, np.array([1.0, 2.0]))
    np.testing.assert_equal([x], [np.array([1.0, 2.0])])
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(x, np.array([1.0, 3.0]))
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(np.asarray(x), np.array([1.0, 2.0]))


def classes_of_operands(xp):
    """Arrays of classes with several priorities, and the arguments of their results' __array_wrap__
    and __array_finalize__."""
    class Told(xp.ndarray):
        origin = None

        def __array_finalize__(self, obj):
            self.origin = getattr(obj, "origin", None)

    class Higher(Told):
        __array_priority__ = 5.0

    class Lower(Told):
        __array_priority__ = -5.0

    def of(cls):
        def make(a, origin):
            x = xp.asarray(a).view(cls)
            x.origin = origin
            return x
        return make

    def masked(a, origin):
        return xp.ma.array(a, mask=numpy.indices(a.shape)[0] == a.ndim - 1)

    return {"array": lambda a, origin: xp.asarray(a), "list": lambda a, origin: a.tolist(), "told": of(Told), "higher": of(Higher),
            "lower": of(Lower), "masked": masked, "matrix": lambda a, origin: xp.asarray(a).view(xp.matrix) if a.ndim == 2 else xp.asarray(a)}


PRODUCTS = {
    "dot": lambda xp, a, b: xp.dot(a, b), "dot by name": lambda xp, a, b: xp.dot(a=a, b=b), "method": lambda xp, a, b: xp.asanyarray(a).dot(b),
    "dot of a number": lambda xp, a, b: xp.dot(2.0, b), "dot into": lambda xp, a, b: xp.dot(a, b, xp.zeros(xp.dot(a, b).shape or 1)),
    "inner": lambda xp, a, b: xp.inner(a, b), "outer": lambda xp, a, b: xp.outer(a, b), "tensordot": lambda xp, a, b: xp.tensordot(a, b, 1),
    "matmul": lambda xp, a, b: xp.matmul(a, b), "vecdot": lambda xp, a, b: xp.vecdot(a, b), "matvec": lambda xp, a, b: xp.matvec(a, b),
    "vecmat": lambda xp, a, b: xp.vecmat(a, b), "multi_dot": lambda xp, a, b: xp.linalg.multi_dot([a, b, a]),
    "einsum": lambda xp, a, b: xp.einsum("ij,jk", a, b), "vdot": lambda xp, a, b: xp.vdot(a, b),
    "correlate": lambda xp, a, b: xp.correlate(a, b), "correlate, same": lambda xp, a, b: xp.correlate(a, b, "same"),
    "correlate, full": lambda xp, a, b: xp.correlate(a, b, "full"), "convolve": lambda xp, a, b: xp.convolve(a, b),
}


def described(xp, call, a, b):
    try:
        result = call(xp, a, b)
    except Exception as e:
        return ValueError if isinstance(e, ValueError) else type(e)
    mask = numpy.asarray(xp.ma.getmask(result)).tolist() if isinstance(result, xp.ma.MaskedArray) else None
    return type(result).__name__, numpy.asarray(result).tolist(), getattr(result, "origin", None), mask


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("first", classes_of_operands(numpy))
def test_products_are_of_the_class_with_the_higher_priority_and_told_of_that_operand(name, first):
    matrix, vector = numpy.arange(4.0).reshape(2, 2), numpy.arange(2.0)
    for second in classes_of_operands(numpy):
        # NumPy's result is not that of the elements: the flattened matrix has two axes
        if name == "vdot" and "matrix" in (first, second):
            continue
        for a, b in ((matrix, matrix), (matrix, vector), (vector, matrix), (vector, vector)):
            outcomes = []
            for xp in (numpy, np):
                make = classes_of_operands(xp)
                outcomes.append(described(xp, PRODUCTS[name], make[first](a, "first"), make[second](b, "second")))
            assert outcomes[0] == outcomes[1], (second, a.shape, b.shape)


@pytest.mark.parametrize("mode", ["data", "fill_value", "hard"])
def test_a_product_with_a_masked_array_keeps_what_it_has(mode):
    def of(xp):
        a, m = xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]], fill_value=7, hard_mask=True)
        results = [xp.dot(a, m), xp.dot(m, a), a.dot(m), xp.inner(a, m), xp.dot(2, m), xp.matmul(a, m), xp.linalg.multi_dot([a, m, a]), xp.ma.dot(a, m)]
        if mode == "data":
            return [numpy.asarray(r.data).tolist() for r in results] + [numpy.asarray(r.mask).tolist() for r in results]
        return [r.fill_value for r in results] if mode == "fill_value" else [r.hardmask for r in results]
    assert of(np) == of(numpy)
