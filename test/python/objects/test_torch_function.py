"""`__torch_function__`: classes and modes that override functions, methods and operators of the PyTorch face. The functions, types
and classes of results are those of PyTorch 2.15."""
import copy
import operator

import pytest

import torch_np as torch
import torch_np.numpy as np

X = torch.ones(2, 2)
CALLS = []


class Duck:
    """No Tensor, but an argument that overrides functions."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        CALLS.append((func, types, args, kwargs or {}))
        return 7


class Plain(torch.Tensor):
    pass


class Special(Plain):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        CALLS.append((func, types, args, kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)


class Mode:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        CALLS.append((func, types, args, kwargs or {}))
        return func(*args, **(kwargs or {}))


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def of(cls, values=(1.0, 2.0)):
    return torch._C._make_subclass(cls, torch.tensor(values))


@pytest.mark.parametrize("function, arguments, keywords", [
    (torch.sin, lambda d: (d,), {}), (torch.add, lambda d: (X, d), {}), (torch.add, lambda d: (d, 1), {"alpha": 2}),
    (torch.cat, lambda d: ([X, d],), {"dim": 1}), (torch.sum, lambda d: (d,), {"dim": 0}), (torch.einsum, lambda d: ("ij->ji", d), {}),
    (torch.nn.functional.relu, lambda d: (d,), {}), (torch.nn.functional.cross_entropy, lambda d: (d, X), {})])
def test_arguments_that_are_no_tensors_override_functions(function, arguments, keywords):
    args = arguments(Duck())
    assert function(*args, **keywords) == 7
    assert CALLS == [(function, (Duck,), args, keywords)]


def test_without_an_override_errors_are_those_of_the_function():
    with pytest.raises(TypeError, match="must be Tensor"):
        torch.sin(object())


def test_operators_with_a_foreign_operand():
    d = Duck()
    assert X + d == 7 and CALLS[-1][:3] == (torch.Tensor.add, (Duck,), (X, d))
    assert X / d == 7 and CALLS[-1][0] is torch.Tensor.div
    assert (X < d) == 7 and CALLS[-1][0] is torch.Tensor.lt


@pytest.mark.parametrize("compute", [
    lambda a, x: x + a, lambda a, x: a + x, lambda a, x: 1 - a, lambda a, x: -a, lambda a, x: a ** 2, lambda a, x: a == a, lambda a, x: a[0],
    lambda a, x: torch.stack([x, a]), lambda a, x: torch.zeros_like(a), lambda a, x: torch.nn.functional.softmax(a, 0), lambda a, x: a.sum(),
    lambda a, x: a.max(0)[0], lambda a, x: a.split(1)[1], lambda a, x: a.T, lambda a, x: a.detach(), lambda a, x: a.data,
    lambda a, x: a.double(), lambda a, x: torch.add(torch.nn.Parameter(x), a)])
def test_results_have_the_class_of_the_argument(compute):
    values = torch.tensor([3.0, 4.0])
    result = compute(of(Plain), values)
    assert type(result) is Plain
    assert torch.equal(torch.Tensor(result) if result.dtype == torch.float32 else result, compute(torch.tensor([1.0, 2.0]), values))


def test_values_and_shapes_have_their_own_classes():
    a = of(Plain)
    assert type(a.shape) is torch.Size and type(a.tolist()) is list and a.grad is None and type(a.dtype) is torch.dtype


@pytest.mark.parametrize("call, name", [
    (lambda a, x: a + x, "add"), (lambda a, x: x - a, "sub"), (lambda a, x: 2 - a, "__rsub__"), (lambda a, x: a / 2, "div"),
    (lambda a, x: a // 2, "__floordiv__"), (lambda a, x: a % 2, "remainder"), (lambda a, x: a @ x, "matmul"), (lambda a, x: a < x, "lt"),
    (lambda a, x: a == x, "__eq__"), (lambda a, x: a != x, "ne"), (lambda a, x: abs(a), "abs"), (lambda a, x: a[0], "__getitem__"),
    (lambda a, x: len(a), "__len__"), (lambda a, x: float(a[0]), "__float__"), (lambda a, x: a.clone(), "clone"),
    (lambda a, x: operator.iadd(a, x), "add_"), (lambda a, x: a.__setitem__(0, 1.0), "__setitem__"), (lambda a, x: repr(a), "__repr__")])
def test_the_function_that_an_override_sees(call, name):
    call(of(Special), torch.tensor([3.0, 4.0]))
    assert CALLS[-1][0] is getattr(torch.Tensor, name)


def test_properties_are_seen_as_getters_and_setters():
    a = of(Special)
    assert a.T is not None and CALLS[-1][0] == torch.Tensor.T.__get__
    a.requires_grad = True
    assert CALLS[-1][0] == torch.Tensor.requires_grad.__set__ and CALLS[-1][2] == (a, True)


def test_subclasses_decide_before_their_base_classes():
    a, b = of(Plain), of(Special)
    assert type(a + b) is Special
    assert CALLS[0][1] == (Special, Plain)


def test_unrelated_classes_have_no_common_function():
    class Other(torch.Tensor):
        pass
    a, b = of(Plain), of(Other)
    with pytest.raises(TypeError, match="no implementation found for 'torch_np.add' on types that implement __torch_function__"):
        torch.add(a, b)
    with pytest.raises(TypeError, match="unsupported operand"):
        a + b


def test_parameters_override_nothing():
    p = torch.nn.Parameter(torch.ones(2))
    assert type(p + p) is torch.Tensor
    assert torch.nn.Parameter.__torch_function__ is torch._C._disabled_torch_function_impl
    assert not torch._C._has_torch_function_unary(p) and not torch._C._has_torch_function((X, 1))
    assert torch._C._has_torch_function_variadic(1, of(Plain))


def test_disabled_overrides():
    a = of(Special)
    with torch._C.DisableTorchFunctionSubclass():
        assert type(a + a) is torch.Tensor and type(a[0]) is torch.Tensor and type(torch.add(a, a)) is torch.Tensor
        assert not torch._C._is_torch_function_enabled()
    with torch._C.DisableTorchFunction():
        assert type(a + a) is torch.Tensor
    assert not CALLS
    assert type(a + a) is Special and torch._C._is_torch_function_enabled()


def test_modes_see_calls_with_tensors_and_without():
    torch._C._push_on_torch_function_stack(Mode())
    try:
        assert torch._C._len_torch_function_stack() == 1
        y = X + 1
        torch.zeros(2)
        X.T  # noqa: B018
        with torch._C.DisableTorchFunction():
            X * 2
    finally:
        torch._C._pop_torch_function_stack()
    assert [c[0] for c in CALLS] == [torch.Tensor.add, torch.zeros, torch.Tensor.T.__get__]
    assert y.tolist() == [[2.0, 2.0], [2.0, 2.0]] and CALLS[0][1] == ()
    X + 1
    assert len(CALLS) == 3


def test_inner_modes_come_first_and_calls_in_them_reach_the_outer():
    outer, inner = Mode(), Mode()
    seen = []
    for mode, name in ((outer, "outer"), (inner, "inner")):
        mode.__class__ = type(name, (Mode,), {"__torch_function__": lambda self, func, types, args=(), kwargs=None, name=name: (
            seen.append(name), func(*args, **(kwargs or {})))[1]})
        torch._C._push_on_torch_function_stack(mode)
    try:
        X + 1
    finally:
        assert torch._C._pop_torch_function_stack() is inner
        torch._C._pop_torch_function_stack()
    assert seen == ["inner", "outer"]
    with pytest.raises(RuntimeError, match="the stack of modes is empty"):
        torch._C._pop_torch_function_stack()


def test_errors_of_overrides_arrive():
    class Broken(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise KeyError("mine")
    for call in (lambda b: b + 1, lambda b: torch.sin(b), lambda b: b.sum(), lambda b: b.T, lambda b: b[0], lambda b: len(b)):
        with pytest.raises(KeyError, match="mine"):
            call(of(Broken))


def test_copies_keep_the_class_and_other_faces_are_unaffected():
    assert type(copy.deepcopy(of(Plain))) is Plain
    assert type(np.ones(2) + 1) is np.ndarray
