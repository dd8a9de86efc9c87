"""ufunc objects: generalized ufuncs, signature=, subok=, types, resolve_dtypes, and at(), compared
with NumPy."""
import pickle

import numpy
import pytest
from same_as_numpy import agrees

import torch_np.numpy as np

GENERALIZED = ["matmul", "vecdot", "matvec", "vecmat"]


@pytest.mark.parametrize("name", GENERALIZED)
def test_generalized_ufuncs_are_ufuncs(name):
    ours, theirs = getattr(np, name), getattr(numpy, name)
    assert isinstance(ours, np.ufunc)
    assert repr(ours) == repr(theirs) and ours.__name__ == name
    assert (ours.signature, ours.nin, ours.nout, ours.nargs, ours.identity) == (theirs.signature, 2, 1, 3, None)
    assert pickle.loads(pickle.dumps(ours)) is ours
    assert {"dd->d", "FF->F", "ll->l"} <= set(ours.types) and ours.ntypes == len(ours.types)


@pytest.mark.parametrize("name", GENERALIZED)
def test_generalized_ufuncs_are_overridden(name):
    class Foreign:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc, method, kwargs

    assert getattr(np, name)(np.ones(2), Foreign(), casting="no") == (getattr(np, name), "__call__", {"casting": "no"})
    assert (np.ones((2, 2)) @ Foreign())[0] is np.matmul


@pytest.mark.parametrize("call", [
    lambda xp, a: xp.matmul(a, a, signature="ff->f", casting="unsafe"),
    lambda xp, a: xp.matmul(a, a, sig=(None, None, "F")),
    lambda xp, a: xp.matmul(a, a.astype(int), casting="no"),
    lambda xp, a: xp.matmul(a, a, a),
    lambda xp, a: xp.matmul(a, a, where=True),
    lambda xp, a: xp.matmul(a),
    lambda xp, a: xp.matmul(a, a, subok=1),
    lambda xp, a: xp.vecdot(a, a, axis=0, keepdims=True),
    lambda xp, a: xp.matmul.reduce(a), lambda xp, a: xp.matmul.accumulate(a), lambda xp, a: xp.matmul.reduceat(a, [0]),
    lambda xp, a: xp.matmul.outer(a, a), lambda xp, a: xp.matmul.at(a, 0, a),
])
def test_keywords_and_methods_of_generalized_ufuncs(call):
    agrees(lambda xp: call(xp, xp.arange(9.0).reshape(3, 3)))


@pytest.mark.parametrize("signature", [
    "dd->d", "ff->f", "ll->l", "dd", ("d", None, None), (None, None, "f"), (int, int, int), ("d", "d"), ("f",), "f", (None,), 5, None,
])
@pytest.mark.parametrize("x", [1, 2.0, [1, 2]], ids=str)
def test_signature_chooses_the_loop(signature, x):
    agrees(lambda xp: xp.add(x, 2, signature=signature))
    agrees(lambda xp: xp.add(xp.asarray([1, 2], xp.int8), xp.asarray([2]), sig=signature))


@pytest.mark.parametrize("xp", [np, numpy])
@pytest.mark.parametrize("x", [1, 2.0, [1, 2]], ids=str)
def test_signature_without_a_loop(xp, x):
    # TypeError or a subclass of it: NumPy's choice depends on earlier entries of its cache of
    # promotions.
    with pytest.raises(TypeError, match="add"):
        xp.add(x, 2, signature="dl->d")


@pytest.mark.parametrize("xp", [np, numpy])
def test_signature_obeys_casting(xp):
    assert xp.add(1.5, 2, signature="ll->l") == 3  # Python's numbers fit every loop
    assert xp.add([1.5], 2, signature="ll->l", casting="unsafe") == 3
    for operand in ([1.5], xp.asarray(1.5)):
        with pytest.raises(TypeError, match="input 0 from dtype.'float64'. to dtype.'int64'. with casting rule 'same_kind'"):
            xp.add(operand, 2, signature="ll->l")
    with pytest.raises(TypeError, match="'complex128'. to dtype.'float64'"):
        xp.add(xp.ones(2, "D"), 1, signature="dd->d")


@pytest.mark.parametrize("call", [
    lambda xp: xp.equal([1, 2], 2.5, signature="dd->?"), lambda xp: xp.sin(1, signature="e->e"), lambda xp: xp.sin(1, signature="l->d"),
    lambda xp: xp.frexp(4.0, signature="f->fi"), lambda xp: xp.divmod(5, 3, signature="dd->dd"),
    lambda xp: xp.logical_and(1.5, 2, signature="??->?"), lambda xp: xp.add(1, 2, signature="dd->d", dtype="f"),
    lambda xp: xp.add(1, 2, sig="dd->d", signature="dd->d"), lambda xp: xp.add(1, 2, subok=1), lambda xp: xp.add([1], 2, subok=False),
    lambda xp: xp.negative([1, 2], signature="d->d", out=xp.zeros(2)),
])
def test_signature_of_other_ufuncs(call):
    agrees(call)


