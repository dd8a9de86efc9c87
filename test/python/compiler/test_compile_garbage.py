"""torch_np.compile: the garbage collector finds reference cycles through records, and leaves records
that are still needed."""
from __future__ import annotations

import collections
import gc
import types
import weakref

import torch_np
import torch_np.numpy as np


def test_instances_that_hold_their_compiled_method_are_collected():
    class Model:
        def __init__(self):
            self.rate, self.table, self.w = 2.0, {"a": [1.0]}, np.ones(2)
            self.apply = torch_np.compile(self.run)

        def run(self, x):
            return x * self.rate * self.table["a"][0] + self.w

    references = []
    for _ in range(3):
        m = Model()
        m.apply(np.ones(2))
        assert m.apply(np.ones(2)).tolist() == [3, 3]
        references.append(weakref.ref(m))
        del m
    gc.collect()
    assert [r() for r in references] == [None] * 3


def test_classes_that_hold_a_compiled_method_are_collected():
    def make():
        class Model:
            @torch_np.compile
            def run(self, x):
                return x * 2 + self.k
        m = Model()
        m.k = 1.0
        assert m.run(np.ones(2)).tolist() == m.run(np.ones(2)).tolist() == [3, 3]
        return weakref.ref(Model)
    r = make()
    gc.collect()
    assert r() is None


def test_the_collector_leaves_records_that_a_gradient_still_needs():
    class Model:
        def __init__(self):
            self.w, self.table = torch_np.ones(2, requires_grad=True), {"k": 3.0}
            self.apply = torch_np.compile(self.run)

        def run(self, x):
            return (x * self.w * self.table["k"]).sum()
    m = Model()
    for _ in range(3):
        y = m.apply(torch_np.ones(2))
    w = m.w
    w.grad = None
    del m
    gc.collect()
    y.backward(create_graph=True)
    assert w.grad.tolist() == [3, 3]


def collected(make):
    """Whether the collector frees what `make` returns."""
    reference = weakref.ref(make())
    gc.collect()
    return reference() is None


class Holder:
    """An object that holds a compiled function."""


def compile_in(holder, function, *arguments):
    """Returns the results of three calls, of which two are replays."""
    holder.call = torch_np.compile(function)
    results = [holder.call(*arguments) for _ in range(3)]
    assert holder.call.statistics()["replayed"] == 2, holder.call.statistics()
    return results


def test_an_array_from_outside_among_the_results():
    def make():
        m = Holder()
        w = torch_np.ones(2)
        w.owner = m
        assert all(r[1] is w for r in compile_in(m, lambda x: (x * 2, w), torch_np.ones(2)))
        return m
    assert collected(make)


def test_a_class_of_tuples_among_the_results():
    def make():
        m = Holder()
        pair = collections.namedtuple("pair", "a b")
        pair.owner = m
        compile_in(m, lambda x: [pair(x * 2, {"k": pair(x, 1.0)})], np.ones(2))
        return m
    assert collected(make)


def test_a_function_among_the_results():
    def make():
        m, names = Holder(), {}
        exec("def g(): pass", names)
        names["g"].owner = m
        g = names["g"]
        assert compile_in(m, lambda x: (x * 2, [g]), np.ones(2))[2][1] == [g]
        return m
    assert collected(make)


@torch_np.operator.register("keeps_its_owner")
class KeepsItsOwner(torch_np.operator.CustomOpProp):
    owner = None

    def create_operator(self, ctx, in_shapes, in_dtypes):
        class Twice(torch_np.operator.CustomOp):
            owner = KeepsItsOwner.owner

            def forward(self, is_train, req, in_data, out_data, aux):
                self.assign(out_data[0], req[0], in_data[0] * 2)
        return Twice()


def test_the_function_of_a_custom_operator():
    def make():
        m = KeepsItsOwner.owner = Holder()
        assert compile_in(m, lambda x: torch_np.Custom(x, op_type="keeps_its_owner") + 1, torch_np.ones(2))[2].tolist() == [3, 3]
        KeepsItsOwner.owner = None
        return m
    assert collected(make)


def test_constants_of_an_opaque_call():
    def twice(x, holder):
        return x * 2

    def make():
        m = Holder()
        box = types.SimpleNamespace(owner=m)
        compile_in(m, lambda x: torch_np._C._call_opaque("twice", twice, (x, box), True) + 1, torch_np.ones(2))
        return m
    assert collected(make)


def test_results_of_live_functions_survive_a_collection():
    pair = collections.namedtuple("pair", "a b")
    w = torch_np.ones(2)
    f = torch_np.compile(lambda x: pair(torch_np.Custom(x, op_type="keeps_its_owner"), w))
    for _ in range(4):
        gc.collect()
        result = f(torch_np.ones(2))
        assert type(result) is pair and result.a.tolist() == [2, 2] and result.b is w
