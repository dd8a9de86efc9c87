"""`__torch_dispatch__`: modes and tensor subclasses below autograd."""
import functools
import gc
import weakref

import pytest

import torch_np as torch
from torch_np.utils._mode_utils import no_dispatch
from torch_np.utils._python_dispatch import (
    TorchDispatchMode, _disable_current_modes, _get_current_dispatch_mode, _pop_mode_temporarily, get_alias_info, is_traceable_wrapper_subclass,
    return_and_correct_aliasing, transform_subclass,
)
from torch_np.utils._pytree import tree_map
from torch_np.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


class Wrapper(torch.Tensor):
    """A tensor without elements around another one, as PyTorch's LoggingTensor."""

    __slots__ = ("elem",)

    @staticmethod
    def __new__(cls, elem, requires_grad=False):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, layout=elem.layout,
                                                   device=elem.device, requires_grad=requires_grad)
        made.elem = elem
        return made

    def __repr__(self):
        return super().__repr__(tensor_contents=f"{self.elem}")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        def unwrap(x):
            return x.elem if isinstance(x, cls) else x

        def wrap(x):
            return cls(x) if isinstance(x, torch.Tensor) else x
        return tree_map(wrap, func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {})))


class WithData(torch.Tensor):
    """A subclass with the memory of a tensor."""

    names: list = []

    @staticmethod
    def __new__(cls, data):
        return torch.Tensor._make_subclass(cls, data)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.names.append(str(func))
        with no_dispatch():
            return func(*args, **(kwargs or {}))


def run(function):
    with Log() as mode:
        function()
    return mode.names


X = torch.arange(12.0).reshape(3, 4)
ROW = torch.tensor([1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize(("call", "names"), [  # as PyTorch 2.15 gives them
    (lambda: X * 2, ["aten.mul.Tensor"]),
    (lambda: X + ROW, ["aten.add.Tensor"]),
    (lambda: X ** 2, ["aten.pow.Tensor_Scalar"]),
    (lambda: 2 ** X, ["aten.pow.Scalar"]),
    (lambda: X == 1, ["aten.eq.Scalar"]),
    (lambda: X > ROW, ["aten.gt.Tensor"]),
    (lambda: X.sum(), ["aten.sum.default"]),
    (lambda: X.sum(0), ["aten.sum.dim_IntList"]),
    (lambda: X.mean(1, keepdim=True), ["aten.mean.dim"]),
    (lambda: X.max(), ["aten.max.default"]),
    (lambda: X.max(1), ["aten.max.dim"]),
    (lambda: X.view(-1), ["aten.view.default"]),
    (lambda: X.transpose(0, 1), ["aten.transpose.int"]),
    (lambda: X[0], ["aten.select.int"]),
    (lambda: X[1:], ["aten.slice.Tensor"]),
    (lambda: X.clamp(0, 1), ["aten.clamp.default"]),
    (lambda: torch.cat([X, X]), ["aten.cat.default"]),
    (lambda: X @ ROW, ["aten.mv.default"]),
    (lambda: X.exp_(), ["aten.exp_.default"]),
    (lambda: X.fill_(1.0), ["aten.fill_.Scalar"]),
    (lambda: X.detach(), ["aten.detach.default"]),
    (lambda: X.clone(), ["aten.clone.default"]),
    (lambda: X.to(torch.float64), ["aten._to_copy.default"]),
    (lambda: X.softmax(-1), ["aten._softmax.default"]),
    (lambda: torch.nn.functional.gelu(X), ["aten.gelu.default"]),
    (lambda: torch.rand(3), ["aten.rand.default"]),
    (lambda: torch.ones_like(X), ["aten.ones_like.default"]),
    (lambda: torch.where(X > 1, X, ROW), ["aten.gt.Scalar", "aten.where.self"]),
])
def test_operators_have_pytorchs_names(call, names):
    assert run(call) == names


def test_results_and_gradients_below_a_mode_are_the_same():
    x = torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()
    w = torch.linspace(0, 1, 8).reshape(4, 2).requires_grad_()

    def f():
        y = (x @ w).relu() + torch.nn.functional.linear(x, w.t())
        return (y[:, 1:].exp() * y.sum(0)).mean()
    expected = torch.autograd.grad(f(), (x, w))
    with Log() as mode:
        y = f()
        found = torch.autograd.grad(y, (x, w))
    assert all(torch.equal(a, b) for a, b in zip(found, expected))
    assert {"aten.mm.default", "aten.relu.default", "aten.exp.default", "aten.mul.Tensor"} <= set(mode.names)


def test_the_operator_passed_is_the_attribute_of_ops():
    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))
    with Mode():
        X.sin()
    (func,) = seen
    assert func is torch.ops.aten.sin.default
    assert func.overloadpacket is torch.ops.aten.sin
    assert func.name() == "aten::sin" and func.__name__ == "sin.default" and func.namespace == "aten"
    assert str(func._schema) == "aten::sin(Tensor self) -> Tensor"
    assert str(torch.ops.aten.add.Tensor._schema) == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    assert torch.ops.aten.add_.Tensor._schema.is_mutable and torch.ops.aten.view.default.is_view


