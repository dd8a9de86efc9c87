"""Nodes of the graph as Python objects: their classes, metadata, hooks, and whether a backward pass calls them."""
import gc
import weakref

import pytest

import torch_np as torch
from torch_np.autograd.graph import Node


class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        assert isinstance(ctx, Node)
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


def test_node_is_a_class_that_no_class_is_derived_from():
    x = leaf(2)
    for node in (x.exp().grad_fn, x.exp().grad_fn.next_functions[0][0], Identity.apply(x).grad_fn):
        assert isinstance(node, Node) and issubclass(type(node), Node) and Node not in type(node).mro()
    functions = torch._C._functions
    assert all(issubclass(c, Node) for c in (Node, functions.AccumulateGrad, functions.DelayedError, torch.autograd.function.BackwardCFunction))
    assert not any(isinstance(o, Node) for o in (None, 1, Node, functions.AccumulateGrad, x))
    assert not issubclass(int, Node) and not issubclass(torch.Tensor, Node)
    assert type(x.exp().grad_fn.next_functions[0][0]) is functions.AccumulateGrad


def test_the_class_of_a_functions_nodes():
    node = Identity.apply(leaf(2)).grad_fn
    assert type(node) is Identity._backward_cls and type(node)._forward_cls is Identity and isinstance(node, torch.autograd.function.BackwardCFunction)

    class Other(Identity):
        pass
    assert Other._backward_cls is not Identity._backward_cls and Other._backward_cls.__name__ == "OtherBackward"
    Other.__module__ = "gone"
    gone = weakref.ref(Other), weakref.ref(Other._backward_cls)
    Other.apply(leaf(2)).sum().backward()
    del Other
    gc.collect()
    assert [r() for r in gone] == [None, None]


@pytest.mark.same_on_devices("it names the CPU")
def test_input_metadata():
    metadata = (torch.ones(2, 3, device="cpu", requires_grad=True) * 2).grad_fn._input_metadata
    assert len(metadata) == 1
    shape, dtype, device = metadata[0]
    assert (metadata[0].shape, metadata[0].dtype, metadata[0].device) == (shape, dtype, device) == (torch.Size([2, 3]), torch.float32, torch.device("cpu"))
    assert type(shape) is torch.Size and metadata[0].is_nested_tensor is metadata[0].is_cpp_nested_tensor is False
    assert len(torch.linalg.qr(leaf(3, 2))[0].grad_fn._input_metadata) == 2


def test_metadata_lives_as_long_as_its_node():
    class Value:
        pass
    y = leaf(2) * 2
    y.grad_fn.metadata["value"] = value = Value()
    assert y.grad_fn.metadata == {"value": value}
    value = weakref.ref(value)
    gc.collect()
    assert y.grad_fn.metadata["value"] is value()
    y.sum().backward()
    del y
    assert value() is None


def test_a_cycle_through_metadata_is_garbage():
    y = leaf(2) * 2
    y.grad_fn.metadata["tensor"] = y
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


def test_order_of_hooks_of_a_leaf():
    x, order = leaf(3), []
    node = x.view_as(x).grad_fn.next_functions[0][0]
    x.register_hook(lambda grad: order.append("tensor") or grad - 2)
    node.register_prehook(lambda grads: order.append("before") or (grads[0] / 5,))
    x.register_post_accumulate_grad_hook(lambda t: (order.append("accumulated"), t.grad.add_(0.5)) and None)

    def after(inputs, outputs):
        order.append("after")
        x.grad = outputs[0] * 10    # the gradient that the leaf has adopted, and that the hook before has changed
    node.register_hook(after)
    x.sum().backward()
    assert order == ["tensor", "before", "accumulated", "after"]
    assert torch.allclose(x.grad, torch.full((3,), 3.0))


