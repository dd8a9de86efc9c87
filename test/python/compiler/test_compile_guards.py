"""torch_np.compile: guards on state other than arguments. A change leads to another record, or the function runs uncompiled with a warning."""
from __future__ import annotations

import abc
import array
import collections
import contextlib
import copy
import dataclasses
import datetime
import enum
import functools
import io
import itertools
import json
import logging
import math
import operator
import os
import pathlib
import re
import sys
import threading
import types
import typing
import warnings

import device_processes
import numpy
import pytest
from device_processes import needs_device

import torch_np
import torch_np.numpy as np
from torch_np import _guard_printer, _pure_calls

NOT_NOTICED = "whose changes guards cannot detect"


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(v) for v in value]
    return numpy.asarray(value.detach() if isinstance(value, torch_np.Tensor) else value).tobytes()


def follow(function, *changes, make=lambda: (np.array([1.5, -2.0]),)):
    """Compares the compiled function with the function, twice after each change. Returns the compiled function."""
    compiled = torch_np.compile(function)
    for change in (lambda: None, *changes):
        change()
        for _ in range(2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                got = compiled(*make())
            assert shown(got) == shown(function(*make()))
    return compiled


def is_guarded(compiled, records):
    s = compiled.statistics()
    assert (s["recorded"], s["plain"], s["reasons"]) == (records, 0, [])


def runs_as_it_is(compiled, reason):
    s = compiled.statistics()
    assert s["replayed"] == 0 and all(re.search(reason, r) for r in s["reasons"]) and s["reasons"], s


# ------------------------------------------------------------------------------------------------------------- NumPy's arrays, buffers

@pytest.mark.parametrize("values", [2.0, [2.0, 2.0]])
@pytest.mark.parametrize("read", [lambda x, w: x * w, lambda x, w: w + x, lambda x, w: x * float(w.flat[0])])
def test_small_numpy_arrays_from_outside_are_compared_and_large_ones_are_graph_breaks(values, read):
    w = numpy.array(values)
    is_guarded(follow(lambda x: read(x, w), lambda: w.__setitem__(..., 3), lambda: w.__setitem__(..., 4)), 3)
    large = numpy.ones(10000)
    f = follow(lambda x: read(x, large[:2]), lambda: large.__setitem__(..., 3), lambda: large.__setitem__(..., 4))
    runs_as_it_is(f, "'large', which holds an object of the class numpy.ndarray, " + NOT_NOTICED)


def test_a_function_that_changes_a_numpy_array_outside_runs_as_it_is():
    def f(x):
        w[...] = w + 1
        return x * w
    w = numpy.array([2.0, 2.0])
    g = torch_np.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [g(np.ones(2)).tolist()[0] for _ in range(3)] == [3, 4, 5]


def test_it_says_so_once():
    w = numpy.ones(10000)
    f = torch_np.compile(lambda x: x * w)
    line = f.__wrapped__.__code__.co_firstlineno
    with pytest.warns(RuntimeWarning, match=f"runs uncompiled: it reads 'w', which holds .*test_compile_guards.py:{line}\\)"):
        f(np.ones(10000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(np.ones(10000))
    with pytest.raises(RuntimeError, match="cannot be recorded: it reads 'w'"):
        torch_np.compile(lambda x: x * w, fullgraph=True)(np.ones(10000))


def test_numpy_arrays_that_the_function_makes_are_constants():
    is_guarded(follow(lambda x: x * numpy.array(2.0) + numpy.array([1.0, 2.0])), 1)


@pytest.mark.parametrize("make, change", [
    (lambda: bytearray(10000), lambda b: b.__setitem__(0, 3)), (lambda: array.array("d", [2.0] * 10000), lambda b: b.__setitem__(0, 3.0)),
    (lambda: memoryview(bytearray(b"\x02")), lambda b: b.__setitem__(0, 3)), (lambda: iter(range(2, 100)), lambda b: next(b)),
    (lambda: types.MappingProxyType({0: 2}), lambda b: None), (lambda: io.BytesIO(b"\x02"), lambda b: b.getbuffer().__setitem__(0, 3)),
    (lambda: numpy.random.default_rng(1), lambda b: b.random())])
def test_objects_whose_contents_are_hidden_are_not_recorded(make, change):
    b = make()

    def f(x):
        return x * (b[0] if hasattr(b, "__getitem__") else len(b.getvalue()) if isinstance(b, io.BytesIO) else repr(b).count(" "))
    compiled = follow(f, lambda: change(b))
    runs_as_it_is(compiled, NOT_NOTICED)


def test_numpys_random_numbers_are_not_recorded():
    from numpy import random as module
    from numpy.random import rand
    for f in (lambda x: x + numpy.random.rand(), lambda x: x + module.rand(), lambda x: x + rand()):
        g = torch_np.compile(f)
        with pytest.warns(RuntimeWarning, match="numpy.random"):
            g(np.ones(2))
        numpy.random.seed(3)
        first = g(np.ones(2))
        numpy.random.seed(3)
        assert first.tolist() == f(np.ones(2)).tolist() != g(np.ones(2)).tolist()


def test_objects_that_no_code_names_do_not_matter():
    class Model:
        def __init__(self):
            self.rate = 2.0
            self.data, self.stream, self.steps = numpy.ones(10000), iter([]), bytearray(b"1")

        def summary(self):
            return self.data.sum()

        def apply(self, x):
            return x * self.rate

    m = Model()
    is_guarded(follow(m.apply, lambda: setattr(m, "rate", 3.0)), 2)
    runs_as_it_is(follow(lambda x: m.apply(x) + m.summary(), lambda: m.data.__setitem__(0, 5.0)), "'data'.*numpy.ndarray")
    runs_as_it_is(follow(lambda x: m.apply(x) + getattr(m, "da" + "ta").sum(), lambda: m.data.__setitem__(0, 7.0)), NOT_NOTICED)


class Scaled(torch_np.nn.Module):
    def __init__(self, w):
        super().__init__()
        self.w, self.unused = w, numpy.ones(3)

    def forward(self, x):
        return x * float(self.w[-1])

    def extra_repr(self):
        return str(self.unused)


@pytest.mark.parametrize("model", [lambda m: m, lambda m: torch_np.nn.Sequential(m), lambda m: {"a": [m]}["a"][0].forward, lambda m: lambda x: m(x)])
def test_arrays_that_modules_read(model):
    w = [2.0]
    is_guarded(follow(model(Scaled(w)), lambda: w.__setitem__(0, 3.0), make=lambda: (torch_np.ones(2),)), 2)
    w = numpy.array([2.0])
    is_guarded(follow(model(Scaled(w)), lambda: w.__setitem__(0, 3.0), make=lambda: (torch_np.ones(2),)), 2)
    w = numpy.ones(10000)
    runs_as_it_is(follow(model(Scaled(w)), lambda: w.__setitem__(-1, 3.0), make=lambda: (torch_np.ones(2),)), "'w', .*numpy.ndarray")
    layer = torch_np.nn.Linear(2, 2).requires_grad_(False)
    layer.register_forward_hook(lambda m, i, o: o * float(w[0]))
    runs_as_it_is(follow(model(layer), lambda: w.__setitem__(0, 4.0), make=lambda: (torch_np.ones(2),)), "'w', .*numpy.ndarray")


@dataclasses.dataclass
class Options:
    rate: float = 2.0
    path: pathlib.Path = pathlib.Path("a")
    names: list[str] = dataclasses.field(default_factory=lambda: ["a"])
    table: object = None


class Permission(enum.Flag):
    READ, WRITE = 1, 2


class Abstract(abc.ABC):
    made = 0

    def __init__(self):
        Abstract.made += 1
        self.log, self.lock, self.options, self.table = logging.getLogger("test"), threading.Lock(), Options(), numpy.ones(3)

    @property
    def rate(self):
        return self.options.rate

    @functools.cached_property
    def name(self):
        return self.options.names[0]

    @staticmethod
    def shifted(x):
        return x + 1

    @abc.abstractmethod
    def apply(self, x): ...


class Concrete(Abstract):
    def apply(self, x):
        self.log.debug("apply")
        with self.lock, contextlib.nullcontext(2.0) as two:
            return self.shifted(x) * self.rate * two

    def __repr__(self):
        return str(self.table)


@functools.lru_cache
def doubled(n):
    return n * 2


options, concrete, add_three, moment = Options(), Concrete(), functools.partial(operator.add, 3), datetime.date(2020, 1, 1)
assert concrete.name == "a"


@pytest.mark.parametrize("function", [
    lambda x: concrete.apply(x), concrete.apply, lambda x: x * Options(3.0).rate, lambda x: x * len(concrete.name), lambda x: x * Concrete.made,
    lambda x: x * options.rate * len(options.path.name), lambda x: x * copy.copy(options).rate, lambda x: x * dataclasses.replace(options, rate=3.0).rate,
    lambda x: x * (Permission.READ | Permission.WRITE).value, lambda x: add_three(x) * doubled(2), lambda x: x * moment.year, lambda x: x * len(f"{options.rate}"),
    lambda x: (print(end="", file=sys.stderr), x * 2)[1], lambda x: x * 2 if isinstance(concrete, Abstract) else x,
    lambda x: x * len(json.dumps({"a": itertools.count}, default=str)) * 0])
def test_ordinary_functions_are_recorded(function):
    is_guarded(follow(function), 1)


# ------------------------------------------------------------------------------------------------------------- containers

def test_items_of_sets_and_deques():
    numbers = {1}
    is_guarded(follow(lambda x: x + len(numbers), lambda: numbers.add(2)), 2)
    d = collections.deque([1.0, 2.0])
    is_guarded(follow(lambda x: x * d[0], lambda: d.rotate(1), lambda: d.append(0.0)), 3)
    s = {1}
    is_guarded(follow(lambda x, s: x + len(s), lambda: s.add(2), make=lambda: (np.ones(2), s)), 2)


def test_the_order_of_dictionaries():
    def f(x):
        for v in (*d.values(), *o.values()):
            x = x / 2 + v
        return x
    d, o = {"a": 1.0, "b": 2.0}, collections.OrderedDict(a=1.0, b=2.0)
    is_guarded(follow(f, lambda: d.__setitem__("a", d.pop("a")), lambda: o.move_to_end("a")), 3)


def test_minus_zero_is_another_number_than_zero():
    c, z, items = 0.0, 0j, [0.0]

    def set_c():
        nonlocal c
        c = -0.0

    def set_z():
        nonlocal z
        z = complex(0.0, -0.0)
    is_guarded(follow(lambda x: np.copysign(x, c), set_c), 2)
    is_guarded(follow(lambda x: np.copysign(x, z.imag), set_z), 2)
    is_guarded(follow(lambda x: np.copysign(x, items[0]), lambda: items.__setitem__(0, -0.0)), 2)


def test_immutable_values_are_compared_and_recorded():
    pair, names, text, number = (2, (3.0, "a")), frozenset({1, "b"}), re.compile("a+"), numpy.float64(2)
    f = torch_np.compile(lambda x: x * pair[0] + len(names) + len(text.pattern) + number + math.pi, fullgraph=True)
    assert f(np.ones(2)).tolist() == f(np.ones(2)).tolist()
    is_guarded(f, 1)


# ------------------------------------------------------------------------------------------------------------- attributes

def test_attributes_of_a_class():
    class Base:
        k = 2.0

        def scaled(self, x):
            return x * self.k

    class C(Base):
        unused = 0
    c = C()

    def count():
        C.unused += 1
    is_guarded(follow(lambda x: x * c.k, lambda: setattr(Base, "k", 3.0), lambda: setattr(C, "k", 4.0), count), 3)
    is_guarded(follow(lambda x: x * C.k, lambda: setattr(C, "k", 5.0)), 2)
    is_guarded(follow(lambda x: c.scaled(x), lambda: setattr(C, "scaled", lambda self, x: x - self.k)), 2)
    is_guarded(follow(lambda x: x * getattr(c, "late", 2.0), lambda: setattr(C, "late", 7.0)), 2)
    is_guarded(follow(lambda x: x * c.k, lambda: setattr(c, "__class__", Base)), 2)


def test_the_dict_of_an_object_may_be_another():
    class Settings:
        pass
    s = Settings()
    s.k = 2.0
    is_guarded(follow(lambda x: x * s.k, lambda: setattr(s, "__dict__", {"k": 3.0})), 2)


def test_slots():
    class Slots:
        __slots__ = ("k", "late")

    @dataclasses.dataclass(slots=True)
    class Data:
        k: float
    s, d = Slots(), Data(2.0)
    s.k = 2.0
    is_guarded(follow(lambda x: x * s.k * getattr(s, "late", 1.0), lambda: setattr(s, "k", 3.0), lambda: setattr(s, "late", 2.0), lambda: delattr(s, "late")), 3)
    is_guarded(follow(lambda x: x * d.k, lambda: setattr(d, "k", -0.0), lambda: setattr(d, "k", 0.0)), 3)

    def change(x):
        s.k = s.k + 1
        return x * s.k
    f = torch_np.compile(change)
    with pytest.warns(RuntimeWarning, match="changes a variable or an attribute"):
        assert f(np.ones(2)).tolist() == [4, 4]
    assert f(np.ones(2)).tolist() == [5, 5]


def test_classes_of_named_tuples_among_the_arguments():
    class Pair(typing.NamedTuple):
        a: float
    Pair.k = 2.0
    is_guarded(follow(lambda x, p: x * p.a * p.k, lambda: setattr(Pair, "k", 3.0), make=lambda: (np.ones(2), Pair(2.0))), 2)


def test_members_of_an_enumeration_are_recorded():
    class Mode(enum.Enum):
        FAST = 2.0
    is_guarded(follow(lambda x: x * Mode.FAST.value), 1)


def test_attributes_of_arrays():
    w = torch_np.ones(2)
    w.scale = 2.0
    is_guarded(follow(lambda x: x * w.scale, lambda: setattr(w, "scale", 3.0), make=lambda: (torch_np.ones(2),)), 2)


# ------------------------------------------------------------------------------------------------------------- functions, modules, the environment

def test_defaults_and_code_of_functions():
    def helper(x, k=2.0, *, shift=1.0):
        return x * k + shift

    def other(x, k=2.0, *, shift=1.0):
        return x - k - shift
    helper.scale = 1.0
    is_guarded(follow(lambda x: helper(x) * helper.scale, lambda: setattr(helper, "__defaults__", (3.0,)),
                      lambda: helper.__kwdefaults__.__setitem__("shift", 5.0), lambda: setattr(helper, "scale", 4.0),
                      lambda: setattr(helper, "__code__", other.__code__)), 5)


def test_methods_of_builtin_objects():
    table, numbers = {"k": 2.0}, {1}
    get, contains = table.get, numbers.__contains__
    is_guarded(follow(lambda x: x * get("k") + contains(2), lambda: table.update(k=3.0), lambda: numbers.add(2)), 3)


def test_attributes_of_modules_whatever_function_names_them(monkeypatch):
    settings = types.ModuleType("settings_of_a_test")
    settings.rate = 2.0
    monkeypatch.setitem(sys.modules, settings.__name__, settings)

    def rate_of(m):
        return m.rate

    def imported(x):
        import settings_of_a_test
        return x * settings_of_a_test.rate

    def imported_from(x):
        from settings_of_a_test import rate
        return x * rate
    for i, f in enumerate([lambda x: x * rate_of(settings), lambda x: x * [settings.rate for _ in range(1)][0], imported, imported_from,
                           lambda x: x * getattr(settings, "late", 1.0)]):
        is_guarded(follow(f, lambda i=i: setattr(settings, "late" if i == 4 else "rate", 3.0 + i)), 2)


def test_the_environment(monkeypatch):
    monkeypatch.setenv("TORCH_NP_TEST_SCALE", "2")
    from os import environ, getenv
    for i, read in enumerate([lambda: os.environ["TORCH_NP_TEST_SCALE"], lambda: os.getenv("TORCH_NP_TEST_SCALE"), lambda: environ["TORCH_NP_TEST_SCALE"],
                              lambda: getenv("TORCH_NP_TEST_SCALE")]):
        is_guarded(follow(lambda x: x * float(read()), lambda i=i: monkeypatch.setenv("TORCH_NP_TEST_SCALE", str(3 + i))), 2)


def test_settings_of_the_process():
    f = torch_np.compile(lambda x: x @ x, fullgraph=True)
    x = torch_np.ones(2, 2)
    f(x), f(x)
    torch_np.set_float32_matmul_precision("high")
    try:
        f(x), f(x)
    finally:
        torch_np.set_float32_matmul_precision("highest")
    f(x)
    is_guarded(f, 2)


@needs_device
def test_promotion_rules_of_a_device():
    device_processes.run("""
        x = np.ones(2, dtype="f4")._cuda()
        y = np.ones(2, dtype="i8")._cuda()
        f = torch_np.compile(lambda x, y: x + y, fullgraph=True)
        for rules in (None, "torch", None, "torch"):
            np._set_promotion_rules(rules, "cuda")
            assert f(x, y).dtype == (x + y).dtype == ("f4" if rules else "f8"), rules
        assert f.statistics()["recorded"] == 2
        """, "import torch_np, torch_np.numpy as np")


# ------------------------------------------------------------------------------------------------------------- arrays

@pytest.mark.parametrize("change", ["z.resize((3,), refcheck=False)", "z.__setstate__(np.arange(7.0).__reduce__()[2])"])
def test_arrays_outside_that_are_resized(change):
    z = np.arange(6.0)
    f = follow(lambda x: x[0] * z, lambda: exec(change, {"z": z, "np": np}), lambda: z.__setitem__(0, 9.0))
    is_guarded(f, 2)

    def write(x):
        z[0] = x[1]
        return z * 2
    is_guarded(follow(write, lambda: exec(change.replace("3,", "2,"), {"z": z, "np": np})), 2)


def test_a_function_that_resizes_an_array_outside_runs_as_it_is():
    z = np.arange(6.0)

    def f(x):
        z.resize((2, 3))
        return x[0] * z
    runs_as_it_is(follow(f, lambda: z.resize((6,))), "the shape, dtype or memory of an array is changed")


# ------------------------------------------------------------------------------------------------------------- gradients

def test_hooks_of_leaves_that_get_a_gradient_within_the_function():
    w = torch_np.ones(2, requires_grad=True)

    def by_backward(x):
        w.grad = None
        (w * x).sum().backward()
        g, w.grad = w.grad, None
        return g

    def by_grad(x):
        return torch_np.autograd.grad((w * x).sum(), w)[0]
    for f in (by_backward, by_grad):
        handles = []
        g = follow(f, lambda: handles.append(w.register_hook(lambda g: g * 2)), lambda: handles[0].remove(), make=lambda: (torch_np.tensor([1.0, 2.0]),))
        assert "a hook on an array that receives a gradient inside the function" in g.statistics()["reasons"] and g.statistics()["replayed"] == 3
    seen = []
    handle = w.register_post_accumulate_grad_hook(lambda t: seen.append(1))
    g = torch_np.compile(by_backward)
    with pytest.warns(RuntimeWarning, match="a hook on an array"):
        g(torch_np.ones(2))
    g(torch_np.ones(2))
    handle.remove()
    assert len(seen) == 2


def test_gradients_that_go_on_to_what_was_computed_outside():
    def f(x, z):
        (x * z).sum().backward()
        g, x.grad = x.grad, None
        return g

    def make(i=[1]):  # noqa: B006  (a counter: two calls each get the same)
        i[0] += 1
        x = torch_np.tensor([0.5, 2.0], requires_grad=True)
        return x, x.exp() if i[0] // 2 % 2 else x * 5
    runs_as_it_is(follow(f, lambda: None, lambda: None, make=make), "a gradient for an array that was computed outside")


def test_hooks_of_all_modules():
    layer = torch_np.nn.Linear(2, 2).requires_grad_(False)
    handles = []
    register = torch_np.nn.modules.module.register_module_forward_hook
    try:
        f = follow(lambda x: layer(x), lambda: handles.append(register(lambda m, i, o: o * 2)), lambda: handles[0].remove(),
                   make=lambda: (torch_np.ones(2),))
    finally:
        handles[0].remove()
    is_guarded(f, 2)


# ------------------------------------------------------------------------------------------------------------- results

def test_functions_that_hold_values_of_the_call_are_no_constants():
    def defaults(x):
        def f(y=x * 2):
            return y
        return f

    def of_class(x):
        class C:
            y = x * 2
        return C
    for function, read in ((lambda x: (x * 2).sum, lambda r: r()), (lambda x: lambda: x * 2, lambda r: r()), (defaults, lambda r: r()),
                           (of_class, lambda r: r.y), (lambda x: [x * 2].pop, lambda r: r())):
        f = torch_np.compile(function)
        with pytest.warns(RuntimeWarning, match="runs uncompiled: a result of the class"):
            f(np.ones(2))
        for k in (1, 3):
            assert shown(read(f(np.ones(2) * k))) == shown(read(function(np.ones(2) * k)))
    f = torch_np.compile(lambda x: (x * 2, math.sqrt, shown, float, numpy.float32, np), fullgraph=True)
    assert f(np.ones(2))[1:] == f(np.ones(2))[1:] == (math.sqrt, shown, float, numpy.float32, np)


# ------------------------------------------------------------------------------------------------------------- errors

def inverse(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return x * 0


@pytest.mark.parametrize("singular_first", [False, True])
def test_errors_that_the_function_handles(singular_first):
    for function in (inverse, lambda x: np.linalg.cond(x, 1)):
        f = torch_np.compile(function)
        inputs = [np.eye(2) * 2, np.zeros((2, 2))]
        for x in [*inputs[::-1 if singular_first else 1], *inputs, *inputs]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert shown(f(x)) == shown(function(x))
        assert singular_first or f.statistics()["replayed"] > 0


def test_floating_point_errors_that_the_function_handles():
    def f(x):
        try:
            return 1 / x
        except FloatingPointError:
            return x - 1
    g = torch_np.compile(f)
    with np.errstate(all="raise"):
        for x in (np.ones(2), np.ones(2), np.zeros(2), np.ones(2)):
            assert shown(g(x)) == shown(f(x))
    assert g.statistics()["replayed"] == 2


def test_handlers_of_errors_after_a_change_run_as_they_are():
    def f(x, y):
        y += 1
        try:
            return np.linalg.inv(x) + y
        except np.linalg.LinAlgError:
            return y * 10
    for make in (lambda: (np.eye(2), np.ones(2)), lambda: (np.zeros((2, 2)), np.ones(2))):
        follow(f, make=make)
    g = torch_np.compile(f)
    with pytest.warns(RuntimeWarning, match="it handles errors, and changes arrays"):
        g(np.eye(2), np.ones(2))
    for _ in range(2):
        assert g(np.zeros((2, 2)), np.ones(2)).tolist() == [20, 20]


def test_gradients_whose_formulas_handle_errors():
    f = torch_np.compile(lambda x: torch_np.linalg.det(x))
    for x in (torch_np.eye(2), torch_np.eye(2) * 3, torch_np.zeros(2, 2), torch_np.ones(2, 2), torch_np.eye(2)):
        gradients = []
        for function in (f, torch_np.linalg.det):
            leaf = x.clone().requires_grad_()
            function(leaf).backward()
            gradients.append(shown(leaf.grad))
        assert gradients[0] == gradients[1]


# ------------------------------------------------------------------------------------------------------------- texts, and equal operators

def test_texts_that_are_no_utf8():
    f = torch_np.compile(lambda x, s: x * len(s), fullgraph=True)
    for s in ("\ud800", "\ud800", "\ud801\ud802", "é", "\udcc3\udca9"):
        assert f(np.ones(2), s).tolist() == [len(s)] * 2
    assert f.statistics()["recorded"] == 4


@torch_np.library.custom_op("compile_guards::tagged")
def tagged(x: torch_np.Tensor, tag: str) -> torch_np.Tensor:
    return x * len(tag)


@tagged.register_fake
def _(x, tag):
    return torch_np.empty_like(x)


def test_texts_that_look_like_views():
    tags = ["%99999", "%0", "%1", "\\%0", "%", "100%1", "it's %2"]
    f = torch_np.compile(lambda x: [tagged(x, t) + 1 for t in tags], fullgraph=True)
    for _ in range(3):
        assert [r.tolist() for r in f(torch_np.ones(1))] == [[len(t) + 1.0] for t in tags]
    assert "%99999" in str(f.lower(torch_np.ones(1)))


def test_equal_operators_of_two_dialects_are_two():
    x, y = np.arange(1, 9), np.full(8, 3)
    follow(lambda x, y: ((x / y).sum(), (x._torch() / y._torch()).sum()), make=lambda: (x, y))


def test_equal_operators_of_which_one_ignores_errors_are_two():
    def f(x):
        with np.errstate(all="ignore"):
            a = np.log(x)
        return a + 1, np.log(x) + 2
    g = torch_np.compile(f, fullgraph=True)
    g(np.ones(2))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        g(np.zeros(2))


# ------------------------------------------------------------------------------------------------------------- instances and dictionaries among the arguments

class Layer:
    bias = 1.0
    __slots__ = ("__dict__", "scale", "late")

    def __init__(self, rate, name, w=None):
        self.rate, self.name, self.scale = rate, name, 2.0
        self.w = np.ones(2) * 3 if w is None else w

    @property
    def doubled(self):
        return self.rate * 2

    def inner(self, x):
        return x * self.scale + self.bias

    @torch_np.compile
    def apply(self, x):
        return sum([self.inner(x) * self.doubled for _ in range(2)]) + self.w


@pytest.fixture
def layers():
    Layer.apply._clear()
    recorded = Layer.apply.statistics()["recorded"]
    yield lambda: Layer.apply.statistics()["recorded"] - recorded
    Layer.apply._clear()


def check_layers(many):
    for layer in many:
        for _ in range(2):
            x = np.array([1.5, -2.0])
            assert shown(layer.apply(x)) == shown(Layer.apply.__wrapped__(layer, x))


def test_one_record_serves_instances_whose_attributes_are_equal(layers):
    plain = Layer.apply.statistics()["plain"]
    check_layers([Layer(2.0, str(i), np.full(2, float(i))) for i in range(70)])
    assert layers() == 1 and Layer.apply.statistics()["plain"] == plain
    check_layers([Layer(2.0 + i % 2, str(i)) for i in range(10)])
    assert layers() == 2
    other = Layer(2.0, "slot")
    other.scale = 5.0
    check_layers([other, Layer(2.0, "a", np.ones((1, 2)))])
    assert layers() == 4


def test_methods_and_class_attributes_that_change_behind_instances(layers, monkeypatch):
    many = [Layer(2.0, "ab"[i % 2] * (1 + i % 2)) for i in range(6)]
    check_layers(many)
    monkeypatch.setattr(Layer, "bias", 4.0)
    check_layers(many)
    assert layers() == 2
    monkeypatch.setattr(Layer, "inner", lambda self, x: x * len(self.name))  # reads an attribute that was not read before
    check_layers(many)
    assert layers() == 4
    many[0].inner = lambda x: x * 9
    check_layers(many)
    monkeypatch.setattr(Layer, "doubled", property(lambda self: self.late if hasattr(self, "late") else 1.0))
    check_layers(many)
    many[1].late = 7.0
    check_layers(many)


@pytest.mark.parametrize("read", [
    lambda self, x: x * (2 if self is first else 3), lambda self, x: x * vars(self)["k"], lambda self, x: x * self.__dict__["k"], lambda self, x: x * helper_of_k(self),
    lambda self, x: x * [self][0].k, lambda self, x: x * getattr(self, "".join(["k"])), lambda self, x: x * (lambda s: s.k)(self), lambda self, x: x * self.itself().k])
def test_instances_that_are_used_otherwise_are_compared_by_identity(read):
    f = torch_np.compile(read)
    others = [first, *(Numbered(k) for k in (2.0, 5.0, 2.0))]
    for o in (*others, *others):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert shown(f(o, np.ones(2))) == shown(read(o, np.ones(2)))
    others[1].k = 7.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert f(others[1], np.ones(2)).tolist() == read(others[1], np.ones(2)).tolist()


class Numbered:
    def __init__(self, k):
        self.k = k

    def itself(self):
        return self


def helper_of_k(o):
    return o.k


first = Numbered(2.0)


def test_instances_that_the_function_changes_are_not_replayed():
    def f(o, x):
        o.k = o.k + 1
        return x * o.k
    g = torch_np.compile(f)
    o = Numbered(1.0)
    with pytest.warns(RuntimeWarning, match="runs uncompiled: the function changes"):
        assert [g(o, np.ones(1)).item() for _ in range(3)] == [2, 3, 4]


def test_gradients_of_arrays_in_attributes_of_an_argument():
    class Model:
        def __init__(self, w):
            self.w = torch_np.full((2,), w).requires_grad_()
    f = torch_np.compile(lambda m, x: (m.w * x).sum())
    for i in range(6):
        m = Model(float(i))
        f(m, torch_np.ones(2) * 3).backward()
        assert m.w.grad.tolist() == [3, 3]
    assert f.statistics()["recorded"] <= 2 and f.statistics()["replayed"] >= 4


def test_ordered_dictionaries_among_the_arguments():
    f = torch_np.compile(lambda d: list(d.values())[0] * 2 + len(d), fullgraph=True)
    for i in range(5):
        assert f(collections.OrderedDict(a=np.ones(2) * i, b=np.zeros(2))).tolist() == [2 * i + 2] * 2
    is_guarded(f, 1)
    d = collections.OrderedDict(a=np.ones(2), b=np.zeros(2))
    d.move_to_end("a")
    assert f(d).tolist() == [2, 2] and f(collections.OrderedDict(b=np.ones(2))).tolist() == [3, 3] and f(dict(a=np.ones(2))).tolist() == [3, 3]
    layer = torch_np.nn.Linear(2, 2)
    g = torch_np.compile(lambda d: d["weight"] * 2, fullgraph=True)
    for _ in range(5):
        assert torch_np.equal(g(layer.state_dict()), layer.weight * 2)
    is_guarded(g, 1)
    marked = torch_np.compile(lambda d: d["a"] * d.mark)
    for mark in (2.0, 3.0):
        d.mark = mark
        assert marked(d).tolist() == [mark] * 2


# ------------------------------------------------------------------------------------------------------------- the table of kinds

def test_the_page_has_the_table_of_kinds():
    page = (pathlib.Path(__file__).parents[3] / "docs" / "compile.md").read_text()
    assert _guard_printer.documentation() in page, _guard_printer.documentation()


RATE, settings_of_explain = 2.0, types.SimpleNamespace(rate=3.0)


def test_explain_prints_the_guards_of_a_function():
    class Model:
        rate = -0.0

        def __init__(self):
            self.scale, self.names, self.more = 2.5, ["a"], bytearray(b"12")

        def run(self, x, k=1.5):
            return np.sin(x) * self.scale * len(self.names) * RATE * k * shift * self.more[0] + self.rate
    shift = 7
    text = torch_np.compiler.explain(torch_np.compile(Model().run), np.ones((2, 3)))
    for line in ["Geometry: argument 0 = float64 of shape (2, 3), of the class ndarray", "Item: global RATE = 2.0", "Item: np.sin = this ", "Cell: closure cell shift = 7",
                 "Attributes: self.scale = 2.5", "List: self.names = ('a')", "Buffer: self.more has these", "has this code, and the defaults (1.5)", ".rate = -0.0", "Type: self = class "]:
        assert line in text, (line, text)
    kinds = {line.strip().partition(":")[0] for line in text.partition("guards:\n")[2].splitlines()}
    assert kinds <= {kind for kind, *_ in torch_np._C._guard_kinds()}
    text = torch_np.compiler.explain(Layer.apply, Layer(2.0, "a"), np.ones(2))
    for line in ["Members: argument 0.rate = 2.0", "Members: argument 0.scale = 2.0", "Members: argument 0.inner is not its own", "Geometry: argument 1"]:
        assert line in text, (line, text)
    assert "it calls globals(), " in torch_np.compiler.explain(torch_np.compile(lambda x: x * len(globals())), np.ones(2))


def test_every_pure_call_has_a_reason_and_exists():
    for owner, names, reason in _pure_calls.C_FUNCTIONS:
        assert len(reason) > 10, owner
        module = sys.modules.get(owner)
        for name in names or ():
            assert module is None or hasattr(module, name) or (owner, name) == ("sys", "exception") or not sys.platform.startswith(owner), (owner, name)
    assert _pure_calls.reason_to_record(math.sqrt) and _pure_calls.reason_to_record([].append) and not _pure_calls.reason_to_record(os.getpid)


def test_a_profiler_goes_on_after_recording():
    seen = []
    f = torch_np.compile(lambda x: x + math.sqrt(4.0))
    sys.setprofile(lambda frame, event, arg: seen.append(arg) if event == "c_call" else None)
    try:
        f(np.ones(2))
        math.sqrt(9.0)
    finally:
        sys.setprofile(None)
    assert math.sqrt in seen and f.statistics()["reasons"] == []
