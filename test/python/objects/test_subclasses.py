"""The class of results of methods and functions called with an object of a subclass, compared with
NumPy's."""
import operator
import numpy
import pytest

import torch_np
import torch_np.numpy as np

MATRIX = [[3.0, 1.0, 2.0], [4.0, 6.0, 5.0], [9.0, 8.0, 7.0]]
VECTOR = [3.0, 1.0, 2.0]

# Arguments after the array, for functions that cannot be called with the array alone.
ARGUMENTS = {
    "append": (1.0,), "array_split": (3,), "broadcast_arrays": (MATRIX,), "broadcast_to": ((3, 3),), "clip": (1, 3), "compress": ([True, False, True],),
    "convolve": (VECTOR,), "correlate": (VECTOR,), "cross": (MATRIX,), "delete": (0,), "digitize": ([1, 2],), "dot": (MATRIX,),
    "expand_dims": (0,), "extract": (MATRIX,), "full_like": (1,), "hsplit": (3,), "inner": (MATRIX,), "insert": (0, 1.0),
    "interp": ([1.0, 2.0], [1.0, 2.0]), "isclose": (MATRIX,), "isin": (MATRIX,), "kron": (MATRIX,), "matmul": (MATRIX,),
    "matrix_power": (2,), "moveaxis": (0, 1), "outer": (VECTOR,), "pad": (1,), "partition": (1,), "argpartition": (1,), "polyfit": (VECTOR, 1),
    "polyval": (MATRIX,), "repeat": (2,), "reshape": (9,), "resize": ((3, 3),), "roll": (1,), "rollaxis": (1,), "searchsorted": (3.0,),
    "solve": (MATRIX,), "lstsq": (MATRIX,), "split": (3,), "swapaxes": (0, 1), "take": ([0, 1],), "tensordot": (MATRIX,), "tile": (2,),
    "union1d": (VECTOR,), "setdiff1d": (VECTOR,), "vdot": (MATRIX,), "vecdot": (MATRIX,), "matvec": (VECTOR,), "vecmat": (VECTOR,),
    "vsplit": (3,), "where": (1, 2), "astype": ("f4",), "percentile": (50, 0), "quantile": (0.5, 0), "allclose": (MATRIX,),
    "intersect1d": (VECTOR,), "setxor1d": (VECTOR,), "copyto": (VECTOR,), "put": (0, 1.0), "fill": (1.0,), "array_equal": (MATRIX,), "array_equiv": (MATRIX,), "polymul": (VECTOR,),
    "histogram2d": (VECTOR,), "item": (0,), "may_share_memory": (MATRIX,), "shares_memory": (MATRIX,), "to_device": ("cpu",),
    "getfield": ("f4",), "setfield": (1.0, "f4"),
}
OF_LISTS = {"concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack", "row_stack", "block", "meshgrid", "multi_dot"}
NOT_FUNCTIONS_OF_ARRAYS = {"save", "savez", "savez_compressed", "savetxt", "load", "fromfile", "fromstring", "frombuffer", "from_dlpack",
                           "test", "info", "show_config", "show_runtime", "printoptions", "vectorize", "get_include", "linspace",
                           "dump", "dumps", "tofile", "einsum_path", "set_printoptions", "seterr", "tobytes"}