def test_which_nodes_a_backward_pass_calls():
    will = torch._C._will_engine_execute_node
    a, b = leaf(2), leaf(2)
    product, aside = a * b, b.cos()
    result = Identity.apply(product)
    leaves = {x: x.view_as(x).grad_fn.next_functions[0][0] for x in (a, b)}
    nodes = {"a": leaves[a], "b": leaves[b], "product": product.grad_fn, "result": result.grad_fn, "aside": aside.grad_fn}
    found = []
    result.register_hook(lambda grad: found.append({name for name, node in nodes.items() if will(node)}))
    torch.autograd.backward(result.sum(), inputs=(a, product), retain_graph=True)
    torch.autograd.backward(result.sum(), retain_graph=True)
    torch.autograd.grad(result.sum(), product, retain_graph=True)
    assert found == [{"a", "product", "result"}, {"a", "b", "product", "result"}, {"product", "result"}]
    with pytest.raises(RuntimeError, match="currently running autograd.grad"):
        torch.autograd.grad(result.sum(), a)
    with pytest.raises(RuntimeError, match="during the backward pass"):
        will(result.grad_fn)
    with pytest.raises(RuntimeError, match="expects an grad_fn, but got"):
        will(result)


def test_errors_and_undefined_gradients_on_purpose():
    x, y = leaf(2), leaf(2)
    failing = torch._C._functions.DelayedError(b"on purpose", 1)(y)
    with pytest.raises(RuntimeError, match="on purpose"):
        (x * failing).sum().backward()
    first, second = torch._C._functions.DelayedError("on purpose", 2)(x, y)
    assert first.requires_grad and torch.equal(second, y)
    z = leaf(2)
    torch._C._functions.UndefinedGrad()(z).sum().backward()
    assert z.grad is None


def test_tensors_that_random_numbers_fill_have_version_0():
    ones = torch.ones(3)
    made = {
        "rand": torch.rand(3), "randn": torch.randn(3), "randint": torch.randint(5, (3,)), "randint with low": torch.randint(2, 5, (3,)),
        "rand_like": torch.rand_like(ones), "randn_like": torch.randn_like(ones), "randint_like": torch.randint_like(ones, 5),
        "normal": torch.normal(0.0, 1.0, (3,)), "normal of means": torch.normal(ones, ones), "bernoulli": torch.bernoulli(ones / 2),
        "bernoulli of p": torch.bernoulli(ones, 0.5),
            "dropout": torch.dropout(ones.cpu(), 0.5, True),   # of a GPU: composed of operators with out= "complex": torch.randn(3, dtype=torch.complex64),
        "half": torch.rand(3, dtype=torch.float16), "empty": torch.empty(3), "arange": torch.arange(3), "linspace": torch.linspace(0, 1, 3)}
    assert {name: t._version for name, t in made.items() if t._version} == {}
    filled = torch.empty(3)
    filled.uniform_(), filled.normal_(), filled.random_(), filled.bernoulli_(), filled.exponential_()
    assert filled._version >= 5
    x = torch.rand(1)
    x.resize_(1, 2)
    assert x._version == 1


def test_parts_of_unsafe_splits_have_versions_of_their_own():
    for split in (lambda x: torch.unsafe_split(x, 1), lambda x: torch.unsafe_chunk(x, 3), lambda x: torch.unsafe_split_with_sizes(x, [1, 1, 1])):
        x = leaf(3, 3)
        first, second, third = split(x + x)
        first.mul_(second)     # the product's node has saved both
        (first.sum() + 2 * third.sum()).backward()
        assert x.grad.tolist() == [[4.0] * 3, [4.0] * 3, [4.0] * 3]


def test_views_of_inference_tensors_are_no_views_for_autograd():
    ordinary = torch.ones(2)
    with torch.inference_mode():
        made = torch.ones(2)
        assert not made.view(-1)._is_view() and ordinary.view(-1)._is_view()
    assert not made.view(-1)._is_view()


