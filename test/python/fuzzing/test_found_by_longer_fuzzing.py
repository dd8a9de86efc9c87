"""Regression tests of rare calls that the fuzzer (test/fuzz) found in runs of a million."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np.autograd import grad


def same(call):
    """Checks that a function of the library has equal values, dtypes and shapes in both libraries."""
    with numpy.errstate(all="ignore"):
        expected = call(numpy)
    got = call(np)
    for g, e in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, expected)), strict=True):
        assert g.dtype == e.dtype and g.shape == e.shape
        numpy.testing.assert_array_equal(numpy.asarray(g), e)


def both_raise(error, call):
    for library in numpy, np:
        with pytest.raises(error):
            call(library)


def leaf(values):
    x = torch_np.tensor(values, dtype=torch_np.float64)
    x.requires_grad = True
    return x


# --- out= chooses the loop

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["mod", "fmod", "remainder", "power", "subtract"])
def test_accumulate_computes_in_the_dtype_of_out_and_operand(name):
    same(lambda n: getattr(n, name).accumulate(n.array([-3, 0, -4]), out=n.zeros(3)))


def test_bools_are_subtracted_in_the_dtype_of_out():
    same(lambda n: n.subtract.accumulate(n.array([[True, False], [True, True]]), out=n.zeros((2, 2), "u2")))


def test_integers_accumulate_to_negative_powers_in_a_floating_out():
    same(lambda n: n.power.accumulate(n.array([2, -1, 3], "i1"), out=n.zeros(3)))


@pytest.mark.parametrize("name", ["gcd", "subtract", "floor_divide", "add"])
def test_reduceat_computes_in_the_dtype_of_out_and_operand(name):
    same(lambda n: getattr(n, name).reduceat(n.array([True, False, True]), [0, 1], out=n.zeros(2, "u1")))


def test_a_product_of_vectors_in_fortran_order_is_a_number():
    assert isinstance(np.matmul(np.ones(3), np.ones(3), order="F"), numpy.float64)
    assert np.matmul(np.ones((2, 3)), np.ones((3, 2)), order="F").flags.f_contiguous


@pytest.mark.parametrize("name", ["divide", "fmin", "hypot", "power"])
def test_reduce_into_an_array_of_the_graph_raises(name):
    out = leaf(0.5)._np_compat() * 1
    with pytest.raises(RuntimeError, match="out="):
        getattr(np, name).reduce([1.3], 0, None, out)


@pytest.mark.parametrize("name", ["modf", "frexp"])
@pytest.mark.parametrize("out", [lambda n: None, lambda n: n.zeros(2)])
def test_out_of_two_results_is_a_tuple(name, out):
    both_raise(TypeError, lambda n: getattr(n, name)(n.ones(2), out=out(n)))
    both_raise(ValueError, lambda n: getattr(n, name)(n.ones(2), out=(n.zeros(2),)))


def test_divmod_into_one_array_raises():
    both_raise(TypeError, lambda n: n.divmod(n.ones(2), 2, out=n.zeros(2)))
    same(lambda n: n.divmod(n.ones(2), 2, out=(n.zeros(2), None)))


@pytest.mark.parametrize(("dtype", "out"), [("?", "f8"), ("i1", "i4"), ("i1", "f8"), ("f4", "f8"), ("?", "u2")])
def test_ptp_subtracts_in_the_dtype_of_out(dtype, out):
    x = numpy.array([-100, 100, 0]).astype(dtype)
    same(lambda n: n.ptp(n.array(x), out=n.zeros((), out)))
    both_raise(TypeError, lambda n: n.ptp(n.array([1.5, 2]), out=n.array(1)))


# --- elements excluded by where=

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("where", [False, [False, True], [[False], [False]]])
def test_negative_powers_of_integers_that_are_left_out_are_no_error(where):
    same(lambda n: n.power(n.array([2, 3]), n.array([-1, 2]), where=n.array(where), out=n.zeros((2, 2), int)))
    both_raise(ValueError, lambda n: n.power(n.array([2, 3]), n.array([-1, 2]), where=n.array([True, False])))


# --- dtypes

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "?", "f8"])
def test_absolute_of_complex_numbers_in_a_given_dtype(dtype):
    same(lambda n: n.abs(n.array([3 + 4j, -1.5]), dtype=dtype, casting="unsafe"))


def test_setxor1d_of_a_number_keeps_the_dtype_if_it_is_unique():
    same(lambda n: n.setxor1d(n.array([1, 2], "u2"), 100, True))
    same(lambda n: n.setxor1d(n.array([1, 2], "u2"), 100))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
@pytest.mark.filterwarnings("ignore")
def test_nanquantile_of_nothing_keeps_floating_dtypes(dtype):
    same(lambda n: n.nanquantile(n.zeros((0, 3), dtype), 1))


def test_common_type_refuses_bools_first():
    both_raise(TypeError, lambda n: n.common_type(n.array([True]), -1.5))


# --- assignments

@pytest.mark.parametrize("shape", [(2, 2, 0), (3, 1, 0), (0, 2, 0), (3, 4, 1, 0)])
def test_assigning_nothing_to_chosen_rows_takes_any_leading_axes(shape):
    def assign(n):
        a = n.zeros((2, 0))
        a[[0, 1]] = n.ones(shape)
        return a
    same(assign)


@pytest.mark.parametrize("shape", [(3, 0), (1, 3, 0), (2, 2, 5)])
def test_assigning_nothing_of_another_shape_raises(shape):
    def assign(n):
        n.zeros((2, 0))[[0, 1]] = n.ones(shape)
    both_raise(ValueError, assign)


@pytest.mark.parametrize("places, shape", [(1, (1, 1)), ([1], (1, 1, 3)), (slice(0, 2), (1, 1, 1)), ([], (2, 0))])
def test_insert_takes_values_of_more_axes(places, shape):
    if shape == (1, 1, 3):
        both_raise(ValueError, lambda n: n.insert(n.arange(4.0), places, n.ones(shape)))
    else:
        same(lambda n: n.insert(n.arange(4.0), places, n.ones(shape)))


def test_putmask_of_a_read_only_array_raises_whatever_is_written():
    both_raise(ValueError, lambda n: n.putmask(n.broadcast_to(n.array([4]), (0,)), n.zeros(0, bool), 7))


@pytest.mark.parametrize("name", ["asarray", "asanyarray", "asarray_chkfinite"])
def test_order_a_takes_an_array_in_any_order(name):
    x = np.zeros((2, 3, 4))[::-1]
    assert getattr(np, name)(x, order="A") is x
    if name != "asarray_chkfinite":
        assert getattr(np, name)(x, order="A", copy=False) is x
    assert np.array(x, order="A").flags.c_contiguous


def test_place_into_a_read_only_array_raises_whatever_is_written():
    both_raise(ValueError, lambda n: n.place(n.broadcast_to(n.array([4]), (0, 1)), n.zeros((0, 1), bool), 7))
    both_raise(ValueError, lambda n: n.place(n.broadcast_to(n.array([4]), (3,)), n.zeros(3, bool), [1, 2]))


# --- histograms, polynomials, ranges

def test_bins_that_floats_do_not_distinguish_raise():
    for number in numpy.uint64(2**64 - 1), numpy.float64(2**53), numpy.int64(2**62):
        both_raise(ValueError, lambda n, number=number: n.histogram(n.array([number])))


@pytest.mark.parametrize("values", [[5, 2, 3, 2, -2], [1, 1, 1, 9], [0.5, 0.7, 0.9, 40.0, 0.6, 0.8], [3, 3]])
def test_automatic_bins_are_not_many_more_than_the_root_of_the_number(values):
    same(lambda n: n.histogram_bin_edges(n.array(values), "auto"))


def test_a_coefficient_of_a_power_that_is_no_number_raises():
    both_raise(IndexError, lambda n: n.poly1d([1, 2])[float("nan")])
    assert np.poly1d([1, 2])[7] == 0 and np.poly1d([1, 2])[-1] == 0


def test_a_real_range_to_a_complex_number_raises():
    both_raise(TypeError, lambda n: n.arange(5 + 0j, dtype=int))


# --- derivatives

@pytest.mark.parametrize("face", ["torch_np", "np"])
def test_gradient_of_a_value_with_leading_axes_has_them(face):
    value = leaf([[[1.0, 2.0, 3.0]]])
    target = torch_np.zeros(2, 3, dtype=torch_np.float64)
    if face == "np":
        np.copyto(target._np_compat(), value._np_compat() * 2)
    else:
        target.copy_(value * 2)
    got, = grad(target.sum(), [value])
    assert got.tolist() == [[[4.0, 4.0, 4.0]]]


def test_second_derivative_of_a_power_whose_exponent_is_zero():
    base, exponent = leaf([2.0, 0.5]), leaf([0.0, 0.0])
    first, = grad((base ** exponent).sum(), [base], create_graph=True)
    assert first.tolist() == [0.0, 0.0]
    assert grad(first.sum(), [exponent])[0].tolist() == [0.5, 2.0]  # d/dy (y x^(y-1)) is 1/x at y = 0


def test_first_derivative_of_zero_to_the_zeroth_power_is_zero_beside_an_exponent_of_the_graph():
    base, exponent = leaf([0.0, float("nan")]), leaf([0.0, 0.0])
    assert grad((base ** exponent).sum(), [base], create_graph=True)[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("coefficients", [[1.0, -3.0, 2.0, 0.0], [-1.755, 0.87, -0.93, 0.0], [2.0, 0.0]])
def test_roots_depend_on_a_last_coefficient_that_is_zero(coefficients):
    p = leaf(coefficients)
    found = np.roots(p._np_compat())
    numpy.testing.assert_allclose(numpy.sort(numpy.asarray(found._detach())), numpy.sort(numpy.roots(coefficients)), atol=1e-12)
    loss = ((found - 1) ** 3).sum().real  # the order of roots does not matter
    got, = grad(loss._torch(), [p])
    h = 1e-6
    for i in range(len(coefficients)):
        ends = []
        for step in h, -h:
            moved = list(coefficients)
            moved[i] += step
            ends.append(((numpy.roots(moved) - 1) ** 3).sum().real)
        assert got[i].item() == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-4, abs=1e-4)


def test_no_integral_is_the_argument():
    for xp in (numpy, np):
        assert xp.polyint(xp.array(2.5), 0).shape == () and xp.polyint([1.0, 2.0], 0).tolist() == [1, 2]
        assert type(xp.polyint(xp.poly1d([1.0, 2.0]), 0)) is xp.poly1d


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_out_of_a_reduction_without_nan_has_the_shape_of_the_result(name):
    both_raise(ValueError, lambda n: getattr(n, name)(n.array([3.0, float("nan"), 1.0]), out=n.zeros(2), keepdims=True))


def test_derivative_of_a_polynomial_without_coefficients():
    same(lambda n: n.polyder(n.array([], bool)))


def test_setfield_of_nothing_in_a_read_only_array_raises():
    both_raise(ValueError, lambda n: n.broadcast_to(n.array([], "f8"), (2, 0)).setfield(n.zeros((2, 0)), int))


@pytest.mark.parametrize("name", ["multiply", "divide", "add", "maximum"])
def test_at_with_the_array_itself_as_operand_reads_what_it_was_while_recording(name):
    def result(n, a):
        getattr(n, name).at(a, [0, 0, 1], a)
        return a
    base = leaf([1.84, 0.5, 2.0])
    value = base._np_compat() * 1
    with pytest.raises(ValueError, match="broadcast"):
        getattr(np, name).at(value, [0, 0], value)
    got = result(np, value)
    expected = result(numpy, numpy.array([1.84, 0.5, 2.0]))
    assert got.tolist() == expected.tolist()
    h = 1e-6
    slope, = grad(got.sum()._torch(), [base])
    for i in range(3):
        step = numpy.eye(3)[i] * h
        ends = [result(numpy, numpy.array([1.84, 0.5, 2.0]) + s).sum() for s in (step, -step)]
        assert slope[i].item() == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-5)


def test_out_of_einsum_has_the_shape_of_the_result():
    both_raise(ValueError, lambda n: n.einsum("i->", n.ones(3), out=n.zeros(3)))
    both_raise(ValueError, lambda n: n.einsum("i->", n.array([]), out=n.array([])))


def test_none_is_no_zero_coefficient():
    assert np.poly1d(None).coeffs.tolist() == [None]
    both_raise(TypeError, lambda n: n.poly1d(2) / None)


@pytest.mark.parametrize("name", ["copysign", "subtract", "add"])
def test_accumulate_into_an_array_with_a_gradient_raises(name):
    out = leaf([0.81, 0.754, 0.157])._np_compat() * 1
    with pytest.raises(RuntimeError, match="automatic differentiation"):
        getattr(np, name).accumulate(np.array([0.86, 0.36, 0.65]), 0, None, out)


@pytest.mark.parametrize("mode", ["edge", "wrap", "linear_ramp", "mean"])
def test_margins_of_more_elements_than_there_can_be_raise(mode):
    both_raise(ValueError, lambda n: n.pad(n.zeros((1,) * 64), 3, mode))


def test_out_of_a_quantile_has_the_shape_of_the_result_or_is_of_one_element_as_it():
    same(lambda n: n.percentile(n.arange(5.0), 30, out=n.ones((1,))))
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        np.percentile(np.arange(5.0), 30, out=np.ones(2))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("exponent", [[-2.0], [-2 + 1j], [2**32 - 1]])
def test_integer_powers_of_exponents_that_are_cast_to_negative_integers_raise(exponent):
    dtype = "u4" if exponent[0] == 2**32 - 1 else None
    both_raise(ValueError, lambda n: n.power([4, 5], n.array(exponent, dtype), casting="unsafe", dtype="i4"))


def test_derivative_of_no_coefficients_of_two_dimensions():
    same(lambda n: n.polyder(n.ones((1, 2, 1))))


def test_indices_of_a_number_raise():
    both_raise(TypeError, lambda n: n.indices(3))
    both_raise(TypeError, lambda n: n.indices(n.array(2**31 - 1)))
    same(lambda n: n.indices(n.array([2, 3])))


def test_matrices_among_seeds_do_not_recurse_without_end():
    with pytest.raises(TypeError):
        np.random.MT19937([numpy.asmatrix([[1., 2.]])])
    both_raise(OverflowError, lambda n: n.random.SFC64().random_raw(10**400, output=False))


def test_indices_of_too_many_axes_raise():
    with pytest.raises(ValueError, match="64"):
        np.ndindex((70000,) * 70)


def test_a_product_with_a_number_writes_where_a_multiplication_would():
    for out in (lambda n: n.zeros(2, "f4"), lambda n: n.zeros((2, 2), "i4")[:, 0], lambda n: n.zeros(2, "i1"), lambda n: n.zeros((1, 2))):
        same(lambda n: n.dot(3, n.array([1, 2], "i4"), out=out(n)))
        same(lambda n: n.array([1, 2], "i4").dot(True, out(n)))
        both_raise(ValueError, lambda n: n.dot(n.float64(3), n.array([1, 2], "i4"), out=out(n)[None]))
    both_raise(ValueError, lambda n: n.dot(3.0, n.array([1., 2.]), out=n.zeros((2, 2))[:, 0]))


def test_large_unsigned_integers_are_not_among_negative_ones():
    large = [0, 3, 2**64 - 1, 2**63, 5]
    same(lambda n: n.isin(n.array(large, "u8"), n.array([-1, 5, 0, 3, -2], "i8")))
    same(lambda n: n.setdiff1d(n.array(large, "u8"), n.array([-1, 5, 0, 3, -2], "i8")))


def test_results_of_matrices_may_lack_leading_axes_of_one_element():
    same(lambda n: n.matvec(n.ones((1, 1, 3)), n.arange(3.), out=n.zeros(1)))
    both_raise(ValueError, lambda n: n.matvec(n.ones((2, 1, 3)), n.arange(3.), out=n.zeros(1)))
    both_raise(ValueError, lambda n: n.matvec(n.ones((1, 1, 3)), n.arange(3.), out=n.zeros(())))
