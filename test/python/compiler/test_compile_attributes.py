"""torch_np.compile: attributes of arrays that a function reads or sets. Whatever a call of the function leaves at its arguments, at arrays from outside and
at its result, a call of the compiled function leaves, too: a replay sets the attribute, or the function runs uncompiled."""
from __future__ import annotations

import types
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def leaf(gradient=None, requires_grad=True):
    t = torch_np.tensor([1.0, 2.0], requires_grad=requires_grad)
    t.grad = gradient and torch_np.tensor([gradient, 6.0])
    return t


def with_(t, **attributes):
    for name, value in attributes.items():
        setattr(t, name, value)
    return t


def product(retains=False):
    t = leaf() * 2
    if retains:
        t.retain_grad()
    return t


def changed(t, n):
    for _ in range(n):
        t.add_(0)
    return t


# Arrays of one call key that differ in their attributes follow each other.
TENSORS = {
    "plain": lambda: torch_np.tensor([1.0, 2.0]), "with a gradient": lambda: leaf(5.0, False), "with another gradient": lambda: leaf(7.0, False), "changed once": lambda: changed(torch_np.tensor([1.0, 2.0]), 1),
    "changed thrice": lambda: changed(torch_np.tensor([1.0, 2.0]), 3), "view": lambda: torch_np.tensor([0.0, 1.0, 2.0])[1:], "view of the start": lambda: torch_np.tensor([1.0, 2.0, 3.0])[:2],
    "detached": lambda: leaf().detach(), "with an attribute": lambda: with_(torch_np.tensor([1.0, 2.0]), tag=1), "with another attribute": lambda: with_(torch_np.tensor([1.0, 2.0]), tag=2),
    "leaf": leaf, "leaf with a gradient": lambda: leaf(5.0), "leaf with another gradient": lambda: leaf(7.0), "product": product, "sum": lambda: leaf() + 2, "product that keeps its gradient": lambda: product(True),
    "output 1": lambda: torch_np.stack([leaf(), leaf()]).unbind(0)[1], "of NumPy's memory": lambda: torch_np.from_numpy(numpy.array([1.0, 2.0], "f4")), "complex": lambda: torch_np.tensor([1.0 + 1j, 2.0]),
    "parameter": lambda: torch_np.nn.Parameter(torch_np.tensor([1.0, 2.0])), "parameter with an attribute": lambda: with_(torch_np.nn.Parameter(torch_np.tensor([1.0, 2.0])), tag=1)}


class Tagged(np.ndarray):
    pass


ARRAYS = {
    "plain": lambda: np.array([1.0, 2.0]), "view": lambda: np.array([0.0, 1.0, 2.0])[1:], "view of the start": lambda: np.array([1.0, 2.0, 3.0])[:2], "row": lambda: np.ones((2, 2))[0],
    "of NumPy's memory": lambda: np.asarray(numpy.array([1.0, 2.0])), "of the other face": lambda: torch_np.tensor([1.0, 2.0]).double()._np_compat(), "changed": lambda: changed(torch_np.tensor([1.0, 2.0]).double(), 2)._np_compat(),
    "read-only": lambda: np.frombuffer(b"\0" * 16, "f8"), "leaf": lambda: leaf().detach().double().requires_grad_()._np_compat(), "complex": lambda: np.array([1.0 + 1j, 2.0]),
    "with a gradient": lambda: with_(np.array([1.0, 2.0]), _grad=np.array([5.0, 6.0])), "of a subclass": lambda: np.array([1.0, 2.0]).view(Tagged), "of a subclass, with an attribute": lambda: with_(np.array([1.0, 2.0]).view(Tagged), tag=1)}

TENSOR_SETS = {
    "grad": ("t.grad = y", "t.grad = y * 2", "t.grad = None", "t._np_compat()._grad = y._np_compat()", "t.flatten().grad = y", "t.detach().grad = y", "t.grad.zero_()", "t.grad.grad = y"),
    "_grad": ("t._grad = y", "t._grad = None"),
    "requires_grad": ("t.requires_grad = True", "t.requires_grad = False", "t.requires_grad_()", "t.detach().requires_grad_()", "t.grad.requires_grad_()"),
    "data": ("t.data = y", "t.data = y * 2", "t.data = t", "t.grad.data = y.clone()", "t.data.fill_(3)"),
    "grad_dtype": ("t.grad_dtype = t.dtype", "t.grad_dtype = torch_np.float64"),
    "real": ("t.real = 3", "t.real = y"), "imag": ("t.imag = 3", "t.imag = y"),
    "__class__": ("t.__class__ = torch_np.nn.Parameter", "t.__class__ = torch_np.Tensor"),
    "__dict__": ("t.tag = 3", "del t.tag", "t.__dict__['tag'] = 4", "t.tag = y * 2", "t._np_compat()._torch().tag = 5", "t.__dict__ = {'tag': 6}"),
    "methods": ("t.detach_()", "t.retain_grad()", "t.register_hook(lambda g: g * 2)", "t.resize_(1)", "t.set_(y.clone())", "t.t_()", "t.unsqueeze_(0)", "t.squeeze_()", "t.transpose_(0, -1)", "t.as_strided_((1,), (1,))",
                "t.share_memory_()", "t.register_post_accumulate_grad_hook(lambda p: None)", "t.untyped_storage().resize_(64)", "t.copy_(y)", "t.real.fill_(3)", "t.imag.fill_(3)", "t.numpy().flags.writeable = False",
                "t._np_compat().shape = (-1, 1)", "t._np_compat().flags.writeable = False", "t.view(-1).unsqueeze_(0)")}