# Functions whose first argument is not an array of floats, by reason.
CALLED_OTHERWISE = {
    "a shape, a number or a dtype": """arange bartlett base_repr binary_repr blackman broadcast_shapes can_cast diag_indices empty eye fftfreq
        format_float_positional format_float_scientific full geomspace hamming hanning identity indices isdtype issubdtype kaiser logspace
        mask_indices ones promote_types rfftfreq tri tril_indices triu_indices typename zeros""",
    "integers": "bincount bitwise_count bitwise_invert bitwise_not bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift "
                "choose gcd invert lcm ldexp left_shift packbits put_along_axis ravel_multi_index right_shift take_along_axis unpackbits "
                "unravel_index",
    "a function, a list, text, a mask, or the state of the module": """apply_along_axis apply_over_axes einsum fill_diagonal fromfunction fromiter
        frompyfunc fromregex genfromtxt get_printoptions getbufsize geterr geterrcall loadtxt nested_iters piecewise place putmask select
        setbufsize seterrcall""",
    "dates": "busday_count busday_offset datetime_as_string datetime_data is_busday isnat",
    "matrices of another kind": "cholesky dsplit tensorinv tensorsolve vecmat",
}
CALLED_OTHERWISE = {name: reason for reason, names in CALLED_OTHERWISE.items() for name in names.split()}
# Functions where NumPy's implementation determines the class of the result. Here it is the
# operand's class, or the base class.
OTHERWISE = {
    "diag": "of 1-d arrays: base class in NumPy",
    "histogramdd": "its edges", "nanargmax": "0-d results", "nanargmin": "0-d results", "nanpercentile": "0-d results", "nanquantile": "0-d results", "percentile": "0-d results",
    "quantile": "0-d results", "unique": "with an axis", "unique_all": "tuples with names", "unique_counts": "tuples with names",
    "unique_inverse": "tuples with names", "unique_values": "goes through unique",
    "count_nonzero": "an int without axis", "vecdot": "with an axis", "iscomplex": "of reals", "polydiv": "its quotient", "eig": "eigenvalues", "eigh": "eigenvalues",
    "svd": "singular values", "polyadd": "of matrices", "polysub": "of matrices",
}


class NumpySub(numpy.ndarray):
    pass


class Sub(np.ndarray):
    pass


def kind(xp, result):
    if isinstance(result, (tuple, list)):
        return tuple(kind(xp, r) for r in result)
    if isinstance(result, (NumpySub, Sub)):
        return "subclass"
    return "base" if isinstance(result, (xp.ndarray, numpy.generic)) else type(result).__name__


def functions():
    for prefix in ("ndarray", "", "linalg", "fft"):
        theirs, ours = (getattr(xp, prefix) if prefix else xp for xp in (numpy, np))
        for name in sorted(dir(theirs)):
            f = getattr(theirs, name)
            if not name.startswith("_") and callable(f) and not isinstance(f, type) and hasattr(ours, name):
                if name not in NOT_FUNCTIONS_OF_ARRAYS and name not in OTHERWISE and name not in CALLED_OTHERWISE:
                    yield pytest.param(prefix, name, id=f"{prefix}.{name}".strip("."))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("prefix, name", functions())
def test_results_have_the_class_that_numpys_have(prefix, name):
    def outcome(xp, cls, data, keywords):
        x = xp.array(data).view(cls)
        if prefix == "ndarray":
            return kind(xp, getattr(x, name)(*ARGUMENTS.get(name, ()), **keywords))
        f = getattr(getattr(xp, prefix) if prefix else xp, name)
        is_binary = isinstance(f, xp.ufunc) and f.nin == 2
        rest = ARGUMENTS.get(name, (data,) if is_binary else ())
        return kind(xp, f([x, x]) if name in OF_LISTS else f(x, *rest, **keywords))

    compared = 0
    for data in (MATRIX, VECTOR):
        for keywords in ({}, {"axis": 0}):
            try:
                expected = outcome(numpy, NumpySub, data, keywords)
            except Exception:  # this call is invalid for the function
                continue
            assert outcome(np, Sub, data, keywords) == expected, (data, keywords)
            compared += 1
    assert compared, "NumPy's own function refuses all these calls: give it ARGUMENTS, or a reason in CALLED_OTHERWISE"


def test_inverses_of_tensors_and_outer_products_of_linalg_are_of_the_base_class():
    for xp, cls in ((numpy, NumpySub), (np, Sub)):
        assert kind(xp, xp.linalg.tensorinv(xp.eye(4).reshape(2, 2, 2, 2).view(cls))) == "base"
        assert kind(xp, xp.linalg.outer(xp.ones(2).view(cls), xp.ones(2))) == "base"


