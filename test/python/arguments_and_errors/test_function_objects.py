"""Functions of both faces, compositions, ufuncs and generalized ufuncs are one kind of Python object."""
import copy
import functools
import gc
import inspect
import pickle
import pydoc
import weakref

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np import _C

FUNCTIONS = {"np.sum": np.sum, "np.concatenate": np.concatenate, "np.zeros": np.zeros, "np.array": np.array, "np.pad": np.pad,
             "np.linalg.norm": np.linalg.norm, "np.linalg.det": np.linalg.det, "np.fft.fft": np.fft.fft, "np.add": np.add,
             "np.matmul": np.matmul, "torch_np.sum": torch_np.sum, "torch_np.tensor": torch_np.tensor,
             "torch_np.linalg.det": torch_np.linalg.det}
each = pytest.mark.parametrize("path", FUNCTIONS)


@each
def test_a_function_is_of_the_one_type(path):
    function = FUNCTIONS[path]
    assert isinstance(function, _C.Function) and callable(function) and inspect.isroutine(function)
    assert isinstance(function, np.ufunc) == (path in ("np.add", "np.matmul"))


@each
def test_a_function_knows_its_name_and_where_it_is_found(path):
    function = FUNCTIONS[path]
    module, _, name = path.replace("np.", "torch_np.numpy.", path.startswith("np.")).rpartition(".")
    assert (function.__module__, function.__name__, function.__qualname__) == (module, name, name)
    assert name in repr(function)


@each
def test_a_function_is_pickled_and_copied_by_name(path):
    function = FUNCTIONS[path]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(function, protocol)) is function
    assert copy.copy(function) is function and copy.deepcopy([function])[0] is function


@each
def test_a_function_has_a_signature_apart_from_its_doc(path):
    function = FUNCTIONS[path]
    assert len(inspect.signature(function).parameters) >= 1
    # NumPy's ufuncs have their signature in the docstring, too, and programs read it there.
    is_ufunc = isinstance(function, np.ufunc)
    assert function.__doc__ and "--\n" not in function.__doc__ and function.__doc__.startswith(function.__name__ + "(") == is_ufunc
    assert function.__doc__.split("\n")[0] in pydoc.render_doc(function)


def test_signatures_are_those_of_the_face():
    assert list(inspect.signature(np.sum).parameters)[:2] == ["a", "axis"]
    assert list(inspect.signature(torch_np.sum).parameters)[:2] == ["input", "dim"]
    assert list(inspect.signature(np.add).parameters)[:2] == ["x1", "x2"]
    assert inspect.signature(np.pad).parameters["mode"].default == "constant"


@each
def test_a_function_takes_weak_references_attributes_and_wrappers(path):
    function = FUNCTIONS[path]
    assert weakref.ref(function)() is function

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    assert wrapper.__name__ == function.__name__ and wrapper.__doc__ == function.__doc__ and wrapper.__wrapped__ is function
    function.remark = "set by a user"
    assert function.remark == "set by a user" and "remark" in function.__dict__
    del function.remark
    with pytest.raises(AttributeError):
        function.remark


@pytest.mark.parametrize("name", ["sum", "concatenate", "pad", "zeros", "array", "add"])
def test_a_function_as_an_attribute_of_a_class_binds_as_numpys(name):
    def bound(xp):
        return inspect.ismethod(type("Holder", (), {"f": getattr(xp, name)})().f)
    assert bound(np) == bound(numpy)


def test_torchs_functions_do_not_bind():
    class Holder:
        f = torch_np.sum
    assert Holder().f is torch_np.sum and Holder().f(torch_np.ones(3)) == 3


def test_nobody_makes_such_objects_by_calling_the_type():
    for cls in (_C.Function, np.ufunc):
        with pytest.raises(TypeError, match="cannot create"):
            cls()
    for wrong in (print, None, object()):
        with pytest.raises(TypeError):
            _C._function(wrong, False, False, False, False)


def test_the_plain_function_is_there_for_those_who_override():
    assert np.sum._implementation(np.ones(3)) == 3 and np.sum._implementation is np.sum._implementation
    assert np.pad._implementation(np.ones(1), 1).shape == (3,)
    for function in (torch_np.sum, np.add, np.sum._implementation):
        assert not hasattr(function, "_implementation")


def test_a_function_that_nobody_holds_goes_with_its_cycles():
    def f(x):
        return x
    public = _C._function(f, False, False, True, False)
    public.itself = public
    gone = weakref.ref(public)
    del public
    gc.collect()
    assert gone() is None
    assert f(1) == 1


def test_malformed_calls_of_functions_of_one_argument():
    for function in (torch_np.from_numpy, torch_np.from_dlpack):
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\) takes exactly one argument \(0 given\)"):
            function()
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\) takes exactly one argument \(2 given\)"):
            function(1, 2)
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\) takes no keyword arguments"):
            function(ndarray=1)
