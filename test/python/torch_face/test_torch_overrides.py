"""torch_np.overrides: functions in Python with __torch_function__, modes, and lists of functions.
"""
import inspect

import pytest

import torch_np
from torch_np import overrides

pytestmark = [pytest.mark.same_on_devices("calls Python functions"), pytest.mark.same_when_pending("calls Python functions")]


class Foreign:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "Foreign", func, types, args, kwargs


class Derived(Foreign):
    pass


class Declines:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def function(x, y=3):
    return x


def test_tests_for_overrides():
    plain = torch_np.ones(1)
    assert overrides.has_torch_function((plain, Foreign())) and not overrides.has_torch_function((plain, 3))
    assert overrides.has_torch_function_unary(Foreign()) and overrides.has_torch_function_variadic(1, Foreign())
    assert overrides.is_tensor_like(Foreign()) and overrides.is_tensor_like(plain) and not overrides.is_tensor_like(3)


def test_handled_calls():
    x = Foreign()
    assert overrides.handle_torch_function(function, (x,), 1, y=2) == ("Foreign", function, (Foreign,), (1,), {"y": 2})
    types = overrides.handle_torch_function(function, (x, Derived(), Foreign()), 1)[2]
    assert types == (Derived, Foreign)  # subclasses first, each class once
    assert overrides.handle_torch_function(function, (Declines(), x), 1)[0] == "Foreign"
    with pytest.raises(TypeError, match="no implementation found for .*function.*Declines"):
        overrides.handle_torch_function(function, (Declines(),), 1)
    assert overrides.handle_torch_function(function, (torch_np.ones(1),), 1) == 1


def test_decorated_functions():
    @overrides.wrap_torch_function(lambda x: (x,))
    def plain(x):
        """Doc."""
        return x

    x = Foreign()
    assert plain(3) == 3 and plain.__doc__ == "Doc."
    assert plain(x) == ("Foreign", plain, (Foreign,), (x,), {})


def test_modes_see_calls_of_functions_methods_and_python():
    seen = []

    class Mode(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(overrides.resolve_name(func) or func)
            return func(*args, **(kwargs or {}))

    @overrides.wrap_torch_function(lambda x: (x,))
    def plain(x):
        return x

    x = torch_np.ones(2)
    with Mode() as mode:
        y = (torch_np.add(x, 1) + 1).exp()
        plain(3)
        assert overrides._get_current_function_mode() is mode and overrides._get_current_function_mode_stack() == [mode]
        with overrides._pop_mode_temporarily() as popped:
            assert popped is mode and overrides._get_current_function_mode() is None
    assert seen == ["torch_np.add", "torch_np.Tensor.add", "torch_np.Tensor.exp", plain]
    assert y.tolist() == torch_np.exp(torch_np.tensor([3.0, 3.0])).tolist()
    with Mode(), Mode.push(), overrides.BaseTorchFunctionMode():
        del seen[:]
        x.sum()
    assert seen == ["torch_np.Tensor.sum"] * 2
    with pytest.raises(NotImplementedError):
        overrides.TorchFunctionMode().__torch_function__(function, ())
    with overrides.enable_reentrant_dispatch():
        assert not overrides._len_torch_function_stack()


def test_calls_without_the_classes_of_their_arguments():
    class Logged(torch_np.Tensor):
        seen = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(func.__name__)
            return overrides.redispatch_function(func, types, args, kwargs)

    def scaled(a, b):
        if overrides.has_torch_function((a, b)):
            return overrides.handle_torch_function(scaled, (a, b), a, b)
        return a * b + 1

    result = scaled(Logged([3.0]), Logged([4.0]))
    assert result.tolist() == [13.0] and type(result) is torch_np.Tensor and Logged.seen == ["scaled", "mul"]


def test_lists():
    found, ignored = overrides.get_overridable_functions(), overrides.get_ignored_functions()
    assert torch_np.add in found[torch_np] and torch_np.Tensor.add in found[torch_np.Tensor]
    assert torch_np.Tensor.new_ones in ignored and torch_np.add not in ignored
    answers = overrides.get_testing_overrides()
    assert answers[torch_np.add](1, 2) == -1 and list(inspect.signature(answers[torch_np.add]).parameters)[:2] == ["input", "other"]
    with pytest.raises(TypeError):
        answers[torch_np.add](wrong=1)


@pytest.mark.parametrize("f, name, of_tensor", [
    (torch_np.add, "torch_np.add", False), (torch_np.Tensor.add, "torch_np.Tensor.add", True),
    (torch_np.Tensor.__add__, "torch_np.Tensor.__add__", True), (torch_np.Tensor.shape.__get__, "torch_np.Tensor.shape.__get__", True),
    (torch_np.Tensor.grad.__set__, "torch_np.Tensor.grad.__set__", False), (torch_np.linalg.svd, "torch_np.linalg.svd", False),
    (torch_np.nn.functional.relu, "torch_np.nn.functional.relu", False), (len, None, False)])
def test_names(f, name, of_tensor):
    assert overrides.resolve_name(f) == name and overrides.is_tensor_method_or_property(f) == of_tensor