ARRAY_SETS = {
    "shape": ("t.shape = (-1, 1)", "t.shape = 2", "t[:1].shape = (1, 1)"), "dtype": ("t.dtype = 'i8'", "t.dtype = 'f4'"), "strides": ("t.strides = (8,)", "t.strides = (0,)"),
    "real": ("t.real = 3", "t.real[0] = 3"), "imag": ("t.imag = 3",), "flags": ("t.flags.writeable = False", "t.flags.writeable = True", "t.setflags(write=False)", "t[:1].flags.writeable = False"),
    "flat": ("t.flat = 5", "t.flat[0] = 5"), "_grad": ("t._grad = y", "t._grad = None", "t._torch().grad = y._torch()"), "_requires_grad": ("t._requires_grad = True", "t._requires_grad_()", "t._detach_()"),
    "device": ("t.device = 'cpu'",), "__class__": ("t.__class__ = Tagged", "t.__class__ = np.ndarray"), "__dict__": ("t.tag = 3", "del t.tag", "t._torch().tag = 3"),
    "methods": ("t.resize((3,), refcheck=False)", "t.resize((1,), refcheck=False)", "t.__setstate__(np.ones(3).__reduce__()[2])", "t.byteswap(True)", "t._set_shape((2, 1))", "t.sort()", "t.fill(3)", "t.setfield(3, 'f8')")}

# Where the array is: a function, and how it is called.
PLACES = {
    "argument": ("def f(t, y):\n  r = y * 2\n  {}\n  return r", "f(t, y)"), "keyword": ("def f(y, *, t):\n  r = y * 2\n  {}\n  return r", "f(y, t=t)"), "variable": ("def f(y):\n  r = y * 2\n  {}\n  return r", "f(y)"),
    "attribute": ("def f(o, y):\n  t = o.t\n  r = y * 2\n  {}\n  return r", "f(SimpleNamespace(t=t), y)"), "item": ("def f(l, y):\n  t = l[0]\n  r = y * 2\n  {}\n  return r", "f([t], y)"),
    "result": ("def f(t, y):\n  t = t * 1\n  {}\n  return t", "f(t, y)"), "result without a history": ("def f(t, y):\n  t = t._torch().detach() * 1\n  {}\n  return t", "f(t, y)")}


def state(array, depth=0):
    """All that a program can see of an array."""
    if type(array) in (tuple, torch_np.Size):
        return type(array), [state(part, depth + 1) for part in array]
    if not isinstance(array, (np.ndarray, torch_np.Tensor)):
        return array if isinstance(array, (bool, int, float, str, type(None), torch_np.dtype, numpy.dtype)) else type(array).__name__
    t = array if isinstance(array, torch_np.Tensor) else array._torch()
    own = {name: state(value, depth + 1) for a in (array, t) for name, value in getattr(a, "__dict__", {}).items()}
    kept = (t.is_leaf or t.retains_grad) and depth < 2
    return (type(array).__name__, t.dtype, tuple(t.shape), t._np_compat().strides, t.requires_grad, t.is_leaf, t.retains_grad, t._np_compat().flags.writeable, own, str(t.detach().tolist()), state(t.grad, depth + 1) if kept else None)


def outcomes(text, call, arrays, is_compiled, numpy_face=False):
    space = {"np": np, "torch_np": torch_np, "SimpleNamespace": types.SimpleNamespace, "Tagged": Tagged}
    exec(text, space)
    if is_compiled:
        space["f"] = torch_np.compile(space["f"])
    found = []
    for i, t in enumerate(arrays):
        space["t"], space["y"] = t, np.array([3.0 + i, 4.0]) if numpy_face else torch_np.tensor([3.0 + i, 4.0])
        try:
            result = state(eval(call, space))
        except Exception as error:
            result = type(error), str(error)
        found.append((result, state(t)))
    return found