def test_subok_false_gives_the_base_class():
    class Sub(np.ndarray):
        pass

    a = np.arange(3).view(Sub)
    assert type(np.add(a, 1)) is Sub and type(np.add(a, 1, subok=True)) is Sub
    assert type(np.add(a, 1, subok=False)) is np.ndarray
    assert type(np.matmul(a, a, subok=False)) is np.int64


@pytest.mark.parametrize("name", [n for n in dir(numpy) if type(getattr(numpy, n)) is numpy.ufunc and isinstance(getattr(np, n, None), np.ufunc)])
def test_types_are_numpys_and_those_of_our_dtypes_have_loops(name):
    ours, theirs = getattr(np, name), getattr(numpy, name)
    assert ours.types == theirs.types and ours.ntypes == theirs.ntypes
    if ours.signature or name == "isnat":
        return
    for text in theirs.types:
        # loops without a dtype of their own
        if set(text) & set("gGOMmSUV") or (name == "ldexp" and "i" in text) or text in ("qQ->?", "Qq->?"):
            continue
        operands, results = text.split("->")
        given = (*map(numpy.dtype, operands), *(None,) * len(results))
        assert ours.resolve_dtypes(given, signature=text) == tuple(map(numpy.dtype, operands + results))


def test_exponents_of_ldexp_are_not_cast_for_the_results_dtype():
    agrees(lambda xp: xp.ldexp(numpy.float32(1), numpy.int64(2), dtype="d"))
    agrees(lambda xp: xp.ldexp(numpy.float32(1), numpy.int64(2), signature=(None, None, "d")))
    for keywords in ({"dtype": "d"}, {"signature": (None, None, "d")}):
        with pytest.raises(TypeError, match="ldexp"):
            np.ldexp(1.0, numpy.uint64(3), **keywords)


@pytest.mark.parametrize("call", [
    lambda xp: xp.negative(1, out=(...,)), lambda xp: xp.divmod(1, 2, out=(xp.empty(()), ...)), lambda xp: xp.add.reduce([1], out=(...,)),
])
def test_ellipsis_stands_for_all_results(call):
    for xp in (np, numpy):
        with pytest.raises(TypeError, match="must use `...` as `out=...`"):
            call(xp)


@pytest.mark.parametrize("name", ["hypot", "logaddexp", "logaddexp2"])
def test_accumulate_of_float16_rounds_each_step(name):
    a = numpy.array([[0, 1, 2, 0.3] * 8, [3, 1, 0.7, 5] * 8], "e").T
    ours = getattr(np, name).accumulate(np.array(a))
    steps = [np.array(a[0])]
    for row in a[1:]:
        steps.append(getattr(np, name)(steps[-1], np.array(row)))
    numpy.testing.assert_array_equal(ours, np.stack(steps))


def test_where_of_an_overriding_class_is_not_for_plain_arrays():
    class Mask(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    with pytest.raises(TypeError):
        np.negative(np.arange(2), where=np.array([True, False]).view(Mask), out=np.zeros(2, int))


@pytest.mark.parametrize("call", [
    lambda xp, d: xp.add.resolve_dtypes((d("i"), d("f"), None)), lambda xp, d: xp.add.resolve_dtypes((d("i"), int, None)),
    lambda xp, d: xp.add.resolve_dtypes((d("i"), d("i"), None), signature=(None, None, d("f"))),
    lambda xp, d: xp.add.resolve_dtypes((d("i"), d("i"), None), signature="dd->d"),
    lambda xp, d: xp.add.resolve_dtypes((None, d("i"), None), reduction=True),
    lambda xp, d: xp.maximum.resolve_dtypes((None, d("i"), None), reduction=True),
    lambda xp, d: xp.equal.resolve_dtypes((d("i"), d("f"), None)), lambda xp, d: xp.frexp.resolve_dtypes((d("f"), None, None)),
    lambda xp, d: xp.add.resolve_dtypes((d("d"), d("d"), None), signature="ff->f", casting="safe"),
    lambda xp, d: xp.sin.resolve_dtypes((d("i2"), None)), lambda xp, d: xp.sin.resolve_dtypes((d("i2"),)),
])
def test_resolve_dtypes(call):
    def outcome(xp):
        try:
            return call(xp, numpy.dtype)
        except Exception as error:  # noqa: BLE001
            return type(error).__name__.removeprefix("_").replace("UFuncInputCastingError", "UFuncTypeError")

    assert outcome(np) == outcome(numpy)


def at(name, array, indices, *operands):
    def call(xp):
        a = array(xp)
        getattr(xp, name).at(a, indices(xp), *(o(xp) if callable(o) else o for o in operands))
        return a

    agrees(call)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "i8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("values", ["same", "double", "number"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "hypot", "equal"])
def test_at_counts_repeated_indices(name, values, dtype):
    operand = {"same": lambda xp: xp.asarray([1, 2, 3]).astype(dtype), "double": lambda xp: xp.asarray([1.5, 2, 3]), "number": 2}[values]
    for view in (lambda a: a, lambda a: a[::-1]):
        at(name, lambda xp: view(xp.ones(4, dtype)), lambda xp: xp.asarray([0, 0, -1]), operand)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "hypot", "logical_xor", "negative", "logaddexp"])
