"""Regression tests of calls that the fuzzer (test/fuzz) found to differ from NumPy."""
import warnings

import numpy
import pytest
from layouts import agrees

import torch_np
import torch_np.numpy as np


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint64", "int32", "float16", "float32", "complex64"])
def test_poly_of_integers_is_float64(dtype):
    agrees("poly", numpy.array([1, 0, 1]).astype(dtype))


def test_angle_of_bools_is_float64():
    agrees("angle", numpy.array([True, False]))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float16", "float32", "float64", "complex64"])
def test_sort_complex_is_short_for_short_integers_only(dtype):
    # equal numbers, since NumPy's sort may be wrong about others
    agrees("sort_complex", numpy.full(3, 2).astype(dtype))
    got = numpy.asarray(np.sort_complex(np.array([3, 1, 2], dtype=dtype)))
    assert got.tolist() == [1, 2, 3]


@pytest.mark.parametrize("function", ["emath.sqrt", "emath.arcsin", "emath.arctanh", "emath.log2"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "float16", "float32", "float64"])
def test_emath_is_complex_as_numpys(function, dtype):
    x = numpy.array([-2]).astype(dtype)
    expected = numpy.emath.__dict__[function.partition(".")[2]](x)
    got = getattr(np.emath, function.partition(".")[2])(np.asarray(x))
    assert got.dtype == expected.dtype
    numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64"])
def test_sinc_of_zero_is_one(dtype):
    x = numpy.array([0, 1, -0.0]).astype(dtype)
    numpy.testing.assert_allclose(numpy.asarray(np.sinc(np.asarray(x))), numpy.sinc(x), atol=1e-3)


def test_ravel_multi_index_in_no_order_is_in_rows():
    agrees("ravel_multi_index", ([0], [3]), (3, 4), order=None)
    agrees("unravel_index", [1, 7], (3, 4), None)


@pytest.mark.parametrize("function", ["quantile", "nanquantile"])
@pytest.mark.parametrize("method, expected", [("linear", [numpy.inf, 5]), ("hazen", [5, 5]), ("weibull", [5, 5])])
def test_quantiles_beside_an_infinity_that_has_no_weight(function, method, expected):
    x = np.array([[5.0], [numpy.inf]], "f4")  # NumPy multiplies the infinity by 0 with linear methods
    assert getattr(np, function)(x, [0.1, 0.0], method=method).tolist() == expected


@pytest.mark.parametrize("values, q, expected", [([1, 2, numpy.inf], 50, 2), ([-numpy.inf, 1, numpy.inf], 50, 1), ([-numpy.inf, 3, 4], 75, 3.5),
                                                 ([1, numpy.inf, numpy.nan], 0.0, 1), ([1, 2, 3, numpy.inf, numpy.inf], 50, 3)])
def test_percentiles_at_an_element_are_that_element_beside_an_infinity(values, q, expected):
    assert float(np.nanpercentile(np.array(values), q)) == expected


def test_vander_of_negative_width_raises():
    agrees("vander", numpy.ones(2), -1)


def test_edges_of_histogramdd_are_a_list():
    assert type(np.histogramdd(np.ones(3))[1]) is list


def test_vector_norm_without_order_is_the_second():
    assert float(np.linalg.vector_norm(np.array([3.0, 4.0]), ord=None)) == 5


def test_poly1d_is_called_with_val():
    assert float(np.poly1d([2, 1])(val=3)) == 7


@pytest.mark.parametrize("size", [None, 0, 5, (2, 3), 5000])
@pytest.mark.parametrize("kind", ["PCG64", "MT19937", "Philox", "SFC64"])
def test_random_raw_as_numpys(kind, size):
    theirs = getattr(numpy.random, kind)(1).random_raw(size)
    assert numpy.array_equal(numpy.asarray(getattr(np.random, kind)(1).random_raw(size)), theirs)


def test_too_many_raw_words_raise_at_once():
    with pytest.raises((ValueError, MemoryError)):
        np.random.MT19937(1).random_raw(2**62)