def test_a_node_can_be_called():
    x = leaf(2)
    y = x**2
    assert y.grad_fn(torch.tensor([1.0, 3.0])).tolist() == [2.0, 6.0]
    assert torch.linalg.qr(torch.eye(2, requires_grad=True))[0].grad_fn(torch.eye(2), None).shape == (2, 2)
    assert [g is None for g in (x * leaf(2)).grad_fn(None)] == [True, True]
    for wrong in ((), (x.detach(), x.detach())):
        with pytest.raises(TypeError, match=f"PowBackward0.. expected 1 arguments, got {len(wrong)} instead"):
            y.grad_fn(*wrong)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        y.grad_fn(grad=x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn(x.detach())


def test_order_of_hooks():
    """Hooks of a tensor come before those of its node; grad() captures gradients between the two."""
    log = []

    def on_tensor(grad):
        log.append("tensor")
        return grad * 3

    def before_node(grads):
        log.append("before")
        return tuple(g * 2 for g in grads)
    a = torch.tensor(1.0, requires_grad=True)
    b = a.clone()
    b.grad_fn.register_prehook(before_node)
    b.register_hook(on_tensor)
    b.grad_fn.register_hook(lambda *_: log.append("after"))
    leafs_node = b.grad_fn.next_functions[0][0]
    leafs_node.register_prehook(before_node)
    a.register_hook(on_tensor)
    a.register_post_accumulate_grad_hook(lambda _: log.append("accumulated"))
    leafs_node.register_hook(lambda *_: log.append("after"))
    of_leaf = ["tensor", "before", "accumulated", "after"]

    def logged(run):
        log.clear()
        run()
        return list(log)
    assert logged(lambda: b.backward(retain_graph=True)) == ["tensor", "before", "after", *of_leaf] and a.grad.item() == 36
    assert logged(lambda: torch.autograd.grad(b, a, retain_graph=True)) == ["tensor", "before", "after", "tensor"]
    assert logged(lambda: torch.autograd.grad(b, b, retain_graph=True)) == ["tensor"]
    a.grad = None
    assert logged(lambda: b.backward(inputs=(a, b), retain_graph=True)) == ["tensor", "before", "after", *of_leaf]
    assert (a.grad.item(), b.grad.item()) == (36, 3)
    b.grad = None
    assert logged(lambda: b.backward(inputs=(b,))) == ["tensor", "before", "after"] and b.grad.item() == 3


def test_a_hook_after_accumulation_returns_none():
    x = leaf(2)
    x.register_post_accumulate_grad_hook(lambda t: t.add_(t.grad))
    x.sum().backward()
    assert x.tolist() == [2.0, 2.0]
    x.register_post_accumulate_grad_hook(lambda t: t.grad)
    with pytest.raises(RuntimeError, match="hooks should return None"):
        x.sum().backward()


def test_outputs_without_gradient_get_zeros_or_none():
    received = []

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, materialize):
            first, second = x.clone(), x.clone()
            ctx.mark_non_differentiable(second)
            ctx._materialize_non_diff_grads = materialize
            return first, second

        @staticmethod
        def backward(ctx, first, second):
            received.append(second)
            return first, None
    for materialize in (True, False):
        Two.apply(leaf(2), materialize)[0].sum().backward()
    assert received[0].tolist() == [0.0, 0.0] and received[1] is None


def test_attributes_that_cannot_be_deleted():
    x = leaf(2)
    for name in ("data", "requires_grad"):
        with pytest.raises(RuntimeError):
            delattr(x, name)
    with pytest.raises(TypeError):
        x.data = None


def test_numbers_of_nodes_decide_the_order():
    x = leaf(2)
    first, second = x.exp(), x.sin()
    total = (first + second).sum()
    order = []
    first.register_hook(lambda grad: order.append("first"))
    second.register_hook(lambda grad: order.append("second"))
    first.grad_fn._set_sequence_nr(second.grad_fn._sequence_nr() + 10)
    total.backward()
    assert order == ["first", "second"]
    with pytest.raises(TypeError):
        first.grad_fn._set_sequence_nr("1")


def test_saved_tensors_come_from_nodes_only():
    saved = (leaf(2) ** 2).grad_fn._raw_saved_self
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        type(saved)()
    for wrong in ((lambda x: x,), (1, 1), (lambda x: x, None)):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            saved.register_hooks(*wrong)
