"""Hooks of saved tensors, of nodes and of several tensors; callbacks and checks of backward passes."""
import gc
import weakref

import pytest

import torch_np as torch
from torch_np.autograd import graph


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def test_operators_save_the_packed_value_and_backward_unpacks_it():
    packed, unpacked = [], []

    def pack(t):
        packed.append((t, torch.is_grad_enabled()))
        return t.detach().numpy().copy()

    def unpack(value):
        unpacked.append(value)
        return torch.tensor(value)

    a = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(pack, unpack):
        y = a * a
        z = y.exp()
    assert packed[0][0] is a and not any(mode for _, mode in packed) and not unpacked
    z.sum().backward()
    assert len(unpacked) == len(packed) == 3
    assert torch.allclose(a.grad, 2 * a.detach() * (a.detach() ** 2).exp())


def test_python_numbers_are_not_packed():
    packed = []
    with graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        (leaf(1.0) * 2.0 / 3).sum().backward()
    assert not packed


def test_second_derivatives_flow_through_unpacked_tensors():
    a = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = a * a * a
    first, = torch.autograd.grad(y.sum(), a, create_graph=True)
    second, = torch.autograd.grad(first.sum(), a)
    assert first.tolist() == [3.0, 12.0] and second.tolist() == [6.0, 12.0]


def test_contexts_of_functions_pack_too():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            return 2 * x * grad

    seen = []
    a = leaf(3.0)
    with graph.saved_tensors_hooks(lambda t: seen.append("pack") or t.detach(), lambda t: seen.append("unpack") or t):
        y = Square.apply(a)
    y.backward(torch.ones(1))
    assert seen == ["pack", "unpack"] and a.grad.tolist() == [6.0]


def test_packed_values_are_freed_with_the_graph():
    class Value:
        def __init__(self, tensor):
            self.tensor = tensor

    made = []

    def pack(t):
        value = Value(t.detach())
        made.append(weakref.ref(value))
        return value

    with graph.saved_tensors_hooks(pack, lambda value: value.tensor):
        y = leaf(1.0, 2.0).exp()
    assert made and all(reference() is not None for reference in made)
    y.sum().backward()
    gc.collect()
    assert all(reference() is None for reference in made)


def test_wrong_hooks_raise():
    a = leaf(1.0)
    with graph.saved_tensors_hooks(lambda t: 1, lambda value: value):
        y = a * a
    with pytest.raises(TypeError, match="expected to be a Tensor but got result of type int"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="modifying its input in place"), graph.saved_tensors_hooks(lambda t: t.detach().add_(1), lambda t: t):
        a * a
    with pytest.raises(TypeError, match="a hook must be callable"), graph.saved_tensors_hooks(1, 2):
        pass
    (a * a).sum().backward()  # no hooks are left
    with pytest.raises(RuntimeError, match="no hooks here"), graph.disable_saved_tensors_hooks("no hooks here"), graph.save_on_cpu():
        pass
    with pytest.raises(RuntimeError, match="none"), graph.save_on_cpu(), graph.disable_saved_tensors_hooks("none"):
        pass


def test_save_on_cpu_and_mutation_of_saved_tensors():
    a = leaf(1.0, 2.0)
    with graph.save_on_cpu(pin_memory=True):
        y = (a * a).exp()
    y.sum().backward()
    assert torch.allclose(a.grad, 2 * a.detach() * (a.detach() ** 2).exp())
    a = leaf(1.0, 2.0)
    b = a.clone()
    with graph.allow_mutation_on_saved_tensors():
        out = (b ** 2).sum()
        b.sin_()
        out.backward(retain_graph=True)
    assert a.grad.tolist() == [2.0, 4.0]
    with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors'"):
        out.backward()