@pytest.mark.parametrize("n", [1, 4, 5, 6])
def test_diff_of_high_order_is_empty(n):
    agrees("diff", numpy.arange(5.0) ** 3, n)
    agrees("diff", numpy.ones((2, 3)), n, axis=0)


def test_diff_of_an_absurd_order_ends():
    assert np.diff(np.ones((2, 5)), 2**63 - 1).shape == (2, 0)


@pytest.mark.parametrize("name", ["add", "maximum", "arctan2", "hypot"])
@pytest.mark.parametrize("axis", [0, (0,), (-1,), None])
def test_methods_along_one_axis_take_it_in_a_tuple(name, axis):
    x = numpy.array([3.0, 1.0, 2.0])
    for method, arguments in (("accumulate", ()), ("reduceat", ([0, 2],))):
        expected = getattr(getattr(numpy, name), method)(x, *arguments, axis=axis)
        numpy.testing.assert_allclose(numpy.asarray(getattr(getattr(np, name), method)(np.asarray(x), *arguments, axis=axis)), expected)
    with pytest.raises(ValueError, match="multiple axes"):
        np.add.accumulate(np.ones((2, 2)), axis=(0, 1))


@pytest.mark.parametrize("key", [slice(None, None, -1), slice(None, None, 2)])
@pytest.mark.parametrize("order", ["C", "F", "K"])
def test_ravel_of_one_row_is_contiguous(key, order):
    x = np.arange(6.0)[key]
    row = x.ravel(order)
    assert row.flags.c_contiguous and not np.may_share_memory(row, x)
    assert row.tolist() == numpy.arange(6.0)[key].ravel(order).tolist()


def test_ravel_of_what_is_contiguous_is_a_view():
    x = np.arange(6.0)
    assert np.may_share_memory(x.reshape(2, 3).ravel(), x)


@pytest.mark.parametrize("value", [1.8, -1.8, complex(1.8, -0.0), complex(-1.8, -0.0), 0.5, 0.3 + 0.4j])
@pytest.mark.parametrize("name", ["arcsin", "arccos"])
def test_gradients_on_the_cuts_are_those_of_the_side_that_the_values_are_on(name, value):
    value = complex(value)
    z = np.array(value, complex, _requires_grad=True)
    y = getattr(np, name)(z)
    (y.real + 2 * y.imag)._backward()
    step = 1e-6  # along the branch cut: the functions jump across it
    after, before = (getattr(numpy, name)(complex(value.real + d, value.imag)) for d in (step, -step))
    slope = (after - before) / (2 * step)
    assert abs(complex(z._grad).real - (slope.real + 2 * slope.imag)) < 1e-5


@pytest.mark.parametrize("m", [1, 2, 3, 4, 9])
def test_polyder_of_high_order_is_empty(m):
    agrees("polyder", numpy.array([1.0, 2.0, 3.0]), m)


def test_polyder_of_an_absurd_order_ends():
    assert np.polyder(np.ones(3), 1e300).shape == (0,)


@pytest.mark.parametrize("call", ["power.accumulate(x)", "power.reduce(x)", "power.reduceat(x, [0])", "power.reduceat(x, [1, 0])",
                                  "power.reduce(x, initial=2, where=[True, True, False])", "power.reduce(x[2:], initial=3)",
                                  "power.reduce(x.reshape(1, 3), axis=1)", "power.accumulate(x.astype(float), dtype='i2')"])
def test_folds_of_integers_to_negative_powers_raise(call):
    for module in (numpy, np):
        with pytest.raises(ValueError, match="Integers to negative integer powers"):
            eval(f"np.{call}", {"np": module, "x": module.array([3, -1, -2])})


@pytest.mark.parametrize("call", ["power.accumulate(x[:1])", "power.reduce(x[:2])", "power.reduceat(x, [0, 1, 2])", "power.reduce(x, axis=())",
                                  "power.reduce(x, initial=2, where=[False, True, False])", "power.accumulate(x.astype(float))",
                                  "power.accumulate(x[:0])"])
