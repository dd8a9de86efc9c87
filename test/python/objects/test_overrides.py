"""__array_function__ and like= of foreign classes, in operators and in composites; numpy._CopyMode."""
import copy
import inspect
import pickle
import weakref

import numpy
import pytest

import torch_np.numpy as np


class Foreign:
    def __array_function__(self, func, types, args, kwargs):
        return func.__module__.partition(".")[0], func.__name__, len(args), sorted(kwargs)


class Refusing:
    def __array_function__(self, func, types, args, kwargs):
        return NotImplemented


CALLS = {
    "sum": lambda xp, f: xp.sum(f), "pad": lambda xp, f: xp.pad(f, 1), "concatenate": lambda xp, f: xp.concatenate([f, f]),
    "stack": lambda xp, f: xp.stack((f, f)), "vstack": lambda xp, f: xp.vstack([f]), "select": lambda xp, f: xp.select([f], [f]),
    "norm": lambda xp, f: xp.linalg.norm(f), "fft2": lambda xp, f: xp.fft.fft2(f), "inv": lambda xp, f: xp.linalg.inv(f),
    "einsum": lambda xp, f: xp.einsum("ij", f), "meshgrid": lambda xp, f: xp.meshgrid(f, f), "percentile": lambda xp, f: xp.percentile(f, q=3),
    "isclose": lambda xp, f: xp.isclose(1, b=f), "insert": lambda xp, f: xp.insert([1, 2], 0, f), "histogram": lambda xp, f: xp.histogram(f),
    "isscalar": lambda xp, f: xp.isscalar(f),
}
LIKE = {
    "array": lambda xp, like: xp.array([1], like=like), "asarray": lambda xp, like: xp.asarray([1], like=like),
    "zeros": lambda xp, like: xp.zeros(3, like=like), "ones": lambda xp, like: xp.ones(3, like=like), "empty": lambda xp, like: xp.empty(3, like=like),
    "full": lambda xp, like: xp.full(3, 1, like=like), "arange": lambda xp, like: xp.arange(3, like=like), "eye": lambda xp, like: xp.eye(3, like=like),
    "identity": lambda xp, like: xp.identity(3, like=like), "tri": lambda xp, like: xp.tri(3, like=like),
    "fromfunction": lambda xp, like: xp.fromfunction(lambda i: i, (3,), like=like), "fromiter": lambda xp, like: xp.fromiter([1], int, like=like),
    "frombuffer": lambda xp, like: xp.frombuffer(b"12345678", like=like), "require": lambda xp, like: xp.require([1], like=like),
    "asanyarray": lambda xp, like: xp.asanyarray([1], like=like), "fromstring": lambda xp, like: xp.fromstring("1,2", int, sep=",", like=like),
}


@pytest.mark.parametrize("name", CALLS)
def test_foreign_arguments_make_the_result(name):
    theirs, ours = CALLS[name](numpy, Foreign()), CALLS[name](np, Foreign())
    if theirs is False:
        assert ours is False
    else:
        assert ours == ("torch_np", *theirs[1:])


@pytest.mark.parametrize("name", [name for name in CALLS if name != "isscalar"])
def test_a_class_that_declines_is_an_error(name):
    with pytest.raises(TypeError, match="no implementation found"):
        CALLS[name](np, Refusing())


@pytest.mark.parametrize("name", LIKE)
def test_like_makes_the_array(name):
    assert LIKE[name](np, Foreign())[:2] == ("torch_np", LIKE[name](numpy, Foreign())[1])
    assert type(LIKE[name](np, np.ones(1))) is np.ndarray
    assert type(LIKE[name](np, None)) is np.ndarray
    with pytest.raises(TypeError, match="like"):
        LIKE[name](np, 3)


def test_subclasses_are_asked_before_their_bases():
    class Derived(Foreign):
        def __array_function__(self, func, types, args, kwargs):
            return "derived", [t.__name__ for t in types]

    assert np.isclose(Foreign(), Derived())[0] == numpy.isclose(Foreign(), Derived())[0] == "derived"


def test_super_of_a_subclass_computes():
    class Traced(np.ndarray):
        def __array_function__(self, func, types, args, kwargs):
            return func.__name__, super().__array_function__(func, types, args, kwargs)

    x = np.ones(2).view(Traced)
    for name, result in (np.pad(x, 1), np.concatenate([x]), np.sum(x), np.linalg.norm(x)):
        assert isinstance(result, (np.ndarray, numpy.float64)) and name