def assert_same(text, call, make, numpy_face=False):
    """Three calls with new arrays, and three with the same one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for arrays in (lambda: [make() for _ in range(3)], lambda: [make()] * 3):
            expected, got = (outcomes(text, call, arrays(), is_compiled, numpy_face) for is_compiled in (False, True))
            assert got == expected


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", TENSOR_SETS)
def test_attributes_of_tensors_that_a_function_sets(name, place):
    text, call = PLACES[place]
    for statement in TENSOR_SETS[name]:
        for make in TENSORS.values():
            assert_same(text.format(statement), call, make)


@pytest.mark.parametrize("place", [p for p in PLACES if p != "result without a history"])
@pytest.mark.parametrize("name", ARRAY_SETS)
def test_attributes_of_arrays_that_a_function_sets(name, place):
    text, call = PLACES[place]
    for statement in ARRAY_SETS[name]:
        for make in ARRAYS.values():
            assert_same(text.format(statement), call, make, True)


def settable(arrays):
    found = set()
    for array in arrays:
        for name in dir(array):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    setattr(array, name, getattr(array, name))
            except Exception:
                continue
            found.add(name)
    return found


def test_the_tables_have_all_attributes_that_can_be_set():
    plain = set(dir(type("C", (), {})))
    # A Tensor has a __dict__, so a program can replace its methods, which are attributes then.
    can = {name for name in settable([make() for make in TENSORS.values()]) if not callable(getattr(torch_np.Tensor, name, None))}
    data = {name for name in can if hasattr(getattr(torch_np.Tensor, name, None), "__set__")}
    assert data - plain - {"__dict__"} <= set(TENSOR_SETS), data
    arrays = settable([ARRAYS[name]() for name in ("plain", "complex", "leaf")])
    assert arrays - plain - {"data"} <= set(ARRAY_SETS), arrays


READ = """def f({}):
    v = {}
    if v is None: return y * 3, None
    if isinstance(v, (bool, int, float, str, type, torch_np.dtype, torch_np.Size)): return y * 2, v
    if isinstance(v, tuple) and all(isinstance(part, (int, str)) for part in v): return y * 2, v
    if isinstance(v, (np.ndarray, torch_np.Tensor)): return y * 4, v * 1
    return y * 5, 0
"""
# They call the system, or read memory that is not initialised; NumPy's scalars are 0-d arrays while a function is recorded.
NOT_READ = {"data_ptr", "const_data_ptr", "mutable_data_ptr", "_cdata", "dump", "dumps", "tofile", "empty", "new_empty", "new", "__hash__", "__repr__", "__str__", "__format__", "__dir__", "__array_interface__", "ctypes", "__class__", "__init__", "__new__", "__init_subclass__",
            "__subclasshook__", "__class_getitem__", "backward", "_backward", "get_device"}
OF_SCALARS = {"all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "trace", "var"}


def reads(cls, values):
    """Expressions that read an attribute, or call a method without arguments that gives no array."""
    for name in sorted(set(dir(cls)) - NOT_READ):
        if not callable(getattr(cls, name, None)):
            yield f"t.{name}"
        elif not name.endswith("_") and not (cls is np.ndarray and name in OF_SCALARS):
            for make in values:
                try:
                    value = getattr(make(), name)()
                except Exception:
                    continue
                if not isinstance(value, (np.ndarray, torch_np.Tensor)):
                    yield f"t.{name}()"
                break
    yield from ("getattr(t, 'tag', None)", "hasattr(t, 'tag')") if cls is torch_np.Tensor else ("t.flags.owndata", "t.flags.writeable", "t.flags.num", "t.flags['ALIGNED']")


@pytest.mark.parametrize("is_argument", [True, False])
@pytest.mark.parametrize("face", ["torch", "numpy"])
def test_attributes_that_a_function_reads(face, is_argument):
    cls, values = (np.ndarray, {n: v for n, v in ARRAYS.items() if "subclass" not in n}) if face == "numpy" else (torch_np.Tensor, TENSORS)
    expressions = list(reads(cls, values.values()))
    assert len(expressions) > 40
    for expression in expressions:
        text, call = READ.format("t, y" if is_argument else "y", expression), "f(t, y)" if is_argument else "f(y)"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected, got = (outcomes(text, call, [make() for make in values.values() for _ in range(2)], is_compiled, face == "numpy") for is_compiled in (False, True))
        assert got == expected, expression


def test_attributes_of_an_argument_are_guarded():
    compiled = torch_np.compile(lambda t: t * t.scale)
    for scale in (2.0, 2.0, 3.0, 2.0, 3.0):
        assert compiled(with_(torch_np.ones(1), scale=scale)).tolist() == [scale]
    assert compiled.statistics()["recorded"] == 2 and compiled.statistics()["replayed"] == 3


@pytest.mark.parametrize("is_argument", [True, False])
def test_a_gradient_that_is_assigned_is_replayed(is_argument):
    """To an array that requires none, too."""
    t = torch_np.ones(2)

    def f(t, y):
        t.grad = y * 2
        return y * 3

    def g(y):
        t.grad = y * 2
        return y * 3
    compiled = torch_np.compile(f if is_argument else g)
    for i in range(4):
        y = torch_np.tensor([1.0, i])
        compiled(*([t, y] if is_argument else [y]))
        assert t.grad.tolist() == [2.0, 2.0 * i]
    s = compiled.statistics()
    assert (s["recorded"], s["replayed"], s["plain"]) == (2, 2, 0)  # one record for an array that has a gradient
