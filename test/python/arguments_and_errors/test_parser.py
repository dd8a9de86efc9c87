"""The argument parser: accepted arguments, and the texts of its errors."""
import inspect

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def test_compat_names_and_native_names_reach_the_same_argument():
    x = np.arange(6.0).reshape(2, 3)
    t = x._torch()
    assert np.sum(x, axis=0, keepdims=True).shape == torch_np.sum(t, dim=0, keepdim=True).shape == (1, 3)


def test_torch_face_accepts_pytorchs_aliases():
    t = torch_np.ones(2, 3)
    assert torch_np.sum(t, axis=1, keepdims=True).shape == (2, 1)
    assert torch_np.add(input=t, other=t).shape == torch_np.add(x1=t, x2=t).shape == (2, 3)


def test_numpy_face_does_not_take_torchs_names():
    with pytest.raises(TypeError, match=r"sum\(\) got an unexpected keyword argument 'dim'"):
        np.sum(np.ones(2), dim=0)


def test_keyword_that_is_not_interned_is_found():
    name = "".join(["a", "x", "is"])
    assert np.sum(np.ones((2, 3)), **{name: 0}).shape == (3,)


@pytest.mark.parametrize("call, message", [
    (lambda: np.sum(), r"sum\(\) missing 1 required positional argument: 'a'"),
    (lambda: np.sum(np.ones(2), foo=1), r"sum\(\) got an unexpected keyword argument 'foo'"),
    (lambda: np.sum(np.ones(2), a=np.ones(2)), r"sum\(\) got multiple values for argument 'a'"),
    (lambda: np.sum(np.ones(2), axis="0"), r"sum\(\): argument 'axis' must be int or tuple of ints, not str"),
    (lambda: np.sum(np.ones(2), axis=1.0), r"sum\(\): argument 'axis' must be int or tuple of ints, not float"),
    (lambda: np.sum(np.ones(2), axis=True), r"sum\(\): argument 'axis' must be int or tuple of ints, not bool"),
    (lambda: np.add(np.ones(2)), r"add\(\) takes from 2 to 3 positional arguments but 1 was given"),
    (lambda: np.add(1, 2, None, 4), r"add\(\) takes from 2 to 3 positional arguments but 4 were given"),
    (lambda: np.add(x1=1, x2=2), r"add\(\) takes from 2 to 3 positional arguments but 0 were given"),
    (lambda: torch_np.sum([1.0]), r"'input' must be Tensor, not list"),
    (lambda: torch_np.add(1, 2), r"argument 'input' must be Tensor, not int"),
])
def test_message_says_what_is_wrong(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_failed_overloads_list_the_signatures():
    with pytest.raises(TypeError, match="expected one of") as caught:
        torch_np.arange("a")
    assert str(caught.value).count("arange(") >= 2


def test_errors_of_the_engine_name_the_argument_as_the_caller_spelled_it():
    with pytest.raises(numpy.exceptions.AxisError, match="axis 3"):
        np.sum(np.ones(2), axis=3)
    with pytest.raises(IndexError, match="dim: Dimension out of range"):
        torch_np.sum(torch_np.ones(2), dim=3)


def test_numbers_of_all_kinds_are_integers():
    x = np.ones((2, 3))
    for axis in (1, numpy.int64(1), numpy.array(1), np.array(1), numpy.uint8(1)):
        assert np.sum(x, axis=axis).shape == (2,)
    for axes in ((0, 1), [0, 1], numpy.array([0, 1]), np.array([0, 1]), range(2)):
        assert np.sum(x, axis=axes).shape == ()


def test_varargs_may_come_apart_or_together():
    x = np.arange(6)
    for y in (x.reshape(2, 3), x.reshape((2, 3)), x.reshape([2, 3]), x.reshape(np.int64(2), numpy.int32(3)), x.reshape(2, -1)):
        assert y.shape == (2, 3)
    assert torch_np.ones(2, 3).shape == torch_np.ones((2, 3)).shape == (2, 3)
    with pytest.raises(TypeError):
        x.reshape(2, "3")


def test_no_value_means_not_given():
    x = np.ones((2, 3))
    assert np.sum(x, axis=0, initial=numpy._NoValue, keepdims=numpy._NoValue).shape == (3,)


def test_python_code_in_arguments_is_harmless():
    class Index:
        def __init__(self, items):
            self.items = items

        def __index__(self):
            self.items.clear()
            return 1

    items = []
    items.extend([Index(items), Index(items), 2])
    with pytest.raises((ValueError, TypeError)):
        np.ones(6).reshape(items)


def test_exceptions_of_argument_methods_reach_the_caller():
    class Bad:
        def __index__(self):
            raise ZeroDivisionError("mine")

        def __array__(self, dtype=None, copy=None):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        np.sum(np.ones(2), axis=Bad())
    with pytest.raises(ZeroDivisionError, match="mine"):
        np.sum(Bad())


def test_every_function_has_a_signature():
    missing = []
    for module in (torch_np._C._numpy, torch_np._C._torch):
        for name, function in vars(module).items():
            if name.startswith("__"):
                continue
            try:
                inspect.signature(function)
            except (ValueError, TypeError) as e:
                missing.append((name, str(e)))
    assert not missing


def test_signature_of_a_ufunc_is_numpys():
    assert str(inspect.signature(np.add)) == str(inspect.signature(numpy.add))
