"""NumPy's modules: their names exist, they can be imported, and they compute the same as NumPy's."""
import importlib
import importlib.util
import json
import pickle
import warnings
import subprocess
import sys
from pathlib import Path

import numpy
import numpy.ma
import numpy.polynomial
import pytest

import torch_np
import torch_np.numpy as np
from torch_np._deferred import defer

INVENTORY = Path(__file__).resolve().parents[2] / "conformance" / "numpy_api.json"

PUBLIC = """char ctypeslib dtypes emath exceptions fft lib linalg ma matlib polynomial random rec strings testing typing version""".split()

IMPORTED = """char core core.defchararray core.fromnumeric core.multiarray core.numeric core.numerictypes core.records core.umath ctypeslib dtypes
exceptions fft lib lib.array_utils lib.format lib.introspect lib.mixins lib.npyio lib.recfunctions lib.scimath lib.stride_tricks lib.user_array
linalg ma ma.core ma.extras ma.mrecords ma.testutils matlib matrixlib polynomial polynomial.chebyshev polynomial.hermite polynomial.hermite_e
polynomial.laguerre polynomial.legendre polynomial.polynomial polynomial.polyutils random random.bit_generator random.mtrand rec strings
testing testing.overrides typing version _core _core._multiarray_umath _core.multiarray _core.numeric _core.umath
lib._function_base_impl lib._index_tricks_impl""".split()


def names():
    return [e["name"] for e in json.loads(INVENTORY.read_text())["entries"]]


# ------------------------------------------------------------------------------------------------- names and imports

@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_every_public_name_of_numpy_is_there():
    def has(dotted):
        found = np
        for part in dotted.split("."):
            if not hasattr(found, part):
                return False
            found = getattr(found, part, None)
        return True
    assert len(names()) > 890
    assert [name for name in names() if not has(name)] == []


@pytest.mark.parametrize("name", IMPORTED)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_modules_can_be_imported_and_have_numpys_public_names(name):
    ours, theirs = importlib.import_module(f"torch_np.numpy.{name}"), importlib.import_module(f"numpy.{name}")
    assert ours.__name__ == f"torch_np.numpy.{name}"
    assert [n for n in getattr(theirs, "__all__", dir(theirs)) if not n.startswith("_") and not hasattr(ours, n)] == []


def test_public_modules_are_attributes_and_load_when_they_are_asked_for():
    program = f"""
import sys, torch_np.numpy as np
lazy = [n for n in {PUBLIC!r} if type(vars(np)[n]).__name__ == "DeferredModule"]
assert {{"ma", "polynomial", "testing", "char", "rec", "ctypeslib"}} <= set(lazy), lazy
assert "numpy.testing" not in sys.modules and "numpy.ma" not in sys.modules
assert all(getattr(np, n).__name__ for n in {PUBLIC!r})
assert set({PUBLIC!r}) <= set(dir(np))
from torch_np.numpy import *
assert ma is np.ma and sum is np.sum
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_deferred_modules_are_there_once_for_all_threads():
    program = """
import sys, threading, torch_np.numpy as np
before = np.ma
found, start = [], threading.Barrier(8)
def ask():
    start.wait()
    found.append((np.ma.masked_array, np.polynomial.Polynomial))