CALLS_WITH_A_SUBCLASS_ELSEWHERE = {
    "solve": lambda xp, m, v: xp.linalg.solve(xp.asarray(m), v), "solve of the matrix": lambda xp, m, v: xp.linalg.solve(m, xp.asarray(v)),
    "lstsq": lambda xp, m, v: xp.linalg.lstsq(xp.asarray(m), v)[:2], "lstsq of the matrix": lambda xp, m, v: xp.linalg.lstsq(m, xp.asarray(v))[:2],
    "extract": lambda xp, m, v: xp.extract(xp.asarray(v) > 1, v), "extract by": lambda xp, m, v: xp.extract(v > 1, xp.asarray(v)),
    "polyval": lambda xp, m, v: xp.polyval([1.0, 2.0], v), "polyval of coefficients": lambda xp, m, v: xp.polyval(v, [1.0, 2.0]),
    "meshgrid": lambda xp, m, v: xp.meshgrid(v, xp.asarray(v)), "meshgrid, sparse": lambda xp, m, v: xp.meshgrid(v, v, sparse=True),
    "meshgrid, views": lambda xp, m, v: xp.meshgrid(v, v, copy=False),
    "apply_along_axis": lambda xp, m, v: xp.apply_along_axis(lambda x: x * 2, 0, m),
    "apply_along_axis, sums": lambda xp, m, v: xp.apply_along_axis(lambda x: x.sum(), 0, m),
    "apply_along_axis to plain": lambda xp, m, v: xp.apply_along_axis(lambda x: xp.ones(2), 0, m),
    "apply_along_axis of plain": lambda xp, m, v: xp.apply_along_axis(lambda x: v, 0, xp.asarray(m)),
    "vectorize": lambda xp, m, v: xp.vectorize(lambda x: x + 1)(v), "vectorize, several": lambda xp, m, v: xp.vectorize(lambda x: (x, x + 1))(v),
    "vectorize, by rows": lambda xp, m, v: xp.vectorize(lambda x: x + 1, signature="(n)->(n)")(m),
    "vectorize, by rows to plain": lambda xp, m, v: xp.vectorize(lambda x: xp.ones(2), signature="(n)->(k)")(m),
    "multi_dot": lambda xp, m, v: xp.linalg.multi_dot([xp.asarray(m), m, xp.asarray(m), m]),
}


@pytest.mark.parametrize("name", CALLS_WITH_A_SUBCLASS_ELSEWHERE)
def test_the_class_of_operands_that_are_not_the_first(name):
    call = CALLS_WITH_A_SUBCLASS_ELSEWHERE[name]
    expected, got = (kind(xp, call(xp, xp.array(MATRIX).view(cls), xp.array(VECTOR).view(cls))) for xp, cls in ((numpy, NumpySub), (np, Sub)))
    assert got == expected


def test_out_keeps_its_own_class():
    x = np.ones(3).view(Sub)
    for call in (lambda out: np.add(x, x, out), lambda out: np.add(x, x, out=out), lambda out: np.add(x, x, out=(out,)),
                 lambda out: np.cumsum(x, out=out), lambda out: x.cumsum(out=out), lambda out: np.take(x, [0, 1, 2], out=out)):
        out = np.empty(3)
        assert call(out) is out


def test_finalize_sees_the_parent():
    class Named(np.ndarray):
        def __array_finalize__(self, parent):
            self.name = getattr(parent, "name", "none")

    x = np.arange(6.0).view(Named)
    x.name = "speed"
    for y in (x.reshape(2, 3), x.sum(), x.mean(), x.copy(), np.cumsum(x), np.diff(x), x.clip(1, 2), x.take([0]), *np.split(x, 2)):
        assert type(y) is Named and y.name == "speed"
    assert type(np.asarray(x)) is np.ndarray and type(np.fft.fft(x)) is np.ndarray


def test_gradients_pass_through_subclasses():
    x = np.array([1.0, 2.0], _requires_grad=True).view(Sub)
    assert x._requires_grad
    leaf = np.array([1.0, 2.0], _requires_grad=True)
    leaf.view(Sub).reshape(2, 1).sum()._backward()
    assert leaf._grad.tolist() == [1.0, 1.0]