def test_handles_of_node_hooks_remove_them():
    a = leaf(1.0, 2.0)
    y = a * 3
    calls = []
    first = y.grad_fn.register_hook(lambda inputs, outputs: calls.append("after"))
    second = y.grad_fn.register_prehook(lambda outputs: calls.append("before"))
    third = y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 2,))
    y.sum().backward(retain_graph=True)
    assert calls == ["before", "after"] and a.grad.tolist() == [6.0, 6.0]
    for handle in (first, second, third, third):
        handle.remove()
    y.sum().backward()
    assert calls == ["before", "after"] and a.grad.tolist() == [9.0, 9.0]
    with pytest.raises(TypeError, match="a hook must be callable"):
        (a * 2).grad_fn.register_hook(3)


def test_a_node_hook_may_remove_itself():
    a = leaf(1.0)
    y = a * 3
    calls = []
    handle = y.grad_fn.register_prehook(lambda outputs: (calls.append(1), handle.remove())[1])
    y.backward(torch.ones(1), retain_graph=True)
    y.backward(torch.ones(1))
    assert calls == [1]


def test_hooks_of_several_tensors():
    x, u = leaf(1.0, 2.0), leaf(3.0, 4.0)
    s, t = x + u * 2, x * u
    all_of, any_of = [], []
    handle = graph.register_multi_grad_hook((x, u, s, t), all_of.append)
    graph.register_multi_grad_hook((s, t), any_of.append, mode="any")
    s.sum().backward(retain_graph=True)
    assert [None if g is None else g.tolist() for g in all_of[0]] == [[1.0, 1.0], [2.0, 2.0], [1.0, 1.0], None]
    (s.sum() + t.sum()).backward(retain_graph=True)
    assert len(all_of) == 2 and all(g is not None for g in all_of[1]) and len(any_of) == 2
    handle.remove()
    s.sum().backward()
    assert len(all_of) == 2
    with pytest.raises(ValueError, match="all"):
        graph.register_multi_grad_hook((x,), print, mode="some")


def test_callbacks_run_at_the_end_of_the_pass():
    a, order = leaf(1.0, 2.0), []
    y = (a * 2).exp()
    y.register_hook(lambda g: graph.queue_callback(lambda: order.append(a.grad is not None)))
    y.sum().backward()
    assert order == [True]
    with pytest.raises(RuntimeError, match="during a backward pass"):
        graph.queue_callback(print)

    def fails(g):
        graph.queue_callback(lambda: order.append("never"))
        raise ValueError("stop")

    z = leaf(1.0)
    z.register_hook(fails)
    with pytest.raises(ValueError, match="stop"):
        (z * 2).backward(torch.ones(1))
    assert order == [True]


def test_nan_is_detected():
    a = leaf(0.0, 1.0)
    with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan values in its 0th output"), torch.autograd.detect_anomaly():
        (a.sqrt() * 0).sum().backward()
    (a.sqrt() * 0).sum().backward()
    assert a.grad.isnan().tolist() == [True, False]
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        (a.sqrt() * 0).sum().backward()


def test_increment_version_invalidates_saved_values():
    a = leaf(1.0, 2.0)
    b = a * 1
    y = (b * b).sum()
    before = b._version
    graph.increment_version(b)
    assert b._version == before + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
    with pytest.raises(RuntimeError, match="expect a Iterable"):
        graph.increment_version(3)


def test_names_of_grad_modes_and_contexts():
    assert torch.autograd.is_multithreading_enabled()
    with torch.autograd.set_multithreading_enabled(False):
        assert not torch.autograd.is_multithreading_enabled()
    assert torch.autograd.is_multithreading_enabled()
    with pytest.raises(RuntimeError, match="Legacy autograd function"):
        torch.autograd.Function()(1)
    with pytest.raises(NotImplementedError, match="vectorize=True"):
        torch.autograd.functional.jacobian(lambda x: x, torch.ones(2), strategy="forward-mode")


def test_the_older_profiler_records():
    from torch_np.autograd import profiler
    with profiler.profile() as p, profiler.record_function("label"):
        torch.ones(3).exp()
    assert "label" in [e.name for e in p.function_events] and isinstance(p.key_averages(), profiler.EventList)
    with pytest.raises(NotImplementedError, match="with_stack"):
        profiler.profile(with_stack=True)