def test_negative_integers_that_are_no_exponents_may_be_folded(call):
    expected, got = (eval(f"np.{call}", {"np": module, "x": module.array([-3, 2, -2])}) for module in (numpy, np))
    numpy.testing.assert_array_equal(numpy.asarray(got), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "c8"])
@pytest.mark.parametrize("name", ["cov", "corrcoef"])
@pytest.mark.parametrize("x", [[[1.0, 2.0, 4.0], [2.0, 2.0, 1.0]], 7.0])
def test_covariances_have_the_dtype_that_is_asked_for(name, x, dtype):
    assert getattr(np, name)(np.array(x), dtype=dtype).dtype == getattr(numpy, name)(numpy.array(x), dtype=dtype).dtype


def test_covariances_of_integers_in_integers_raise():
    with pytest.raises(TypeError, match="float64.*int64"):
        np.cov(np.arange(6).reshape(2, 3), dtype=int)


@pytest.mark.parametrize("number", [3, 2.5, 1j])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
def test_union_with_a_number_has_the_dtype_of_the_array(dtype, number):
    agrees("union1d", numpy.array([1, 2]).astype(dtype), number)


@pytest.mark.parametrize("name", ["partition", "argpartition"])
@pytest.mark.parametrize("shape, axis", [((2, 0), 0), ((0, 2), 1), ((0,), 0)])
def test_partition_of_no_elements_at_any_place(name, shape, axis):
    agrees(name, numpy.zeros(shape), [0, 2], axis)


def test_a_segment_of_one_element_is_that_element_also_while_recorded():
    x = [-0.35, 0.5, -0.25]
    a = np.array(x, _requires_grad=True)
    segments = np.hypot.reduceat(a, [0, 1])
    numpy.testing.assert_allclose(numpy.asarray(segments._detach()), numpy.hypot.reduceat(numpy.array(x), [0, 1]))
    segments[0]._backward()
    assert a._grad.tolist() == [1, 0, 0]


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("repeats", [2, [2]])
def test_gradient_of_repeat_counts_axes_from_the_end(axis, repeats):
    a = np.arange(6.0).reshape(2, 3).copy()
    a._requires_grad = True
    repeated = np.repeat(a, repeats, axis)
    weights = np.arange(12.0).reshape(repeated.shape)
    (repeated * weights).sum()._backward()
    if axis % 2:
        expected = numpy.arange(12.0).reshape(2, 3, 2).sum(2)
    else:
        expected = numpy.arange(12.0).reshape(2, 2, 3).sum(1)
    assert a._grad.tolist() == expected.tolist()


@pytest.mark.parametrize("name, x", [("arcsin", -1.123), ("arccos", 1.5), ("arctanh", 3.0), ("arccosh", 0.25), ("log", -2.0), ("sqrt", -2.0),
                                     ("log1p", -3.0), ("log2", -0.5)])
def test_gradients_of_functions_that_dtype_makes_complex(name, x):
    a = np.array(x, _requires_grad=True)
    y = getattr(np, name)(a, dtype=complex)
    (y.real + 2 * y.imag)._backward()
    step = 1e-6
    after, before = (getattr(numpy, name)(complex(x + d)) for d in (step, -step))
    slope = (after - before) / (2 * step)
    assert abs(float(a._grad) - (slope.real + 2 * slope.imag)) < 1e-6


@pytest.mark.parametrize("call", ["np.prod(x, dtype='f8')", "np.cumprod(x, dtype='f8').sum()", "np.sum(x * x, dtype='f8')", "np.mean(x * x, dtype='f8')",
                                  "np.absolute(x, dtype='f8').sum()", "np.var(x, dtype='f8')", "np.float_power(x, x, dtype='f8', casting='unsafe').sum()", "np.exp(x, dtype='f8', casting='unsafe').sum()"])
