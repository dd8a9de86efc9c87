"""torch_np.utils: weak references, hooks, contexts as decorators, exchange of tensors, and the
names that refuse. Trees and checkpoints are golden cases (torch_cases/utils.txt)."""
import collections
import contextlib
import copy
import gc

import pytest

import torch_np
from torch_np import nn
from torch_np.utils import _contextlib, _python_dispatch, checkpoint, dlpack, hooks, weak

pytestmark = [pytest.mark.same_on_devices("no computation"), pytest.mark.same_when_pending("no computation")]


def test_dictionaries_compare_tensors_by_identity_and_forget_them():
    a, b = torch_np.ones(2), torch_np.ones(2)
    d = weak.WeakTensorKeyDictionary({a: "a"})
    d[b] = "b"
    assert len(d) == 2 and d[a] == "a" and d[b] == "b" and a in d and torch_np.ones(2) not in d and 3 not in d
    assert {id(k) for k in d} == {id(a), id(b)} and d == d.copy() and copy.deepcopy(d) == d and len(d.keyrefs()) == 2
    assert d.pop(b) == "b" and d.get(b) is None and d.setdefault(b, 4) == 4
    del b
    gc.collect()
    assert len(d) == 1 and list(d.values()) == ["a"]
    with pytest.raises(KeyError):
        d[torch_np.ones(2)]
    r = weak.TensorWeakRef(a)
    assert r() is a
    assert weak.WeakIdRef(a) == weak.WeakIdRef(a) and hash(weak.WeakIdRef(a)) == id(a)
    del a
    gc.collect()
    assert r() is None and len(d) == 0
    with pytest.raises(TypeError, match="expected a Tensor"):
        weak.TensorWeakRef(3)


def test_handles():
    table, extra = collections.OrderedDict(), collections.OrderedDict()
    with hooks.RemovableHandle(table, extra_dict=extra) as handle:
        table[handle.id] = extra[handle.id] = 1
    assert not table and not extra
    with pytest.raises(TypeError):
        hooks.RemovableHandle({})
    x = torch_np.ones(2, requires_grad=True)
    assert isinstance(x.register_hook(print), hooks.RemovableHandle)
    assert isinstance(nn.ReLU().register_forward_hook(print), hooks.RemovableHandle)
    assert isinstance(handle, hooks.RemovableHandle) and not isinstance(table, hooks.RemovableHandle)


def test_backward_hooks_of_a_module():
    seen = []
    hook = hooks.BackwardHook("module", [lambda m, i, o: seen.append((m, i, o))], [lambda m, o: seen.append((m, o))])
    x = torch_np.tensor([1.0, 2.0], requires_grad=True)
    (inside,) = hook.setup_input_hook((x,))
    hook.setup_output_hook(inside * 3).sum().backward()
    (_, grad_out), (name, grad_in, _) = seen
    assert name == "module" and grad_in[0].tolist() == [3.0, 3.0] and grad_out[0].tolist() == [1.0, 1.0]


def test_hooks_that_pickles_lose():
    x = torch_np.ones(1)
    x._backward_hooks = {0: hooks.unserializable_hook(lambda g: g)}
    hooks.warn_if_has_hooks(x)
    x._backward_hooks[1] = lambda g: g
    with pytest.warns(UserWarning, match="will not be serialized"):
        hooks.warn_if_has_hooks(x)


def test_contexts_as_decorators():
    active = []

    @contextlib.contextmanager
    def context():
        active.append(1)
        try:
            yield
        finally:
            active.pop()

    def inside():
        return len(active)

    def items():
        yield len(active)
        try:
            yield len(active)
        except KeyError:
            yield "caught"
        return 5

    assert _contextlib.context_decorator(context, inside)() == 1 and inside() == 0
    made = _contextlib.context_decorator(context, items)()
    assert next(made) == 1 and not active and next(made) == 1 and made.throw(KeyError()) == "caught" and not active
    with pytest.raises(StopIteration) as end:
        next(made)
    assert end.value.value == 5
    with pytest.raises(TypeError, match="classes"):
        _contextlib.context_decorator(context, int)

    class Both:
        def __enter__(self):
            pass

        def __call__(self):
            pass

    with pytest.raises(RuntimeError, match="ambiguous"):
        _contextlib.context_decorator(Both(), inside)


def test_names_of_modes_below_autograd():
    with pytest.raises(NotImplementedError):
        dlpack.ReadOnlyTensorWrapper(None)
    assert not _python_dispatch.is_in_torch_dispatch_mode() and not _python_dispatch.any_torch_dispatch_mode_on_stack()
    assert not _python_dispatch.is_traceable_wrapper_subclass(torch_np.ones(1))
    flat = type("Flat", (torch_np.Tensor,), {"__tensor_flatten__": None, "__tensor_unflatten__": None})
    assert _python_dispatch.is_traceable_wrapper_subclass_type(flat)


def test_checkpoints_notice_changes_in_place():
    x = torch_np.ones(3, requires_grad=True)
    y = checkpoint.checkpoint(lambda t: t.exp(), x, use_reentrant=False)
    with torch_np.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="inplace"):
        y.sum().backward()


def test_checkpoints_drop_intermediate_tensors():
    kept = []

    def f(t):
        t = (t * 2).exp()
        kept.append(weak.TensorWeakRef(t))
        return t.sin()

    y = checkpoint.checkpoint(f, torch_np.ones(3, requires_grad=True), use_reentrant=False)
    gc.collect()
    assert kept[0]() is None and y.requires_grad


def test_contexts_of_checkpoints():
    seen = []

    @contextlib.contextmanager
    def named(name):
        seen.append(name)
        yield

    x = torch_np.ones(3, requires_grad=True)
    checkpoint.checkpoint(torch_np.exp, x, use_reentrant=False, context_fn=lambda: (named("first"), named("second"))).sum().backward()
    assert seen == ["first", "second"]
    with pytest.raises(NotImplementedError, match="respect_saved_tensors_hooks"):
        checkpoint.checkpoint(torch_np.exp, x, use_reentrant=False, respect_saved_tensors_hooks=True)
    with checkpoint.set_checkpoint_early_stop(False), checkpoint.set_checkpoint_debug_enabled(True), checkpoint.GraphExecGroup():
        assert checkpoint.checkpoint(torch_np.exp, x, use_reentrant=False).requires_grad


def test_swap_refuses_what_it_cannot_exchange():
    x = torch_np.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match="history"):
        torch_np.utils.swap_tensors(x * 2, x)
    held = weak.TensorWeakRef(x)
    with pytest.raises(RuntimeError, match="weakref"):
        torch_np.utils.swap_tensors(x, torch_np.ones(1))
    assert held() is x and torch_np.utils.get_cpp_backtrace() == "" and torch_np.utils.cmake_prefix_path.endswith("share/cmake")