def test_at_of_many_places(name, dtype):
    random = numpy.random.RandomState(0)
    for n in (40, 3000):  # most positions occur often, or hardly any twice
        places, values = random.randint(-n, n, 700), random.randint(0, 3, 700)
        operands = () if name == "negative" else (lambda xp: xp.asarray(values).astype(dtype),)
        for view in (lambda a: a, lambda a: a[::-1], lambda a: a.reshape(2, -1), lambda a: a.reshape(2, -1).T):
            def indices(xp):
                if view(numpy.ones(n)).ndim == 1:
                    return xp.asarray(places)
                m = n // 2
                return (xp.asarray(places % m), xp.asarray(places % 2)) if view(numpy.ones(n)).shape[1] == 2 else (xp.asarray(places % 2), xp.asarray(places % m))
            at(name, lambda xp: view(xp.ones(n, dtype)), indices, *operands)


def test_at_with_indices_of_all_kinds():
    for indices in ([0, 1, 1], slice(None), 2, (slice(None), 1), ([0, 0], [1, 1]), Ellipsis):
        at("add", lambda xp: xp.zeros((3, 4)).T, lambda xp: indices, 1)
    at("add", lambda xp: xp.zeros(3), lambda xp: xp.asarray([True, False, True]), 2)
    at("negative", lambda xp: xp.arange(4), lambda xp: [0, 1, 1])
    at("add", lambda xp: xp.zeros(3), lambda xp: xp.asarray([0, 3]), 2)
    at("add", lambda xp: xp.zeros(3), lambda xp: xp.asarray([0, -4]), 2)
    at("power", lambda xp: xp.arange(3), lambda xp: [0, 1], -1)
    at("add", lambda xp: xp.zeros(4), lambda xp: slice(None), lambda xp: xp.ones(2))
    at("add", lambda xp: xp.zeros(4), lambda xp: [0])


def test_at_where_the_operands_are_the_array_itself():
    for dtype in (int, float):
        a, b = np.arange(4).astype(dtype), numpy.arange(4).astype(dtype)
        np.add.at(a, np.array([3, 3, 0, 1]), a)
        numpy.add.at(b, numpy.array([3, 3, 0, 1]), b.copy())
        assert a.tolist() == b.tolist()
    i = np.array([1, 1, 0])
    np.add.at(i, i, 1)
    assert i.tolist() == [2, 3, 0]


def test_errors_of_at_name_the_ufunc():
    with pytest.raises(TypeError, match="'bitwise_and'"):
        np.bitwise_and.at(np.ones(3), [0], 1.5)


class Asked:
    """Records the object whose method is called, and returns NotImplemented."""
    asked = []

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        Asked.asked.append((type(self).__name__, method))
        return NotImplemented


class AskedFirst(Asked):
    pass


@pytest.mark.parametrize("xp", [np, numpy], ids=["torch_np", "numpy"])
def test_subclasses_are_asked_first_and_each_class_once(xp):
    Asked.asked = []
    with pytest.raises(TypeError, match="__array_ufunc__"):
        xp.add(Asked(), AskedFirst(), out=Asked())
    assert Asked.asked == [("AskedFirst", "__call__"), ("Asked", "__call__")]


def test_an_override_behind_operands_that_decline_is_asked():
    class Last:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "last"

    first, second = (type(f"Declines{i}", (Asked,), {})() for i in range(2))
    assert np.add(first, second, out=(Last(),)) == "last"


def test_reduceat_is_overridden_and_keeps_subclasses():
    class Foreign:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return method, len(inputs), kwargs

    assert np.add.reduceat(Foreign(), [0, 1], axis=0) == ("reduceat", 2, {"axis": 0})

    class Sub(np.ndarray):
        pass

    assert type(np.add.reduceat(np.ones(3).view(Sub), [0, 1])) is Sub


def test_reduceat_takes_its_arguments_by_name():
    agrees(lambda xp: xp.add.reduceat(xp.ones((2, 3)), indices=[0, 2], axis=1, dtype="f4"))
    agrees(lambda xp: xp.add.reduceat(xp.ones((2, 3)), [0, 1], 0, None, xp.zeros((2, 3))))


def test_taking_into_the_indices_themselves():
    for xp in (np, numpy):
        places = xp.array([4, 3, 2, 1, 0])
        assert xp.take(xp.arange(5) * 10, places, out=places).tolist() == [40, 30, 20, 10, 0]


def test_the_identity_is_explained():
    assert "None" in np.ufunc.identity.__doc__ and len(np.ufunc.identity.__doc__) > 250


def test_outer_of_subclasses():
    def outcomes(xp):
        class Bad(xp.ndarray):
            def __array_finalize__(self, obj):
                if self.ndim == 3:
                    self.shape = self.shape + (1,)

        bad = xp.ones((2, 3)).view(Bad)
        with pytest.raises(TypeError, match="modified its shape after a reshape"):
            xp.add.outer(bad, [1, 2])
        return type(xp.add.outer([1, 2], bad)).__name__, xp.add.outer([1, 2], bad).shape

    assert outcomes(np) == outcomes(numpy)