def test_gradients_where_dtype_drops_imaginary_parts(call):
    values = numpy.array([1.2 + 0.3j, 0.5 - 1j, 2 + 0.2j])
    direction = numpy.array([0.3 - 0.2j, 1 + 1j, -0.7 + 0.1j])
    a = np.array(values, _requires_grad=True)
    eval(call, {"np": np, "x": a})._backward()
    step = 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", numpy.exceptions.ComplexWarning)
        after, before = (eval(call, {"np": numpy, "x": values + d * direction}) for d in (step, -step))
    along = (numpy.conj(numpy.asarray(a._grad)) * direction).real.sum()
    assert abs(along - (after - before) / (2 * step)) < 1e-6


@pytest.mark.parametrize("base", [-1.123, 0.0, 0.3])
@pytest.mark.parametrize("exponent", [1 + 1j, 2 + 0.1j, 1.5 - 0.5j])
def test_gradients_of_real_numbers_to_complex_powers(base, exponent):
    x, p = np.array(base, _requires_grad=True), np.array(exponent, _requires_grad=True)
    y = np.power(x, p)
    (y.real + 2 * y.imag)._backward()
    step = 1e-6

    def value(b, e):
        z = complex(numpy.power(complex(b), e)) if b else 0j
        return z.real + 2 * z.imag
    if base:
        assert abs(float(x._grad) - (value(base + step, exponent) - value(base - step, exponent)) / (2 * step)) < 1e-5
    for direction in (1, 1j):
        slope = (value(base, exponent + step * direction) - value(base, exponent - step * direction)) / (2 * step)
        assert abs((complex(p._grad).conjugate() * direction).real - slope) < 1e-5


def test_gradient_of_a_power_of_bools():
    v = torch_np.tensor([2.0, 3.0], dtype=torch_np.float64, requires_grad=True)
    (v * 1).pow_(torch_np.tensor([True, False])).sum().backward()
    assert v.grad.tolist() == [1, 0]


@pytest.mark.parametrize("operator", ["-=", "+=", "*=", "/=", "**="])
@pytest.mark.parametrize("other", ["np.array([True, False])", "np.array([1, 2], 'i4')", "np.array([1.5, 2.5], 'f4')", "True"])
def test_in_place_operators_of_arrays_with_a_graph_have_numpys_rules(operator, other):
    values = {"x": numpy.array([2.0, 3.0]), "np": numpy}
    exec(f"x {operator} {other}", values)
    leaf = np.array([2.0, 3.0], _requires_grad=True)
    recorded = {"x": leaf * 1, "np": np}
    before = recorded["x"]
    exec(f"x {operator} {other}", recorded)
    assert recorded["x"] is before and before._requires_grad
    numpy.testing.assert_allclose(numpy.asarray(before._detach()), values["x"])
    before.sum()._backward()
    assert leaf._grad.shape == (2,)


@pytest.mark.parametrize("target, other", [("np.arange(2)", "np.ones(2, _requires_grad=True)"), ("np.ones(2, _requires_grad=True) * 1", "np.ones(2) * 1j"),
                                           ("np.ones(2, _requires_grad=True) * 1", "1j")])
def test_in_place_operators_of_arrays_with_a_graph_cast_as_numpys(target, other):
    with pytest.raises(TypeError, match="same_kind"):
        exec(f"x = {target}\nx -= {other}", {"np": np})


def test_the_third_power_of_a_matrix_is_multiplied_from_the_left():
    agrees("linalg.matrix_power", numpy.array([[numpy.inf, -4, -numpy.inf], [2.5, 3.5, -3], [5.5, -0.5, 11]]), 3)


def test_gradient_along_no_axis_takes_bools():
    assert np.gradient(np.array(True)) == ()


def test_take_along_no_dim_flattens_both():
    t = torch_np.arange(6).reshape(2, 3)
    assert torch_np.take_along_dim(t, torch_np.tensor([[0, 5], [1, 4]])).tolist() == [0, 5, 1, 4]
    with pytest.raises(ValueError, match="single dimension"):
        np.take_along_axis(np.arange(6).reshape(2, 3), np.zeros((2, 2), int), axis=None)


