"""Reductions and scans compared with NumPy: random shapes, layouts, axes, masks; edge cases by
hand."""

import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
          "float16", "float32", "float64", "complex64", "complex128"]
REDUCTIONS = ["sum", "prod", "mean", "var", "std", "max", "min", "argmax", "argmin", "any", "all", "count_nonzero"]
SIZES = [0, 1, 2, 3, 5, 9, 17, 40]
# Sums of a few hundred numbers. NumPy rounds float16 results at every step.
TOLERANCE = {"float16": 4e-2, "float32": 1e-4, "complex64": 1e-4}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def random_array(rng, dtype):
    """An array of any layout: sliced, reversed, transposed, with an occasional NaN."""
    shape = tuple(int(n) for n in rng.choice(SIZES, rng.integers(0, 4)))
    values = 2 * rng.standard_normal([2 * n + 1 for n in shape])
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(values.shape)
    if numpy.dtype(dtype).kind == "u":
        values = abs(values)
    array = numpy.asarray(values).astype(dtype)
    if numpy.dtype(dtype).kind in "fc" and dtype != "float16" and rng.random() < 0.2:
        array.flat[rng.integers(array.size)] = numpy.nan
    def piece(n):
        return [slice(0, n), slice(1, 2 * n + 1, 2), slice(n - 1, None, -1) if n else slice(0, 0)][rng.integers(3)]
    array = array[tuple(piece(n) for n in shape)]
    return numpy.asarray(array).transpose(rng.permutation(len(shape)))


def random_arguments(rng, name, a):
    kwargs = {}
    if a.ndim and rng.random() < 0.7:
        single = name.startswith("arg") or rng.random() < 0.5
        kwargs["axis"] = int(rng.integers(-a.ndim, a.ndim)) if single else tuple(map(int, rng.permutation(a.ndim)[:rng.integers(a.ndim + 1)]))
    if rng.random() < 0.3:
        kwargs["keepdims"] = True
    if name not in ("argmax", "argmin", "count_nonzero") and rng.random() < 0.3:
        sizes = [n if rng.random() < 0.7 else 1 for n in a.shape][rng.integers(a.ndim + 1):]
        kwargs["where"] = rng.random(sizes) < 0.6
        if name in ("max", "min"):
            kwargs["initial"] = 1
    if name in ("sum", "prod") and rng.random() < 0.2:
        kwargs["initial"] = 2
    if name in ("var", "std"):
        kwargs["ddof"] = int(rng.integers(3))
    return kwargs


def both(call):
    results = []
    for xp in (np, numpy):
        try:
            results.append(call(xp))
        except (TypeError, ValueError, IndexError) as error:
            results.append(error)
    return results


def assert_same(ours, theirs, tolerance=1e-10):
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), (ours, theirs)
        return
    assert not isinstance(ours, Exception), (ours, theirs)
    theirs = numpy.asarray(theirs)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (ours.shape, theirs.shape, ours.dtype, theirs.dtype)
    if theirs.dtype.kind in "fc":
        scale = numpy.nanmax(abs(theirs[numpy.isfinite(theirs)]), initial=1)
        finite = numpy.isfinite(theirs)  # float16 overflows in NumPy's intermediate results
        numpy.testing.assert_allclose(numpy.asarray(ours)[finite], theirs[finite], rtol=tolerance, atol=tolerance * float(scale))
    else:
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_random_input_as_in_numpy(name, dtype):
    rng = numpy.random.default_rng([REDUCTIONS.index(name), DTYPES.index(dtype)])
    for _ in range(25):
        a = random_array(rng, dtype)
        kwargs = random_arguments(rng, name, a)
        if dtype == "bool" and "initial" in kwargs and name in ("max", "min"):
            continue
        ours, theirs = both(lambda xp: getattr(xp, name)(xp.asarray(a), **kwargs))
        assert_same(ours, theirs, TOLERANCE.get(dtype, 1e-10))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans_as_in_numpy(name, dtype):
    rng = numpy.random.default_rng(DTYPES.index(dtype))
    for _ in range(25):
        a = random_array(rng, dtype)
        axis = int(rng.integers(-a.ndim, a.ndim)) if a.ndim and rng.random() < 0.7 else None
        ours, theirs = both(lambda xp: getattr(xp, name)(xp.asarray(a), axis=axis))
        assert_same(ours, theirs, TOLERANCE.get(dtype, 1e-10))