def test_compositions_still_look_like_functions():
    assert [(p.name, p.kind, p.default) for p in inspect.signature(np.pad).parameters.values()] == [
        (p.name, p.kind, p.default) for p in inspect.signature(numpy.pad).parameters.values()]
    assert pickle.loads(pickle.dumps(np.pad)) is np.pad
    assert np.pad.__name__ == "pad" and np.pad.__module__ == "torch_np.numpy" and np.pad.__doc__


@pytest.mark.parametrize("mode", numpy._CopyMode)
@pytest.mark.parametrize("source", ["array", "list"])
def test_copy_mode(mode, source):
    def outcome(xp):
        x = xp.ones(2) if source == "array" else [1.0, 1.0]
        try:
            return [f(x, copy=mode) is x for f in (xp.array, xp.asarray)]
        except ValueError:
            return "ValueError"

    assert np._CopyMode is numpy._CopyMode
    assert outcome(np) == outcome(numpy)


def test_astype_takes_no_copy_mode():
    for xp in (numpy, np):
        with pytest.raises(ValueError, match="_CopyMode"):
            xp.ones(2).astype(int, copy=xp._CopyMode.IF_NEEDED)


def test_compositions_behave_as_functions_do():
    assert inspect.signature(np.pad).parameters["mode"].default == "constant" and inspect.unwrap(np.pad) is inspect.unwrap(np.pad._implementation)
    assert copy.deepcopy(np.pad) is np.pad and weakref.ref(np.pad)() is np.pad
    assert "pad" in repr(np.pad) and callable(np.pad) and np.pad == np.pad and hash(np.pad) == hash(np.pad)

    class Holder:
        shape_of = np.shape  # becomes a method, as any function

        def __len__(self):
            return 3

        def __getitem__(self, i):
            return range(3)[i]

    assert Holder().shape_of() == (3,)
    with pytest.raises(TypeError, match="pad"):
        np.pad(wrong=1)
    assert np.shape(a=[1, 2]) == (2,) and np.tile(A=[1], reps=2).tolist() == [1, 1]


class Asked:
    def __array_function__(self, function, types, args, kwargs):
        return function.__name__


@pytest.mark.parametrize("call", [
    lambda x: np.block([[1, x]]), lambda x: np.choose([0, 1], choices=[x, x]), lambda x: np.select([[True]], [x]),
    lambda x: np.piecewise([1.0], [x], [1]), lambda x: np.ravel_multi_index([1, x], (2, 2)),
    lambda x: np.histogram2d([1.0], [2.0], bins=[x, 2]), lambda x: np.histogramdd([[1.0]], bins=[x])])
def test_each_list_of_arrays_may_hold_one_that_overrides(call):
    assert call(Asked()) in ("block", "choose", "select", "piecewise", "ravel_multi_index", "histogram2d", "histogramdd")


def test_a_list_that_holds_itself_is_no_block():
    endless = [1]
    endless += [endless, endless]
    with pytest.raises((ValueError, RecursionError)):
        np.block(endless)


def test_arguments_are_checked_before_like_makes_the_array():
    for xp in (numpy, np):
        for call in (lambda: xp.array(1, value_error=True, like=Foreign()), lambda: xp.ones(like=Foreign())):
            with pytest.raises(TypeError):
                call()
    assert np.zeros(1, like=Foreign(), _device="cpu")[1] == "zeros"


def test_signatures_stand_where_numpys_do():
    for name in ("empty_like", "concatenate", "sum", "inner", "where", "bincount", "arange", "ones", "full", "from_dlpack", "fromiter",
                 "frombuffer", "nested_iters", "promote_types"):
        ours, numpys = getattr(np, name), getattr(numpy, name)
        assert hasattr(ours, "__signature__") == hasattr(numpys, "__signature__"), name
        assert bool(getattr(ours, "__text_signature__", None)) == bool(getattr(numpys, "__text_signature__", None)) or name in ("ones", "full")
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(numpys).parameters), name
    assert np.concatenate.__wrapped__.__text_signature__.startswith("(arrays")
    assert inspect.signature(np.ones).parameters["dtype"].default is None
    with pytest.raises(ValueError):
        inspect.signature(np.empty_like, follow_wrapped=False)
    class Overriding:
        def __array_function__(self, *args):
            return "taken over"
        def __dlpack__(self, **kwargs):
            return np.ones(2).__dlpack__()
        def __dlpack_device__(self):
            return 1, 0
    assert np.from_dlpack(Overriding()).shape == (2,)  # NumPy allows no override of it