@pytest.mark.parametrize("name", ["hypot", "copysign", "arctan2", "power", "logaddexp", "fmod"])
def test_folds_on_meta_compute_nothing(name):
    x = np.empty((3, 4), _device="meta")
    ufunc = getattr(np, name)
    assert ufunc.reduce(x).shape == (4,)
    assert ufunc.accumulate(x, 1).shape == (3, 4)
    assert ufunc.reduceat(x, [0, 1], 1).shape == (3, 2)


def test_too_many_sections_raise_at_once():
    with pytest.raises(MemoryError):
        np.array_split(np.ones(1), 2**60)


@pytest.mark.parametrize("values, accepted", [(7.0, True), ([7.0], True), ([[1.0, 2.0, 3.0]], True), ([1.0, 2.0], False), ([[1.0], [2.0]], False)])
@pytest.mark.parametrize("axis", [0, None])
def test_put_along_axis_takes_what_broadcasts_to_the_indices(axis, values, accepted):
    x, indices = np.zeros(5), np.array([1, 0, 4])
    if not accepted:
        with pytest.raises(ValueError):
            np.put_along_axis(x, indices, np.array(values), axis)
        return
    np.put_along_axis(x, indices, np.array(values), axis)
    expected = numpy.zeros(5)
    numpy.put_along_axis(expected, numpy.array([1, 0, 4]), numpy.array(values), 0)
    assert x.tolist() == expected.tolist()


def test_folds_into_out_compute_in_the_common_dtype():
    x = numpy.array([[2, -2, 2], [6, 1, 0]], "i2")
    expected, got = numpy.empty(3), np.empty(3)
    numpy.hypot.reduce(x, out=expected)
    np.hypot.reduce(np.array(x), out=got)
    numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-15)


def test_gradient_of_a_number_that_is_repeated_along_an_axis():
    a = np.array(0.5, _requires_grad=True)
    np.repeat(a, [2], 0).sum()._backward()
    assert float(a._grad) == 2


def test_histogramdd_of_one_number():
    counts, (edges,) = np.histogramdd(np.array(0.5), 3)
    expected, (expected_edges,) = numpy.histogramdd(numpy.array(0.5), 3)
    assert counts.tolist() == expected.tolist() and edges.tolist() == expected_edges.tolist()


@pytest.mark.parametrize("name", ["arctan2", "true_divide", "hypot", "gcd"])
@pytest.mark.parametrize("out", ["?", "i4", "f4"])
@pytest.mark.parametrize("dtype", ["?", "i2", "f4"])
def test_folds_into_out_take_the_dtypes_that_numpys_take(name, dtype, out):
    def folded(module):
        result = module.zeros((), out)
        try:
            getattr(module, name).reduce(module.array([1, 1, 0]).astype(dtype), out=result)
        except TypeError:
            return TypeError
        return float(result)
    with numpy.errstate(all="ignore"):
        expected = folded(numpy)
    assert folded(np) == (expected if expected is TypeError else pytest.approx(expected, nan_ok=True))


def test_covariance_of_no_variables_is_float64():
    agrees("cov", numpy.zeros((0, 3), "f4"), dtype="c8")


@pytest.mark.parametrize("key", [slice(0, 2), [0, 1]])
def test_flat_is_left_alone_where_no_values_are_assigned(key):
    x = np.arange(4.0) + 5
    x.flat[key] = np.zeros((2, 0))
    assert x.tolist() == [5, 6, 7, 8]
    x = np.ones((2, 2))
    np.fill_diagonal(x, [])
    assert x.tolist() == [[1, 1], [1, 1]]


def test_cond_of_a_wrong_order_raises_also_for_singular_matrices():
    with pytest.raises(ValueError, match="norm order"):
        np.linalg.cond(np.zeros((2, 2)), 0.3)


