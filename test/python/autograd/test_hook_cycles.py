"""Reference cycles through hooks and Functions are freed by the garbage collector, and not before."""
import gc
import weakref

import pytest

import torch_np
import torch_np.numpy as np


class Marker:
    pass


class Tensors:
    """One interface for both types."""

    ones = staticmethod(lambda: torch_np.ones(3, requires_grad=True))
    register_hook = staticmethod(lambda x, f: x.register_hook(f))
    grad_fn = staticmethod(lambda x: x.grad_fn)
    grad = staticmethod(lambda x: x.grad)
    backward = staticmethod(lambda x: x.backward())


class Arrays:
    ones = staticmethod(lambda: np.ones(3, _requires_grad=True))
    register_hook = staticmethod(lambda x, f: x._register_hook(f))
    grad_fn = staticmethod(lambda x: x._grad_fn)
    grad = staticmethod(lambda x: x._grad)
    backward = staticmethod(lambda x: x._backward())


@pytest.fixture(params=[Tensors, Arrays], ids=["Tensor", "ndarray"])
def face(request):
    return request.param


def collected(make):
    """Whether a garbage collection frees the object that `make(marker)` built."""
    marker = Marker()
    gone = weakref.ref(marker)
    make(marker)
    del marker
    gc.collect()
    return gone() is None


def test_a_hook_that_holds_its_leaf(face):
    def make(marker):
        x = face.ones()
        face.register_hook(x, lambda g, x=x, m=marker: None)
    assert collected(make)


def test_a_hook_that_holds_its_result(face):
    def make(marker):
        y = face.ones() * 2
        face.register_hook(y, lambda g: (y, marker) and None)
    assert collected(make)


@pytest.mark.parametrize("kind", ["register_hook", "register_prehook"])
def test_a_hook_of_a_node_that_holds_its_result(face, kind):
    def make(marker):
        y = face.ones() * 2
        getattr(face.grad_fn(y), kind)(lambda *args: (y, marker) and None)
    assert collected(make)


@pytest.mark.parametrize("through", ["attribute", "list", "closure"])
def test_a_function_whose_ctx_holds_its_output(face, through):
    class Double(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x, marker):
            ctx.marker = marker
            ctx.made = x * 2
            return ctx.made

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    def make(marker):
        y = Double.apply(face.ones(), marker)
        if through == "list":
            y_and_others = [y]
            face.register_hook(y, lambda g: y_and_others and None)
        elif through == "closure":
            face.backward((y * 3).sum())
    assert collected(make)


def test_an_array_of_the_other_type_over_an_output_in_a_cycle():
    class Double(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x, marker):
            ctx.marker = marker
            ctx.made = x * 2
            return ctx.made

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    def make(marker):
        y = Double.apply(torch_np.ones(3, requires_grad=True), marker)
        y._np_compat()
    assert collected(make)


def test_a_cycle_that_somebody_still_holds_is_kept(face):
    class Double(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.made = x * 2
            return ctx.made

        @staticmethod
        def backward(ctx, g):
            return g * ctx.made

    x = face.ones()
    y = Double.apply(x)
    total = (y * y).sum()
    del y
    gc.collect()
    face.backward(total)
    assert face.grad(x).tolist() == [8.0] * 3


def test_arrays_without_history_are_unknown_to_the_collector():
    x = np.ones(3)
    assert not gc.is_tracked(x) and not gc.is_tracked(x + 1) and not gc.is_tracked(x[1:])
    x._requires_grad = True
    assert gc.is_tracked(x * 2)


def test_after_the_graph_is_gone(face):
    def make(marker):
        x = face.ones()
        face.register_hook(x, lambda g: (x, marker) and g)
        face.backward((x * x).sum())
        assert face.grad(x) is not None
    assert collected(make)


def test_subclasses_with_attributes_of_their_own():
    class Sub(np.ndarray):
        pass

    def make(marker):
        x = np.ones(3).view(Sub)
        x.me, x.marker = x, marker
    assert collected(make)


def test_hooks_of_living_tensors_survive_collections():
    seen = []
    x = torch_np.ones(2, requires_grad=True)
    handle = x.register_hook(lambda g: seen.append((x.shape, g.tolist())))
    y = x * 2
    y.register_hook(lambda g: seen.append(g.tolist()))
    gc.collect()
    total = y.sum()
    del y
    gc.collect()
    total.backward()
    assert seen == [[1.0, 1.0], ((2,), [2.0, 2.0])]
    handle.remove()


def test_a_graph_keeps_the_hooks_of_a_tensor_that_is_gone():
    seen = []

    def build():
        x = torch_np.ones(2, requires_grad=True)
        x.register_hook(lambda g, x=x: seen.append(g.tolist()))
        return (x * 3).sum()
    total = build()
    gc.collect()
    total.backward()
    assert seen == [[3.0, 3.0]]


def test_hooks_that_make_no_cycle_go_at_once():
    def weakly(marker):
        x = np.ones(3, _requires_grad=True)
        x._register_hook(lambda g, x=weakref.ref(x), m=marker: None)

    def removed(marker):
        x = np.ones(3, _requires_grad=True)
        with x._register_hook(lambda g: (x, marker) and None):
            pass
    for make in (weakly, removed):
        marker = Marker()
        gone = weakref.ref(marker)
        make(marker)
        del marker
        assert gone() is None  # without a collection


@pytest.mark.parametrize("of_tensor", [False, True])
def test_a_hook_that_holds_the_node_of_a_tensor_that_is_gone(face, of_tensor):
    marker = Marker()
    gone = weakref.ref(marker)

    def make(marker):
        x = face.ones()
        y = x * 2
        node = face.grad_fn(y)
        (lambda f: face.register_hook(y, f) if of_tensor else node.register_hook(f))(lambda *_, node=node, marker=marker: None)
        return (y * 3).sum()
    result = make(marker)
    del marker
    face.backward(result)
    gc.collect()
    assert gone() is not None     # the graph lives
    del result
    gc.collect()
    assert gone() is None
