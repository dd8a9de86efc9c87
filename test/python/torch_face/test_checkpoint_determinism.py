"""Checkpoints whose second computation differs from the first one."""
import pytest

import torch_np
from torch_np.utils.checkpoint import CheckpointError, checkpoint, set_checkpoint_debug_enabled, set_checkpoint_early_stop


def first_then(first, later):
    """A function that is `first` in its first call, and `later` after that."""
    calls = []

    def function(x):
        calls.append(x)
        return first(x) if len(calls) == 1 else later(x)
    return function


def three(x):
    return x.sin().exp().sin()


def two(x):
    return x.sin().exp()


def two_others(x):
    return x.sin() * torch_np.tensor([1.0, 2.0])


def run(first, later, **options):
    x = torch_np.ones(1, requires_grad=True)
    checkpoint(first_then(first, later), x, use_reentrant=False, **options).sum().backward()
    return x.grad


def test_numbers_of_saved_tensors():
    with pytest.raises(CheckpointError, match=r"A different number of tensors was saved[^$]*forward: 3[^$]*recomputation: 2"):
        run(three, two)
    assert run(two, three) is not None
    with pytest.raises(CheckpointError, match="trying to save more tensors during recomputation"):
        run(two, three, early_stop=False)
    with set_checkpoint_early_stop(False), pytest.raises(CheckpointError, match="trying to save more tensors during recomputation"):
        run(two, three)


def test_saved_tensors_of_another_shape():
    def same_result(x):
        return two_others(x)[:1]
    with pytest.raises(CheckpointError, match="different metadata"):
        run(lambda x: two(x)[:1], same_result)
    with pytest.raises(CheckpointError, match="different metadata"):
        run(two, two_others)
    assert run(lambda x: two(x)[:1], same_result, determinism_check="none") is not None


def test_debug_lists_the_functions():
    text = r"Functions that the forward pass called:\n +\S*exp[^$]*recomputation called:[^$]*mul[^$]*You are seeing this error because you passed `debug=True`"
    for debug, enabled, logs in ((True, None, True), (False, True, True), (True, False, False), (False, None, False)):
        with set_checkpoint_debug_enabled(enabled), pytest.raises(CheckpointError) as error:
            run(lambda x: x.exp(), lambda x: x * torch_np.tensor([1.0, 2.0]), debug=debug)
        assert ("You are seeing this error" in str(error.value)) is logs
        if logs:
            error.match(text)


def test_saved_tensors_are_checked_for_changes_inside_of_checkpoints():
    def changing(x):
        y = x.exp()
        z = y * 2
        y.add_(1)
        return z

    x = torch_np.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        checkpoint(changing, x, use_reentrant=False, early_stop=False).sum().backward()
    checkpoint(changing, x, use_reentrant=False).sum().backward()  # ends before the change
    assert torch_np.allclose(x.grad, 2 * x.exp())


def test_hooks_around_a_checkpoint_receive_its_arguments_only():
    packed = []
    x = torch_np.ones(2, requires_grad=True)
    with torch_np.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        y = checkpoint(three, x * 1, use_reentrant=False)
    assert len(packed) == 1
    y.sum().backward()
    assert x.grad is not None


def test_nested_checkpoints():
    def inner(x):
        return checkpoint(two, x, use_reentrant=False).cos()
    x = torch_np.ones(2, requires_grad=True)
    checkpoint(inner, x, use_reentrant=False).sum().backward()
    expected, = torch_np.autograd.grad(two(x).cos().sum(), x)
    assert torch_np.allclose(x.grad, expected)