def test_nan_quantiles_of_no_bools():
    agrees("nanpercentile", numpy.zeros((0, 3), bool), 100, axis=-1)


@pytest.mark.filterwarnings("ignore:Converting input from bool")
@pytest.mark.parametrize("bins", [3, "auto"])
def test_edges_of_bools(bins):
    agrees("histogram_bin_edges", numpy.array([True, False, True]), bins)


def test_dlpack_of_meta_raises():
    x = np.empty((3, 4), _device="meta")
    for function in (numpy.from_dlpack, lambda a: a.__dlpack__(), lambda a: a.__dlpack_device__()):
        with pytest.raises(NotImplementedError, match="meta"):
            function(x)


@pytest.mark.parametrize("number", [1, 2**40, -1, True, 1.5, 1j])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f2", "f4", "f8", "c8"])
def test_a_number_that_is_clipped_counts_as_an_array(number, dtype):
    bound = numpy.array([1, 0, 1]).astype(dtype)
    agrees("clip", number, bound, None)
    agrees("clip", number, None, bound)
    agrees("clip", number, min=bound)
    agrees("clip", number, bound, 1)


@pytest.mark.parametrize("dtypes", [("i1", "u1", "f2"), ("u2", "i1", "f4"), ("i2", "u2", "c8"), ("f2", "i2", "u2"), ("i1", "f4", "u2"), ("i8", "u8", "f4")])
def test_the_common_dtype_does_not_depend_on_the_order_of_operands(dtypes):
    arrays = [numpy.array([1, 0]).astype(dtype) for dtype in dtypes]
    agrees("clip", *arrays)
    assert np.concatenate([np.array(x) for x in arrays]).dtype == np.concatenate([np.array(x) for x in arrays[::-1]]).dtype == \
        numpy.concatenate(arrays).dtype


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f2", "f4", "c8"])
@pytest.mark.parametrize("make", [list, iter, lambda x: [x[0], 3, x[1]]])
def test_fromiter_takes_real_parts_of_complex_arrays_with_a_warning(dtype, make):
    x = numpy.array([5 + 0.5j, 6, -0j])
    found = []
    for module in (numpy, np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append((module.fromiter(make(module.asarray(x)), dtype).tolist(), {w.category for w in caught}))
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_fromiter_of_pythons_complex_numbers_raises(dtype):
    for module in (numpy, np):
        with pytest.raises(TypeError, match="complex"):
            module.fromiter([1 + 2j], dtype)


def test_gradients_flow_through_complex_items_of_fromiter():
    a = np.array([1.0, 2.0], _requires_grad=True)
    np.fromiter(iter(a * (3 + 1j)), "c16").real.sum()._backward()
    assert a._grad.tolist() == [3, 3]


@pytest.mark.parametrize("casting", ["no", "equiv"])
def test_ldexp_has_loops_of_two_integers(casting):
    for dtype in ("i4", "i8"):
        agrees("ldexp", numpy.ones(2), numpy.array([1, 0]).astype(dtype), casting=casting)
    for module in (numpy, np):
        with pytest.raises(TypeError, match="int16"):
            module.ldexp(module.ones(2), module.ones(2, "i2"), casting=casting)


@pytest.mark.parametrize("shape", [(2, 0), (2, 3), (0,)])
@pytest.mark.parametrize("key", [slice(None), slice(0, 0), [], 0])
@pytest.mark.parametrize("values", [1.0, []])
def test_flat_of_what_is_read_only_is_assigned_nothing(shape, key, values):
    for module in (numpy, np):
        x = module.broadcast_to(module.ones((1,) * (len(shape) - 1) + (min(shape[-1], 1),)), shape)
        with pytest.raises(ValueError, match="underlying array is read-only"):
            x.flat[key] = values


def test_no_bits_are_padded_with_zeros():
    assert np.unpackbits(np.zeros((0, 3), "u1"), count=2).tolist() == [0, 0]