def test_modes_nest_and_are_off_in_their_own_method():
    outer, inner = Log(), Log()
    with outer, inner:
        assert _get_current_dispatch_mode() is inner
        X.cos()
        with _pop_mode_temporarily():
            X.sin()
        with _disable_current_modes():
            X.tan()
    assert inner.names == ["aten.cos.default"] and outer.names == ["aten.cos.default", "aten.sin.default"]
    assert _get_current_dispatch_mode() is None


def test_a_mode_may_replace_results():
    class Half(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            made = func(*args, **(kwargs or {}))
            return made / 2 if func is torch.ops.aten.mul.Tensor else made
    with Half():
        assert (ROW * 2).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_errors_leave_the_stack_clean():
    class Fails(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise ValueError("no")
    with pytest.raises(ValueError, match="no"), Fails():
        ROW + 1
    assert (ROW + 1)[0].item() == 2 and _get_current_dispatch_mode() is None

    class Declines(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return NotImplemented
    with pytest.raises(TypeError, match="Multiple dispatch failed for 'torch.ops.aten.add.Tensor'"), Declines():
        ROW + 1


def test_a_wrapper_shows_what_it_was_given():
    w = Wrapper(torch.ones(2, 3, dtype=torch.float64).t(), requires_grad=True)
    assert w.shape == (3, 2) and w.stride() == (1, 3) and w.dtype == torch.float64 and w.device == torch.ones(1).device and w.layout == torch.strided
    assert w.requires_grad and w.is_leaf
    assert str(Wrapper(torch.ones(2, device="cpu"))) == "Wrapper(tensor([1., 1.]))"


def test_gradients_flow_through_wrappers():
    data = torch.linspace(0, 1, 6).reshape(2, 3)
    w = Wrapper(data, requires_grad=True)
    plain = data.clone().requires_grad_()

    def f(x):
        return ((x * 2).sin() @ x.t()).view(-1)[1:].sum()
    f(w).backward()
    f(plain).backward()
    assert type(w.grad) is Wrapper and torch.allclose(w.grad.elem, plain.grad)


def test_attributes_survive_while_only_the_graph_has_the_tensor():
    w = Wrapper(torch.tensor([2.0]), requires_grad=True)
    y = w.exp()
    y.mark = "kept"
    died = weakref.ref(y)
    node = y.grad_fn
    del y
    gc.collect()
    again = node._saved_result
    assert type(again) is Wrapper and again.mark == "kept" and torch.equal(again.elem, torch.tensor([2.0]).exp())
    del again, node, w
    gc.collect()
    assert died() is None


def test_in_place_operators_change_the_wrapper():
    w = Wrapper(torch.zeros(2))
    assert w.add_(1) is w and w.elem.tolist() == [1.0, 1.0] and w._version == 1
    w.copy_(torch.tensor([3.0, 4.0]))
    w[0] = 5.0
    assert w.elem.tolist() == [5.0, 4.0] and w.tolist() == [5.0, 4.0] and float(w.sum()) == 9.0
    x = Wrapper(torch.ones(2), requires_grad=True)
    y = x * 2
    z = y * y
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_wrappers_of_wrappers():
    inner = Wrapper(torch.tensor([1.0, 2.0]))

    class Other(Wrapper):
        __slots__ = ()
    made = Other(inner) + 1
    assert type(made) is Other and type(made.elem) is Wrapper and made.elem.elem.tolist() == [2.0, 3.0]


def test_a_mode_sees_calls_before_the_subclass():
    order = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            order.append(types)
            return func(*args, **(kwargs or {}))
    w = Wrapper(torch.ones(2))
    with Mode():
        w + 1
    assert order == [(Wrapper,)]


def test_subclasses_with_data():
    WithData.names.clear()
    s = WithData(torch.arange(3.0))
    made = s + 1
    assert made.tolist() == [1.0, 2.0, 3.0] and WithData.names == ["aten.add.Tensor"]
    s.mul_(2)
    assert s.tolist() == [0.0, 2.0, 4.0]


def test_traceable_subclasses_and_aliasing():
    class Two(torch.Tensor):
        @staticmethod
        def __new__(cls, a, b):
            return torch.Tensor._make_wrapper_subclass(cls, a.shape, strides=a.stride(), dtype=a.dtype, device=a.device)

        def __init__(self, a, b):
            self.a, self.b = a, b

        def __tensor_flatten__(self):
            return ["a", "b"], None

        @staticmethod
        def __tensor_unflatten__(inner, meta, outer_size, outer_stride):
            return Two(inner["a"], inner["b"])

        @classmethod
        def __torch_dispatch__(cls, func, types, args, kwargs):
            results = [func(*tree_map(lambda t: getattr(t, n) if isinstance(t, Two) else t, args),
                            **tree_map(lambda t: getattr(t, n) if isinstance(t, Two) else t, kwargs or {})) for n in "ab"]
            out = Two(*results) if isinstance(results[0], torch.Tensor) else results[0]
            return return_and_correct_aliasing(func, args, kwargs, out)
    t = Two(torch.ones(2), torch.zeros(2))
    assert is_traceable_wrapper_subclass(t)
    assert t.add_(1) is t and t.a.tolist() == [2.0, 2.0] and t.b.tolist() == [1.0, 1.0]
    tripled = transform_subclass(t, lambda name, value: value * 3)
    assert tripled.a.tolist() == [6.0, 6.0] and tripled.b.tolist() == [3.0, 3.0]
    assert get_alias_info(torch.ops.aten.add_.Tensor).args[0].is_write


def test_classes_without_dispatch_are_refused():
    class Plain(torch.Tensor):
        pass
    with pytest.raises(RuntimeError, match="must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(Plain, (2,))
    with pytest.raises(TypeError, match="cls must be a type"):
        torch.Tensor._make_wrapper_subclass(int, (2,))


def test_vmap_over_a_wrapper_and_within_a_mode():
    batch = torch.arange(6.0).reshape(3, 2)
    with Log() as mode:
        found = torch.func.vmap(lambda v: v.sin().sum())(batch)
    assert torch.allclose(found, batch.sin().sum(1)) and "aten.sin.default" in mode.names


@pytest.mark.parametrize("policy", [
    [torch.ops.aten.mm.default],
    lambda context, op, *args, **kwargs: CheckpointPolicy.MUST_SAVE if op is torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE])
def test_selective_checkpoints_keep_results(policy):
    x, w = torch.linspace(-1, 1, 9).reshape(3, 3), torch.linspace(0, 1, 9).reshape(3, 3).requires_grad_()

    def f(a, b):
        return (a @ b).sin().exp()
    (expected,) = torch.autograd.grad(f(x, w).sum(), w)
    context = functools.partial(create_selective_checkpoint_contexts, policy)
    y = checkpoint(f, x, w, use_reentrant=False, context_fn=context)
    with Log() as mode:
        (found,) = torch.autograd.grad(y.sum(), w)
    assert torch.allclose(found, expected)
    assert mode.names.count("aten.mm.default") == 1  # the derivative's


def test_selective_checkpoints_check_their_list():
    with pytest.raises(ValueError, match="update the OpOverloadPacket"):
        create_selective_checkpoint_contexts([torch.ops.aten.sin])
    with pytest.raises(TypeError, match="either a function or a list"):
        create_selective_checkpoint_contexts(2)


def test_saved_tensors_are_copied_when_they_change():
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        a = torch.ones(2, 3, requires_grad=True)
        b = a.clone()
        out = (b ** 2).sum()
        assert not context.cloned
        b.sin_()
        assert len(context.cloned) == 1
        out.backward()
    assert torch.equal(a.grad, 2 * torch.ones(2, 3))


def test_parameters_keep_the_class():
    p = torch.nn.Parameter(Wrapper(torch.ones(2, 3)))
    assert type(p) is Wrapper and isinstance(p, torch.nn.Parameter) and p.requires_grad
    assert not isinstance(Wrapper(torch.ones(2)), torch.nn.Parameter) and isinstance(torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter)
    layer = torch.nn.Linear(3, 2)
    layer.weight = p
    assert dict(layer.named_parameters())["weight"] is p
    layer(Wrapper(torch.ones(4, 3))).sum().backward()
    assert type(p.grad) is Wrapper and p.grad.elem.tolist() == [[4.0] * 3] * 2
