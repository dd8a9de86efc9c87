"""Reference cycles through hooks: collected for Tensors; for ndarrays there is a way out (docs/autograd.md)."""
import gc
import weakref

import torch_np
import torch_np.numpy as np


class Marker:
    pass


def collected(make):
    """Whether what `make(marker)` built is freed by a collection."""
    marker = Marker()
    gone = weakref.ref(marker)
    make(marker)
    del marker
    gc.collect()
    return gone() is None


def test_a_hook_that_holds_its_leaf():
    def make(marker):
        x = torch_np.ones(3, requires_grad=True)
        x.register_hook(lambda g, x=x, m=marker: None)
    assert collected(make)


def test_a_hook_that_holds_its_result():
    def make(marker):
        y = torch_np.ones(3, requires_grad=True) * 2
        y.register_hook(lambda g: (y, marker) and None)
    assert collected(make)


def test_after_the_graph_is_gone():
    def make(marker):
        x = torch_np.ones(3, requires_grad=True)
        x.register_hook(lambda g: (x, marker) and g)
        (x * x).sum().backward()
        assert x.grad is not None
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


def test_the_ways_out_for_arrays():
    def weakly(marker):
        x = np.ones(3, _requires_grad=True)
        x._register_hook(lambda g, x=weakref.ref(x), m=marker: None)

    def removed(marker):
        x = np.ones(3, _requires_grad=True)
        with x._register_hook(lambda g: (x, marker) and None):
            pass
    assert collected(weakly) and collected(removed)