threads = [threading.Thread(target=ask) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
import torch_np.numpy.ma
assert len(found) == 8 and len(set(found)) == 1
assert before is np.ma is sys.modules["torch_np.numpy.ma"] and type(np.ma).__name__ == "module"
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Broken:
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        raise ImportError("broken")


def test_a_deferred_module_that_cannot_be_imported_says_so_each_time():
    spec = importlib.machinery.ModuleSpec("torch_np.numpy._broken", Broken())
    module = defer(spec)
    for _ in range(2):
        with pytest.raises(ImportError, match="broken"):
            module.anything


def test_aliases_are_one_object_where_they_are_so_in_numpy():
    functions = {n: f for n, f in vars(numpy).items() if isinstance(f, numpy.ufunc) or hasattr(f, "_implementation")}
    pairs = [(a, b) for a in functions for b in functions if a < b and functions[a] is functions[b]]
    assert len(pairs) > 15
    assert [(a, b) for a, b in pairs if getattr(np, a) is not getattr(np, b)] == []
    assert np._core.umath.true_divide is np.true_divide


def test_private_names_that_packages_reach_for_are_ours_where_we_have_them():
    assert np._core.umath.add is np.add and np._core.multiarray.array is np.array
    assert np._core.numeric.concatenate is np.concatenate and np._core.fromnumeric.sum is np.sum
    assert np.lib._function_base_impl.median is np.median
    assert np.random.mtrand._rand.random_sample == np.random.random_sample
    assert np._core.numeric.normalize_axis_tuple(-1, 3) == (2,)


# ------------------------------------------------------------------------------------------------------- polynomials

SERIES = ["Polynomial", "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre"]


@pytest.mark.parametrize("name", SERIES)
def test_series_have_the_values_of_numpys(name):
    x = numpy.linspace(-1, 1, 11)
    results = []
    for module in (np, numpy):
        series = getattr(module.polynomial, name)
        p, q = series([1.0, 2, 0.5, -3]), series([0.25, 1])
        points = module.asarray(x)
        fitted = series.fit(points, module.exp(points), 3)
        found = [p(points), (p * q).coef, (p + q).coef, (p // q).coef, (p % q).coef, p.deriv().coef, p.integ(1, k=[2]).coef,
                 q.roots(), fitted.coef, fitted(points), series.fromroots([1, 2]).coef, (p ** 2).coef]
        if module is np:
            assert all(type(v) is np.ndarray for v in found)
        results.append([numpy.asarray(v) for v in found])
    for ours, theirs in zip(*results):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_functions_of_the_modules_of_polynomials_have_numpys_values():
    c, x, y = [[1.0, 2, 3], [0.5, 0, 1]], [0.1, 0.2], [0.3, 0.4]
    for name, short in [("polynomial", "poly"), ("chebyshev", "cheb"), ("legendre", "leg"), ("laguerre", "lag"), ("hermite", "herm"), ("hermite_e", "herme")]:
        ours, theirs = (getattr(m.polynomial, name) for m in (np, numpy))
        for call in ("val2d", "grid2d"):
            numpy.testing.assert_allclose(numpy.asarray(getattr(ours, short + call)(np.array(x), np.array(y), np.array(c))),
                                          getattr(theirs, short + call)(x, y, c))
        for call in ("vander", "companion"):
            arguments = (x, 3) if call == "vander" else ([1, 2, 3.0],)
            numpy.testing.assert_allclose(numpy.asarray(getattr(ours, short + call)(*arguments)), getattr(theirs, short + call)(*arguments))


@pytest.mark.parametrize("name", SERIES)
def test_gradients_reach_the_coefficients_and_the_points(name):
    c = np.array([0.5, -1.0, 2.0, 0.25])
    x = np.linspace(-0.9, 0.8, 5)
    c._requires_grad = x._requires_grad = True
    getattr(np.polynomial, name)(c)(x).sum()._backward()
    theirs = getattr(numpy.polynomial, name)(c._detach())
    points = numpy.asarray(x._detach())
    basis = [getattr(numpy.polynomial, name).basis(i)(points).sum() for i in range(4)]
    numpy.testing.assert_allclose(numpy.asarray(c._grad), basis, rtol=1e-12)
    numpy.testing.assert_allclose(numpy.asarray(x._grad), numpy.asarray(theirs.deriv()(points)), rtol=1e-12)


def test_series_are_on_the_device_of_their_coefficients():
    c = np.array([1.0, 2, 3])
    p = np.polynomial.Polynomial(c)
    assert p.coef.device == c.device and p(np.ones(2)).device == c.device


def test_series_are_pickled_and_printed():
    p = np.polynomial.Chebyshev([1, 2, 3.5])
    assert str(p) == str(numpy.polynomial.Chebyshev([1, 2, 3.5]))
    assert type(p).__module__ == "torch_np.numpy.polynomial.chebyshev"
    assert pickle.loads(pickle.dumps(p)) == p


# ----------------------------------------------------------------------------------------------------- masked arrays

def masked(module, values=(1.0, 2.0, 3.0, 4.0), mask=(0, 1, 0, 0)):
    return module.ma.masked_array(module.array(values), mask=module.array(mask, dtype=bool))


OPERANDS = ("x", "y", "z", "i", "g", "c", "h", "m.array([[1.0], [0.0]])", "m.float32(2.5)", "0", "3", "m.ma.masked", "[1, 2, 3, 4]")
OPERATIONS = ("({a}) + ({b})", "({a}) / ({b})", "({a}) // ({b})", "({a}) ** ({b})", "({a}) < ({b})", "({a}) == ({b})",
              "m.ma.subtract({a}, {b})", "m.add({a}, {b})", "m.divide({a}, {b})", "m.ma.arctan2({a}, {b})", "m.ma.mask_or(m.ma.getmask({a}), m.ma.getmask({b}))")
OF_ONE = ("-{a}", "abs({a})", "m.ma.sqrt({a})", "m.ma.log({a})", "m.ma.arccos({a})", "m.sqrt({a})", "m.log({a})", "m.ma.exp({a})", "m.ma.around({a})",
          "m.ma.logical_not({a})", "{a}[1]", "{a}[0]", "{a}[...]", "{a}[1:3]", "{a}[[0, 2]]", "{a}[None]", "{a}[{a} > 1]", "{a}.sum()", "{a}.sum(0)",
          "{a}.sum(0, keepdims=True)", "{a}.prod()", "{a}.mean()", "{a}.mean(0)", "{a}.mean(-1, keepdims=True)", "{a}.var()", "{a}.var(0)", "{a}.std()",
          "{a}.min()", "{a}.max(0)", "{a}.min(fill_value=-5)", "{a}.ptp()", "{a}.all()", "{a}.any(0)", "{a}.count()", "{a}.count(0)", "{a}.cumsum()",
          "{a}.filled()", "{a}.filled(7)", "{a}.compressed()", "{a}.view()", "{a}.copy()", "{a}.T", "{a}.astype('f4')", "{a}.reshape(-1)", "{a}.ravel()",
          "m.ma.array({a})", "m.ma.array({a}, copy=True)", "m.ma.array({a}, mask=[0, 0, 1, 1])", "m.ma.array({a}, mask=True, keep_mask=False)",
          "m.ma.array({a}, 'f4', fill_value=3)", "m.ma.asarray({a})", "m.ma.getmaskarray({a})", "m.ma.masked_where(m.ma.getdata({a}) > 2, {a})",
          "m.ma.masked_equal({a}, 3)", "m.ma.concatenate([{a}, {a}])", "m.ma.array([[1, 2], [3, 4]], mask=[0, 1])",
          "m.ma.array([1, 2, 3], mask=[1, 0])", "m.ma.array([1, 2], mask=1)", "m.ma.array((1, 2), mask=m.ma.nomask, hard_mask=True)")
CHANGES = ("{a}[1] = 9", "{a}[1] = m.ma.masked", "{a}[0:2] = [7, 8]", "{a}[{a} > 1] = 0", "{a}[m.array([True, False, True, False])] = m.ma.masked",
           "{a}[0] = {a}[1]", "{a}.mask = [1, 0, 0, 1]", "{a}.mask = False", "{a} += 1", "{a} *= {a}", "{a}.fill_value = 4", "{a}[:2] = x[2:]",
           "{a}.soften_mask(); {a}[:] = 1", "{a}[9] = 1", "{a}['f'] = 1", "{a}[0] = 'text'")


def shown(value):
    return numpy.array_repr(numpy.asarray(value), precision=5)


def state(value):
    """Everything of a masked array or another result that programs can see."""
    if isinstance(value, Exception):
        return type(value).__name__
    kind = type(value).__name__
    if kind != "MaskedArray":
        return kind, str(getattr(value, "dtype", "")), shown(value) if kind != "MaskedConstant" else ""
    return (kind, str(value.dtype), value.shape, shown(value.data), shown(value.mask), shown(value.fill_value), value.hardmask,
            value.sharedmask, value._baseclass.__name__, value._isfield, numpy.asarray(value._fill_value).ndim)


def masked_state(module, text, operands):
    masked_array = module.ma.array
    names = {"m": module, "x": masked_array([1.0, 2.0, 3.0, 4.0], mask=[0, 1, 0, 0]), "y": masked_array(module.array([0.5, -2.0, float("nan"), 1e300])),
             "z": masked_array([0.0, 0.0, 2.0, 0.0], mask=[0, 0, 0, 1], fill_value=5), "i": masked_array([1, 0, 3, -4], mask=[1, 0, 0, 0]),
             "g": masked_array([True, False, True, True], mask=[0, 0, 1, 0]), "c": masked_array([1j, 2, 3, 4], mask=[0, 1, 0, 0]),
             "h": masked_array(module.array([1, 2, 3, 4], dtype="f4"), mask=[0, 0, 1, 0], hard_mask=True)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(f"result = {text}" if operands is None else text, names)
        except Exception as error:
            names["result"] = error
    found = [state(names[k]) for k in ((operands, "result") if operands else ("result",)) if k in names]
    return found, sorted({str(w.category.__name__) for w in caught})


def test_masked_arrays_have_the_state_of_numpys():
    texts = [(o.format(a=a, b=b), None) for o in OPERATIONS for k, a in enumerate(OPERANDS[:7]) for b in OPERANDS[k + 1:]
             if not (o.startswith(("({a}) *", "({a}) <", "m.divide")) and "c" in (a, b))]  # signs of zeros, NumPy's warnings
    texts += [(o.format(a=a), None) for o in OF_ONE for a in OPERANDS[:7]]
    texts += [(o.format(a=a), a) for o in CHANGES for a in OPERANDS[:7]]
    differ = [(text, ours, theirs) for text, changed in texts
              if (ours := masked_state(np, text, changed)) != (theirs := masked_state(numpy, text, changed))]
    assert not differ, "\n".join(map(str, differ[:20]))


@pytest.mark.parametrize("call", [
    lambda m, x: x.filled(-1), lambda m, x: (x + 1).filled(0), lambda m, x: (x * x).mask, lambda m, x: x.compressed(),
    lambda m, x: x.cumsum().filled(9), lambda m, x: m.ma.masked_greater(x, 2.5).mask, lambda m, x: m.ma.where(x > 2, x, 0).filled(7),
    lambda m, x: m.ma.concatenate([x, x]).filled(0), lambda m, x: m.ma.average(x),
    lambda m, x: m.ma.sqrt(x - 2).mask, lambda m, x: x.sum(), lambda m, x: x.mean(), lambda m, x: x.std(), lambda m, x: x.max(),
    lambda m, x: x.argmin(), lambda m, x: x.count(), lambda m, x: m.ma.masked_invalid([1.0, m.nan]).mask, lambda m, x: m.ma.getdata(x),
    lambda m, x: m.ma.notmasked_edges(x), lambda m, x: x[1:].mask, lambda m, x: x.reshape(2, 2).sum(0).filled(0),
    lambda m, x: m.ma.dot(x, x), lambda m, x: m.ma.corrcoef(x, x[::-1]).filled(5),
])
def test_masked_arrays_have_the_values_of_numpys(call):
    ours, theirs = call(np, masked(np)), call(numpy, masked(numpy))
    numpy.testing.assert_array_equal(numpy.asarray(ours), numpy.asarray(theirs))


def test_masked_arrays_are_arrays_of_ours():
    x = masked(np)
    assert isinstance(x, np.ndarray) and type(x.data) is np.ndarray and type(x) is np.ma.MaskedArray
    x[0] = np.ma.masked
    assert x.mask.tolist() == [True, True, False, False]


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "std", "var", "average", "sort", "cumsum", "diff", "sqrt", "median", "argmax", "any", "ravel",
                                  "take_along_axis", "repeat", "nonzero", "round", "ptp", "flip"])
def test_functions_of_masked_arrays_leave_masked_elements_out_as_numpys_do(name):
    found = []
    for module in (np, numpy):
        x = masked(module)
        arguments = {"take_along_axis": (module.array([2, 1, 0, 3]), 0), "repeat": (2,)}.get(name, ())
        result = getattr(module, name)(x, *arguments)
        result = result[0] if isinstance(result, tuple) else result
        found.append([numpy.asarray(getattr(result, part, 0)).tolist() for part in ("_mask", "_data")] if isinstance(result, module.ma.MaskedArray) and result.ndim
                     else numpy.asarray(result).tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("call", [lambda m, x: m.add(x, 1), lambda m, x: m.ones(4) * x, lambda m, x: m.multiply(m.ones(4), x),
                                  lambda m, x: m.log(x - 1), lambda m, x: m.divide(x, m.array([0.0, 1, 1, 0])), lambda m, x: m.negative(x)])
def test_ufuncs_of_masked_arrays_keep_the_mask_and_mask_what_is_outside_their_domain(call):
    with numpy.errstate(all="ignore"):
        ours, theirs = call(np, masked(np)), call(numpy, masked(numpy))
    assert type(ours) is np.ma.MaskedArray and ours.mask.tolist() == theirs.mask.tolist()
    assert ours.filled(0).tolist() == theirs.filled(0).tolist()


def test_scalars_of_numpys_leave_operators_to_masked_arrays():
    x, theirs = masked(np), masked(numpy)
    for call in (lambda s, y: s == y, lambda s, y: s != y, lambda s, y: s < y, lambda s, y: s * y, lambda s, y: s / y, lambda s, y: s - y):
        ours, wanted = call(numpy.float64(2), x), call(numpy.float64(2), theirs)
        assert type(ours) is np.ma.MaskedArray and ours.mask.tolist() == wanted.mask.tolist() and ours.filled(0).tolist() == wanted.filled(0).tolist()


def test_ufuncs_write_masks_into_masked_out():
    x, out = masked(np), np.ma.zeros(4)
    assert np.add(x, 1, out=out) is out
    assert out.mask.tolist() == [False, True, False, False] and out.filled(0).tolist() == [2, 0, 4, 5]


@pytest.mark.parametrize("protocol", range(6))
def test_masked_arrays_are_pickled(protocol):
    x = masked(np)
    x.fill_value = 7
    back = pickle.loads(pickle.dumps(x, protocol))
    assert type(back) is np.ma.MaskedArray and back.mask.tolist() == x.mask.tolist() and back.filled().tolist() == [1, 7, 3, 4]


def test_masked_arrays_of_what_the_engine_does_not_hold_are_numpys():
    x = np.ma.array(["a", "b"], mask=[False, True])
    assert type(x) is numpy.ma.MaskedArray and x.tolist() == ["a", None]
    with pytest.raises(TypeError):
        np.ma.MaskedArray([1, 2], dtype=3.5)


def test_masked_elements_get_no_gradient():
    values = np.array([1.0, 2.0, 3.0])
    values._requires_grad = True
    x = np.ma.masked_array(values, mask=[False, True, False])
    (x * x).filled(0).sum()._backward()
    assert values._grad.tolist() == [2.0, 0.0, 6.0]


def test_numpys_own_objects_count_as_ours():
    assert isinstance(numpy.ma.array([1]), np.ma.MaskedArray) and not isinstance(np.ones(2), np.ma.MaskedArray)


# ---------------------------------------------------------------------------------------------------- the assertions

DIFFERENT = [
    ("assert_equal", (lambda: np.array([1, 2]), lambda: np.array([1, 3]))),
    ("assert_equal", (lambda: [np.array([1, 2]), {"a": np.ones(2)}], lambda: [np.array([1, 2]), {"a": np.zeros(2)}])),
    ("assert_equal", (lambda: np.array(1.5), lambda: 2.5)),
    ("assert_array_equal", (lambda: np.ones(3), lambda: np.ones(4))),
    ("assert_array_equal", (lambda: np.array([1.0, np.nan]), lambda: np.array([np.nan, 1.0]))),
    ("assert_almost_equal", (lambda: np.array([1.0, 2]), lambda: np.array([1.0, 2.001]))),
    ("assert_approx_equal", (lambda: np.array(1.0), lambda: 1.1)),
    ("assert_array_almost_equal", (lambda: np.array([1.0, 2]), lambda: [1.0, 2.001])),
    ("assert_array_almost_equal_nulp", (lambda: np.ones(2), lambda: np.ones(2) + 1e-10)),
    ("assert_array_max_ulp", (lambda: np.ones(2), lambda: np.ones(2) + 1e-10)),
    ("assert_allclose", (lambda: np.ones(2), lambda: np.ones(2) + 1e-5)),
    ("assert_array_less", (lambda: np.array([1, 2]), lambda: np.array([2, 2]))),
]


@pytest.mark.parametrize("name, arguments", DIFFERENT, ids=[f"{n}{i}" for i, (n, _) in enumerate(DIFFERENT)])
def test_assertions_fail_where_arrays_differ_and_pass_where_they_do_not(name, arguments):
    check = getattr(np.testing, name)
    first, second = (a() for a in arguments)
    with pytest.raises(AssertionError):
        check(first, second)
    if name == "assert_array_less":
        check(first, np.array([5, 5]))
    else:
        check(first, arguments[0]())


def test_assertions_compare_the_values_of_arrays_with_gradients():
    x = np.ones(3)
    x._requires_grad = True
    np.testing.assert_allclose(x * 2, [2, 2, 2])
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(x * 2, [2, 2, 3])


def test_assertions_look_at_the_dtype_when_strict():
    np.testing.assert_array_equal(np.ones(2), np.ones(2, dtype=np.float32))
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(np.ones(2), np.ones(2, dtype=np.float32), strict=True)


def test_assertions_that_call_functions_hand_them_our_arrays():
    x = np.ones((2, 3))
    np.testing.assert_raises(ValueError, np.reshape, x, (4,))
    seen = []
    np.testing.assert_raises(ZeroDivisionError, lambda a: seen.append(a) or 1 / 0, x)
    assert seen[0] is x
    with np.testing.assert_raises_regex(ValueError, "reshape"):
        np.reshape(x, (4,))


def test_overridable_functions_are_ours():
    from torch_np.numpy.testing import overrides
    assert overrides.allows_array_function_override(np.concatenate) and overrides.allows_array_ufunc_override(np.add)
    assert not overrides.allows_array_function_override(len)


# --------------------------------------------------------------------------------------------------------- iteration

def test_nditer_writes_into_our_arrays():
    x = np.arange(6.0).reshape(2, 3)
    with np.nditer(x, op_flags=["readwrite"]) as it:
        for v in it:
            assert isinstance(v, np.ndarray)
            v[...] = 2 * v
    assert x.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_nditer_over_several_arrays_and_into_a_new_one():
    a, b = np.arange(3), np.arange(6).reshape(2, 3)
    it = np.nditer([a, b, None])
    with it:
        for x, y, z in it:
            z[...] = x + y
        assert it.operands[0] is a and it.operands[1] is b
        assert type(it.operands[2]) is np.ndarray and it.operands[2].tolist() == (a + b).tolist()


def test_nditer_has_the_flags_and_errors_of_numpys():
    x = np.arange(6).reshape(2, 3)
    it = np.nditer(x, flags=["multi_index"])
    assert [(it.multi_index, int(v)) for v in it] == [((i, j), 3 * i + j) for i in range(2) for j in range(3)]
    assert [len(v) for v in np.nditer(x[:, :2], flags=["external_loop"])] == [2, 2]
    it = np.nditer(x, flags=["c_index"])
    it.iterindex = 4
    assert it.index == 4 and int(it[0]) == 4 and it.copy().index == 4
    with pytest.raises(ValueError):
        next(iter(np.nditer(x)))[...] = 1


def test_nested_iters_walk_in_nested_loops():
    x = np.arange(12).reshape(2, 3, 2)
    outer, inner = np.nested_iters(x, [[1], [0, 2]], flags=["multi_index"])
    assert [[int(v) for v in inner] for _ in outer] == [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]


def test_nditer_refuses_arrays_with_gradients():
    x = np.ones(2)
    x._requires_grad = True
    with pytest.raises(TypeError, match="gradient"):
        np.nditer(x)


# ------------------------------------------------------------------------------------------- the rest of the modules

def test_matrices_multiply_as_matrices():
    m = np.matrix([[1.0, 2], [3, 4]])
    assert type(m * m) is np.matrix and (m * m).tolist() == [[7, 10], [15, 22]]
    assert (m * np.ones((2, 1))).tolist() == [[3], [7]] and m.I.shape == (2, 2) and isinstance(m, np.ndarray)
    assert np.bmat([[m, m]]).shape == (2, 4) and np.asmatrix(np.ones(3)).shape == (1, 3)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_functions_of_matrices_are_those_of_numpys():
    rows = [[1.0, 2], [3, 5]]
    for call in (lambda m, x: m.sum(x, axis=1), lambda m, x: m.mean(x, 1), lambda m, x: m.linalg.solve(x, x), lambda m, x: m.diff(x),
                 lambda m, x: m.kron(x, x), lambda m, x: x ** 2, lambda m, x: m.linalg.inv(x),
                 lambda m, x: m.concatenate([x, x]), lambda m, x: m.r_["r", 1:3, 5], lambda m, x: m.r_["c", 1:3], lambda m, x: m.r_["x, x"]):
        ours, theirs = call(np, np.matrix(rows)), call(numpy, numpy.matrix(rows))
        assert type(ours) is np.matrix and type(theirs) is numpy.matrix
        numpy.testing.assert_allclose(numpy.asarray(ours), numpy.asarray(theirs))


def test_memmaps_are_arrays_of_ours_over_the_file(tmp_path):
    path = tmp_path / "x.bin"
    m = np.memmap(path, dtype=np.float32, mode="w+", shape=(3, 4))
    m[:] = np.arange(12).reshape(3, 4)
    m.flush()
    assert numpy.fromfile(path, numpy.float32).tolist() == list(range(12))
    assert isinstance(m, np.memmap) and isinstance(m, np.ndarray) and (m + np.ones(4)).sum() == 78
    for result in (np.add(m, 1), m + 1, 1 + m, m * m, -m, m ** 2, m < 3, np.ones(4) == m):
        assert type(result) is np.ndarray
    assert type(m[1:]) is np.memmap
    again = np.memmap(path, dtype=np.float32, mode="r", offset=16, shape=(2, 4))
    assert again[0].tolist() == [4, 5, 6, 7]
    with pytest.raises(ValueError, match="read-only"):
        again[0, 0] = 1


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_mapped_files_are_memmaps(tmp_path, mode, order):
    path = str(tmp_path / "x.npy")
    values = numpy.asarray(numpy.arange(12.0).reshape(3, 4), order=order)
    numpy.save(path, values)
    m, theirs = np.load(path, mmap_mode=mode), numpy.load(path, mmap_mode=mode)
    assert type(m) is np.memmap and (m.mode, m.offset, m.filename) == (theirs.mode, theirs.offset, theirs.filename)
    assert m.tolist() == values.tolist() and m.flags.writeable == theirs.flags.writeable and m.strides == theirs.strides
    if mode != "r":
        m[0, 0] = 99
        m.flush()
        assert numpy.load(path)[0, 0] == (99 if mode == "r+" else 0)
    made = np.lib.format.open_memmap(str(tmp_path / "y.npy"), mode="w+", dtype="f4", shape=(3,))
    made[:] = 2
    made.flush()
    assert type(made) is np.memmap and numpy.load(tmp_path / "y.npy").tolist() == [2, 2, 2]
    assert type(np.load(path, mmap_mode="r").astype("U3")) is numpy.ndarray


def test_text_is_numpys_and_numbers_about_it_are_ours():
    words = numpy.array(["a", "bcd"])
    assert np.char.upper(words).tolist() == ["A", "BCD"] and type(np.char.upper(words)) is numpy.ndarray
    lengths = np.strings.str_len(words)
    assert type(lengths) is np.ndarray and lengths.tolist() == [1, 3]
    assert np.char.multiply(words, np.array([2, 1])).tolist() == ["aa", "bcd"]


def test_records_are_made_of_our_arrays():
    r = np.rec.fromarrays([np.arange(3), np.ones(3)], names="a,b")
    assert type(r) is np.recarray and r.a.tolist() == [0, 1, 2]
    from torch_np.numpy.lib import recfunctions
    plain = recfunctions.structured_to_unstructured(r.view(numpy.ndarray))
    assert type(plain) is np.ndarray and plain.tolist() == [[0, 1], [1, 1], [2, 1]]


def test_dates_are_numpys():
    days = numpy.array(["2024-01-01", "NaT"], dtype="datetime64[D]")
    assert np.isnat(days).tolist() == [False, True] and type(np.isnat(days)) is np.ndarray and np.isnat.nin == 1
    assert np.busday_count("2024-01-01", "2024-01-08") == 5


def test_frompyfunc_makes_a_ufunc_of_objects():
    double = np.frompyfunc(lambda x: 2 * x, 1, 1)
    assert double.nin == 1 and double([1, 2]).tolist() == [2, 4]
    x = np.arange(3)
    assert double(x).dtype == object and double(x).tolist() == [0, 2, 4]
    assert np.frompyfunc(max, 2, 1).reduce(x) == 2
    with np._fallback("raise"), pytest.raises(TypeError):
        double(x)
    x = np.ones(2)
    x._requires_grad = True
    with pytest.raises(TypeError, match="gradient"):
        double(x)


def test_operators_of_array_like_classes_are_our_ufuncs():
    class Logged(np.lib.mixins.NDArrayOperatorsMixin):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc, method

    assert Logged() + 1 == (np.add, "__call__") and np.exp(Logged()) == (np.exp, "__call__")


# -------------------------------------------------------------------------------------------------- memory in C's terms

def test_ctypes_gives_address_shape_and_strides():
    import ctypes
    x = np.arange(6.0).reshape(2, 3)
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert x.ctypes.data == x._torch().data_ptr() and pointer[4] == 4 and tuple(x.ctypes.shape) == (2, 3)
    assert tuple(x.T.ctypes.strides) == (8, 24)


def test_ctypeslib_checks_and_converts_our_arrays():
    import ctypes
    kind = np.ctypeslib.ndpointer(dtype=np.float64, ndim=1, flags="C_CONTIGUOUS")
    x = np.arange(3.0)
    kind.from_param(x)
    with pytest.raises(TypeError):
        kind.from_param(np.arange(3))
    buffer = np.ctypeslib.as_ctypes(x)
    buffer[0] = 7
    assert x[0] == 7
    back = np.ctypeslib.as_array((ctypes.c_int * 2)(1, 2))
    assert type(back) is np.ndarray and back.tolist() == [1, 2]


def test_getfield_is_a_view_of_a_part_of_the_elements_and_setfield_writes_it():
    x = np.array([1 + 2j, 3 + 4j])
    part = x.getfield(np.float64, offset=8)
    assert part.tolist() == [2, 4]
    part[0] = 9
    x.setfield(np.array([5, 6]), np.float64)
    assert x.tolist() == [5 + 9j, 6 + 4j]
    with pytest.raises(ValueError):
        x.getfield(np.float64, offset=12)
    x = np.ones(2)
    x._requires_grad = True
    with pytest.raises(TypeError, match="gradient"):
        x.setfield(2, np.float64)


# ------------------------------------------------------------------------------------------------------ conversions

def test_arrays_on_a_device_are_not_handed_to_numpy():
    x = np.ones(3, _device="meta")
    with pytest.raises(TypeError, match="'meta'"):
        np.nditer(x)


def test_annotations_of_arrays_are_ours():
    from torch_np.numpy.typing import ArrayLike, DTypeLike, NDArray  # noqa: F401
    assert NDArray[np.float64].__origin__ is np.ndarray
    assert torch_np.numpy.typing is np.typing


@pytest.mark.parametrize("first", ["torch_np.nn.parameter", "torch_np.nn.modules.linear", "torch_np.nn.utils.rnn", "torch_np.optim.lr_scheduler",
                                   "torch_np.utils.data.dataset", "torch_np.numpy.random", "torch_np.numpy.ma.extras", "torch_np.nn.functional",
                                   "torch_np.distributed.run"])
def test_a_module_in_a_deferred_one_may_be_imported_first(first):
    program = f"""
import importlib, sys
first = importlib.import_module({first!r})
names = {first!r}.split(".")
module = sys.modules[names[0]]
for name in names[1:]: module = getattr(module, name)
assert module is first is sys.modules[{first!r}]
from torch_np.nn.parameter import Parameter
import torch_np
assert Parameter is torch_np.nn.Parameter and type(torch_np.nn.Linear(2, 3).weight) is Parameter
assert sys.modules["torch_np.nn"] is torch_np.nn and torch_np.nn.__spec__.loader is torch_np.nn.__loader__
import inspect
assert "class Parameter" in inspect.getsource(torch_np.nn.parameter) and inspect.getsource(torch_np.nn)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