def test_tensor_subclasses_survive_methods_functions_and_operators():
    class Mine(torch_np.Tensor):
        pass

    x = torch_np.ones(2, 3).as_subclass(Mine) if hasattr(torch_np.Tensor, "as_subclass") else Mine(torch_np.ones(2, 3))
    assert type(x) is Mine
    results = (x + x, 1 - x, -x, x ** 2, x.sum(), x.reshape(3, 2), torch_np.exp(x), torch_np.sum(x, 0), x[0], *x.unbind(), *x.max(0),
               torch_np.add(x, 1), x.clone())
    assert [type(r) for r in results] == [Mine] * len(results)
    assert type(x.add_(1)) is Mine
    assert type(torch_np.ones(2) + torch_np.ones(2)) is torch_np.Tensor


def test_operators_of_a_subclass_that_overrides_ufuncs_are_its_own():
    class Seen(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc.__name__, len(inputs)

    x, y = np.ones(2).view(Seen), np.ones(2)
    assert x + 1 == x + y == y + x == ("add", 2)
    assert x ** 2 == ("power", 2) and -x == ("negative", 1) and abs(x) == ("absolute", 1) and x @ y == ("matmul", 2)
    assert (x == y) == (y == x) == ("equal", 2) and (x < 1) == ("less", 2)


def test_outer_products_of_masked_arrays_have_the_masks_of_both():
    for xp in (numpy, np):
        x = xp.ma.array([1., 2, 3], mask=[0, 1, 0])
        assert xp.multiply.outer(x, x).mask.tolist() == [[False, True, False], [True, True, True], [False, True, False]]
        assert xp.add.outer(x, x[:2]).tolist() == [[2, None], [None, None], [4, None]]
        assert xp.add.outer(2., x).tolist() == [3, None, 5]


def test_single_quantiles_and_counts_are_of_no_subclass():
    for xp in (numpy, np):
        class Own(xp.ndarray):
            pass
        x = xp.arange(6).view(Own)
        for f in (lambda x: xp.quantile(x, 0.5), lambda x: xp.percentile(x, 50), lambda x: xp.nanquantile(x, 0.5),
                  lambda x: xp.nanpercentile(x, 50, axis=0)):
            assert type(f(x)) is numpy.float64
        assert type(xp.percentile(x, [50])) is Own
        assert type(xp.bincount(x)) is xp.ndarray


@pytest.mark.parametrize("subok", [False, True])
def test_copies_and_broadcasts_keep_the_class_if_subok_says_so(subok):
    for xp in (numpy, np):
        class Own(xp.ndarray):
            pass
        x = xp.arange(3).view(Own)
        for y in (xp.copy(x, subok=subok), xp.broadcast_to(x, (2, 3), subok=subok), xp.copy(x, "C", subok)):
            assert type(y) is (Own if subok else xp.ndarray)
        assert type(xp.copy(x)) is type(xp.broadcast_to(x, (2, 3))) is xp.ndarray


def test_what_finalize_is_the_class_says():
    for xp in (numpy, np):
        class Broken(xp.ndarray):
            @property
            def __array_finalize__(self):
                raise RuntimeError("not of the class")
        with pytest.raises(TypeError, match="not callable"):
            xp.arange(3).view(Broken)


def test_comparisons_take_the_class_of_the_higher_priority():
    def compared(xp):
        Low, High = (type(name, (xp.ndarray,), {"__array_priority__": p}) for name, p in (("Low", 100.0), ("High", 101.0)))
        a, b = xp.array([1, 2]).view(Low), xp.array([1, 3]).view(High)
        return [type(r).__name__ for r in (a < b, b < a, a == b, b != a, a > 1)]

    assert compared(np) == compared(numpy)


def test_operators_beside_numbers_of_numpy_are_the_subclass_s():
    for xp in (numpy, np):
        class Foo(xp.ndarray):
            def __eq__(self, other):
                return "equal"
            def __radd__(self, other):
                return "added", numpy.add(other, xp.asarray(self).tolist())[0]
            def __rmul__(self, other):
                return numpy.multiply(other, self)
        x = xp.array([1, 2, 3]).view(Foo)
        for left in (numpy.int32(10), numpy.float64(10), numpy.array([10]), xp.array([10]), 10):
            assert (left == x) == "equal" and left + x == ("added", 11), left
        assert (numpy.int64(2) * x).tolist() == [2, 4, 6] and (numpy.int64(2) - x).tolist() == [1, 0, -1]


class TensorSub(torch_np.Tensor):
    pass


@pytest.mark.parametrize("name", ["__or__", "__matmul__", "__lshift__"])
def test_errors_between_subclasses_of_both_types_arrive(name):
    a, b = TensorSub(torch_np.zeros(3)), np.zeros(4).view(Sub)
    with pytest.raises((TypeError, RuntimeError, ValueError, NotImplementedError)):
        getattr(a, name)(b)


def test_functions_keep_the_masks_of_masked_arrays():
    """The functions of numpy._core.numeric call methods of the array, which masked arrays override."""
    calls = {"roll": (lambda n, x: n.roll(x, 1), lambda n, x: n.roll(x, 1, 0)), "moveaxis": (lambda n, x: n.moveaxis(x, 0, 1),),
             "rollaxis": (lambda n, x: n.rollaxis(x, 1),), "isclose": (lambda n, x: n.isclose(x, 3.0), lambda n, x: n.isclose(3.0, x)),
             "allclose": (lambda n, x: n.allclose(x[0], [1, 7, 3]),), "argwhere": (lambda n, x: n.argwhere(x),),
             "flatnonzero": (lambda n, x: n.flatnonzero(x),), "ones_like": (lambda n, x: n.ones_like(x),), "full_like": (lambda n, x: n.full_like(x, 2),),
             "count_nonzero": (lambda n, x: n.count_nonzero(x),), "array_equal": (lambda n, x: n.array_equal(x, x),), "outer": (lambda n, x: n.outer(x, x),)}
    for name, functions in calls.items():
        for call in functions:
            ours, theirs = (call(n, n.ma.array([[1.0, 2, 3], [4, 5, 6]], mask=[[0, 1, 0], [0, 0, 1]])) for n in (np, numpy))
            assert repr(ours).replace("torch_np.numpy", "numpy") == repr(theirs), name
            assert isinstance(ours, np.ma.MaskedArray) == isinstance(theirs, numpy.ma.MaskedArray), name


def test_assignments_go_through_getitem_of_the_class():
    """M[:, 0] of a matrix is a column, and a column is assigned to it."""
    def columns(n):
        a, b = n.matrix([[1.0, 2], [3, 4]]), n.matrix([[5.0, 6], [7, 8]])
        steps = []
        for key, value in (((slice(None), 0), b[:, 1]), (0, b[1]), ((0, slice(None)), b[0, :]), ((slice(None), 1), [[9], [9]]), ((0, 0), 3),
                           (a > 8, 0), (([0, 1], [1, 0]), 7), ((..., 0), b[..., 0]), (..., b), (slice(None), 1), ((), 2)):
            a[key] = value
            steps.append(a.tolist())
        a[:, 0] += b[:, 1]
        return steps, a.tolist(), [part.tolist() for part in n.gradient(b)]

    class Rows(np.ndarray):
        def __getitem__(self, key):
            return None if key is None else super().__getitem__(key)

    assert columns(np) == columns(numpy)
    with pytest.raises(ValueError, match="broadcast"):
        np.matrix([[1.0, 2], [3, 4]])[:, 0] = np.ones((3, 1))
    rows = np.zeros((2, 2)).view(Rows)
    rows[0], rows[None] = 1, 3
    assert rows.tolist() == [[3, 3], [3, 3]]


def test_a_matrix_of_objects_is_numpys():
    m = np.matrix([[None, 1], ["a", 2]])
    assert type(m) is numpy.matrix and isinstance(m, np.matrix) and m[0, 1] == 1 and type(np.asmatrix(numpy.array([None]))) is numpy.matrix
    with np._fallback("raise"), pytest.raises(TypeError):
        np.matrix([[None]])


@pytest.mark.same_on_devices("fields are in host memory")
def test_subclasses_are_viewed_in_dtypes_that_numpy_holds():
    """NumPy makes the view, whatever the class, since it holds fields and texts."""
    for dtype in ([("a", float)], "S8", "V8", "M8[s]"):
        for kind in ("ma.MaskedArray", "matrix", "recarray", "ndarray"):
            ours, theirs = (n.arange(3.0).view(operator.attrgetter(kind)(n)).view(dtype) for n in (np, numpy))
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), (dtype, kind)
            assert ours.tobytes() == theirs.tobytes()