@pytest.mark.parametrize("n", [255, 256, 1000, 131073, 300_000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint64", "complex64"])
def test_long_running_sums(n, dtype):
    a = numpy.random.default_rng(n).integers(0, 9, n).astype(dtype)
    got = numpy.asarray(np.cumsum(np.asarray(a)))
    expected = numpy.cumsum(a)
    assert got.dtype == expected.dtype
    assert (got == expected).all()
    assert numpy.signbit(float(np.cumsum(-np.zeros(n))[-1]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_running_sums_are_accurate_and_never_turn_back(dtype):
    a = numpy.random.default_rng(0).random(400_000).astype(dtype) ** 8
    got = numpy.asarray(np.cumsum(np.asarray(a)))
    exact = numpy.cumsum(a.astype(numpy.longdouble))
    error = numpy.abs(got - exact) / exact
    assert error.max() <= (2 if dtype == "float32" else 100) * numpy.finfo(dtype).eps
    assert (numpy.diff(got) >= 0).all()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("n", [1, 7, 1024, 5000, 200_000])
def test_any_and_all_find_one_element_anywhere(dtype, n):
    for place in {0, n // 2, n - 1}:
        a = numpy.zeros(n, dtype)
        assert not np.any(np.asarray(a))
        a[place] = 1
        assert np.any(np.asarray(a))
        a = numpy.ones(n, dtype)
        assert np.all(np.asarray(a))
        a[place] = 0
        assert not np.all(np.asarray(a))


def test_any_of_nans_and_foreign_bools():
    assert np.any(np.full(100, numpy.nan))
    assert np.all(np.full(100, numpy.nan))
    foreign = numpy.full(100, 2, "uint8").view(bool)
    assert np.all(np.asarray(foreign)) and np.any(np.asarray(foreign))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "argmax", "any", "var", "count_nonzero"])
@pytest.mark.parametrize("rows", [1, 3, 4, 5, 67, 130])
def test_columns_of_few_and_many_rows(name, rows):
    a = numpy.random.default_rng(rows).integers(-2, 3, (rows, 20)).astype("float64")
    for x in (a, a[::-1], a[:, ::2], numpy.stack([a, a], 1)[:, 0]):
        ours, theirs = both(lambda xp: getattr(xp, name)(xp.asarray(x), axis=0))
        assert_same(ours, theirs, 1e-12)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_reducing_nothing_has_numpys_words(name):
    with pytest.raises(ValueError) as ours:
        getattr(np, name)(np.zeros((0, 3)), axis=0)
    with pytest.raises(ValueError) as theirs:
        getattr(numpy, name)(numpy.zeros((0, 3)), axis=0)
    assert str(theirs.value) in str(ours.value)


def test_where_without_identity_needs_initial():
    with pytest.raises(ValueError, match="does not have an identity"):
        np.max(np.ones(3), where=np.asarray([True, False, True]))


def test_dtype_and_out():
    x = np.asarray(numpy.arange(6, dtype=numpy.int8))
    assert np.sum(x, dtype=np.int8).dtype == np.int8
    assert np.mean(x, dtype=np.float32).dtype == np.float32
    out = np.empty(())
    assert np.sum(x, out=out) is out and float(out) == 15
    narrow = np.empty((), dtype=np.int32)  # NumPy casts there, even if values change
    assert np.sum(np.ones(3) * 1.5, out=narrow) is narrow and int(narrow) == int(numpy.sum(numpy.ones(3) * 1.5, out=numpy.empty((), "i4")))
    with pytest.raises(ValueError):
        np.sum(np.ones((3, 2)), axis=0, out=np.empty(3))


def test_no_axes_reduces_nothing_in_np_and_everything_in_torch():
    assert np.sum(np.ones((2, 3)), axis=()).shape == (2, 3)
    assert torch_np.sum(torch_np.ones(2, 3), dim=()).shape == ()


def test_axis_errors_are_each_faces_own():
    with pytest.raises(numpy.exceptions.AxisError, match="axis 2"):
        np.sum(np.ones(3), axis=2)
    with pytest.raises(IndexError, match="Dimension out of range .* got 2"):
        torch_np.sum(torch_np.ones(3), dim=2)
    with pytest.raises(ValueError, match="axis"):
        np.sum(np.ones((3, 3)), axis=(0, 0))


def test_torch_max_along_a_dim_is_a_pair():
    x = torch_np.tensor([[1.0, 3.0, 3.0], [5.0, 4.0, 0.0]])
    values, indices = torch_np.max(x, 1)
    assert values.tolist() == [3.0, 5.0] and indices.tolist() == [1, 0]
    values, indices = x.min(0, keepdim=True)
    assert values.tolist() == [[1.0, 3.0, 0.0]] and indices.tolist() == [[0, 0, 1]]
    assert float(torch_np.max(x)) == 5.0
    assert torch_np.max(x, torch_np.ones(3) * 2).tolist() == [[2.0, 3.0, 3.0], [5.0, 4.0, 2.0]]


def test_torch_var_divides_by_n_minus_one():
    x = torch_np.tensor([1.0, 2.0, 4.0])
    assert abs(float(torch_np.var(x)) - 7 / 3) < 1e-6
    assert abs(float(torch_np.var(x, correction=0)) - 14 / 9) < 1e-6
    assert abs(float(x.std(0, False)) - (14 / 9) ** 0.5) < 1e-6
    assert abs(float(np.var(x._np_compat())) - 14 / 9) < 1e-6


def test_mean_of_integers_is_an_error_in_torch_only():
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        torch_np.mean(torch_np.tensor([1, 2]))
    assert float(np.mean(np.asarray([1, 2]))) == 1.5


def test_var_about_a_known_mean():
    a = numpy.arange(12.0).reshape(3, 4)
    mean = a.mean(axis=1, keepdims=True)
    ours = np.var(np.asarray(a), axis=1, mean=np.asarray(mean), ddof=1)
    numpy.testing.assert_allclose(numpy.asarray(ours), a.var(axis=1, mean=mean, ddof=1))
    with pytest.raises(ValueError, match="simultaneously"):
        np.var(np.asarray(a), ddof=1, correction=1)


def test_ties_share_the_gradient():
    x = torch_np.tensor([1.0, 3.0, 3.0], requires_grad=True)
    x.amax().backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.5]


def test_prod_of_zeros_has_the_right_gradient():
    x = torch_np.tensor([2.0, 0.0, 4.0], requires_grad=True)
    x.prod().backward()
    assert x.grad.tolist() == [0.0, 8.0, 0.0]


def test_initial_takes_part_in_the_gradient_of_prod():
    for values, expected in (([2.0, 3.0], [15.0, 10.0]), ([2.0, 0.0], [0.0, 10.0])):
        x = np.asarray(values)
        x._requires_grad = True
        np.prod(x, initial=5)._backward()
        assert x._grad.tolist() == expected


def test_what_where_excludes_gets_no_gradient():
    x = np.ones(3, _requires_grad=True)
    np.mean(x * 2, where=np.asarray([True, False, True]))._backward()
    assert x._grad.tolist() == [1.0, 0.0, 1.0]


def test_reduction_over_several_axes_only_of_what_can_be_reordered():
    x = np.ones((2, 2))
    assert np.fmin.reduce(x, axis=(0, 1)) == 1
    with pytest.raises(ValueError, match="not reorderable"):
        np.subtract.reduce(x, axis=(0, 1))
