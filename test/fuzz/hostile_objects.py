"""Objects whose special methods raise, return wrong values, or change arrays while they are called;
and invalid capsules, buffers and array interfaces.

Everything here is made by a short expression, so that a finding can be printed on one line.
"""
from __future__ import annotations

import contextlib
import ctypes
import itertools

import numpy

import torch_np
import torch_np.numpy as np

CONVERSIONS = ["__index__", "__int__", "__float__", "__complex__", "__bool__", "__len__", "__iter__", "__array__", "__getitem__",
               "__array_interface__", "__dlpack__", "__dlpack_device__", "__array_ufunc__", "__array_function__", "__array_struct__",
               "__array_priority__", "__array_wrap__", "__array_namespace__", "__torch_function__", "__eq__", "__hash__", "__repr__",
               "__str__", "__radd__", "__next__", "__call__", "__buffer__", "__fspath__", "__reduce__", "__array_finalize__", "dtype",
               "shape", "__class__"]
# Attributes, not methods.
_ATTRIBUTES = {"__array_interface__", "__array_struct__", "__array_priority__", "dtype", "shape", "__class__"}
# Conversions to a sequence, a number or an array; libraries call them before the method that
# misbehaves.
_COMPANIONS = {"__getitem__": {"__len__": lambda self: 2}, "__len__": {"__getitem__": lambda self, i: _end_at_two(i) or 0.0},
               "__dlpack__": {"__dlpack_device__": lambda self: (1, 0)}, "__next__": {"__iter__": lambda self: self}}


def _end_at_two(i):
    """Ends iteration by `__getitem__`, which continues until IndexError and ignores `__len__`. A
    library cannot detect an object that never raises it."""
    if isinstance(i, int) and i >= 2:
        raise IndexError(i)


def _object(method, action):
    body = dict(_COMPANIONS.get(method, {}))
    body[method] = property(action) if method in _ATTRIBUTES else _ending(method, action)
    return type("Hostile", (), body)()


def _ending(method, action):
    calls = itertools.count()

    def limited(self, *args, **kwargs):
        if method == "__getitem__" and args:
            _end_at_two(args[0])
        if method == "__next__" and next(calls) >= 3:
            raise StopIteration
        return action(self, *args, **kwargs)
    return limited


def raises(method, error=ZeroDivisionError):
    """An object whose `method` raises."""
    def action(*args, **kwargs):
        raise error("on purpose")
    return _object(method, action)


def lies(method, answer):
    """An object whose `method` returns `answer`, a wrong value."""
    return _object(method, lambda *args, **kwargs: answer)


def changes(method, array, how, answer=1):
    """An object whose `method` changes `array` during the call that invokes it."""
    def action(*args, **kwargs):
        with contextlib.suppress(Exception):
            CHANGES[how](array)
        return answer
    return _object(method, action)


CHANGES = {
    "shrink": lambda x: x.resize((0,), refcheck=False) if hasattr(x, "resize") else x.data.resize_(0),
    "grow": lambda x: x.resize((3000,), refcheck=False) if hasattr(x, "resize") else x.data.resize_(3000),
    "shape": lambda x: setattr(x, "shape", (x.size,)),
    "strides": lambda x: setattr(x, "strides", (0,) * x.ndim),
    "dtype": lambda x: setattr(x, "dtype", "i1"),
    "data": lambda x: setattr(x, "data", torch_np.ones(1)),
    "read-only": lambda x: setattr(x.flags, "writeable", False),
    "fill": lambda x: x.fill(7) if hasattr(x, "fill") else x.fill_(7),
    "state": lambda x: x.__setstate__((1, (0,), numpy.dtype("f8"), False, b"")),
    "backward": lambda x: x._backward() if hasattr(x, "_backward") else x.backward(),
}


def endless():
    """A list that contains itself."""
    nested = [1.0]
    nested.append(nested)
    return nested


def endless_dict():
    nested = {}
    nested["x"] = nested
    return nested


def deep(depth):
    """A list in a list in a list ..."""
    nested = [1.0]
    for _ in range(depth):
        nested = [nested]
    return nested


def growing():
    """A list that grows while it is converted."""
    values = []
    values.extend([1.0, lies("__float__", 2.0), changes_list(values), 4.0])
    return values


def changes_list(values):
    def action(self):
        del values[1:]
        values.extend([3.0] * 1000)
        return 1.0
    return _object("__float__", action)


def generator(error=None):
    yield 1.0
    if error:
        raise error("on purpose")


def huge(xp=np):
    """A view of 2**59 elements over one element: the largest size whose bytes an index can count."""
    return xp.broadcast_to(xp.asarray(1.0) if xp is np else xp.tensor(1.0), (2**30, 2**29))


def leaf(values, xp=np):
    """An array that requires a gradient."""
    return np.array(values, float, _requires_grad=True) if xp is np else torch_np.tensor(values, dtype=torch_np.float64, requires_grad=True)


class Subclass(np.ndarray):
    pass


class RaisingSubclass(np.ndarray):
    def __array_finalize__(self, other):
        if other is not None:
            raise ZeroDivisionError("on purpose")


class OverridingSubclass(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented

    def __array_function__(self, function, types, args, kwargs):
        return NotImplemented


class TensorSubclass(torch_np.Tensor):
    pass


def subclass(cls, values=(1.0, 2.0)):
    """An array of a subclass, if the class allows subclasses."""
    return np.array(values).view(cls)


# --------------------------------------------------------------------------------------------------------------- DLPack

class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
                ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_KEPT: list = []  # memory of the capsules lives as long as the process


def capsule(name=b"dltensor", shape=(4,), strides=None, data=True, **fields):
    """An object with a DLPack capsule over 64 doubles, with any field wrong. (Invalid addresses are
    left out: no library can detect them.)"""
    memory = (ctypes.c_double * 64)()
    tensor = _DLTensor(data=ctypes.addressof(memory) if data else None, device_type=1, ndim=len(shape), code=2, bits=64, lanes=1,
                       shape=(ctypes.c_int64 * len(shape))(*shape))
    if strides is not None:
        tensor.strides = (ctypes.c_int64 * len(strides))(*strides)
    for field, value in fields.items():
        setattr(tensor, field, value)
    _KEPT.append((memory, tensor, name))
    made = _capsule_new(ctypes.addressof(tensor), name, None)
    exporter = type("Exporter", (), {"__dlpack__": lambda self, **kwargs: made, "__dlpack_device__": lambda self: (1, 0)})
    return exporter()


def used_capsule():
    """A capsule that was consumed already."""
    return lies("__dlpack__", _consumed())


def _consumed():
    made = np.ones(3).__dlpack__()
    np.from_dlpack(lies("__dlpack__", made))
    return made


CAPSULES = ["capsule(name=b'nonsense')", "capsule(data=False)", "capsule(data=False, shape=(0,))", "capsule(ndim=-1)", "capsule(bits=7)",
            "capsule(bits=0)", "capsule(lanes=4)", "capsule(lanes=0)", "capsule(code=77)", "capsule(device_type=2)", "capsule(device_type=99)",
            "capsule(shape=(-4,))", "capsule(shape=(2**62, 2**62), strides=(0, 0))", "capsule(shape=(2**62,), strides=(0,))",
            "capsule(shape=(4,), strides=(-1,), byte_offset=64)", "capsule(shape=(2, 2), strides=(1, 2))", "capsule(byte_offset=3)",
            "capsule(shape=())", "capsule(shape=(1,) * 70)", "capsule(code=5, bits=128)", "capsule(code=6, bits=8)", "capsule(code=4, bits=16)",
            "used_capsule()", "lies('__dlpack__', 5)", "lies('__dlpack__', None)", "lies('__dlpack_device__', (1, 0))", "raises('__dlpack__')",
            "capsule(shape=(4,), strides=(2**61,))"]


# -------------------------------------------------------------------------------------------- buffers and array interfaces

def interface(**fields):
    """An object with an `__array_interface__` over 64 doubles, with any field wrong."""
    memory = numpy.zeros(64)
    _KEPT.append(memory)
    whole = {"shape": (4,), "typestr": "<f8", "data": (memory.ctypes.data, False), "version": 3} | fields
    return lies("__array_interface__", {k: v for k, v in whole.items() if v != "absent"})


INTERFACES = ["interface()", "interface(shape=(-1,))", "interface(shape=4)", "interface(shape=('a',))", "interface(typestr='<f9')",
              "interface(typestr='|O8')", "interface(typestr='|V8')", "interface(typestr='>f8')", "interface(typestr=5)",
              "interface(data=5)", "interface(data='absent')", "interface(data=('x', False))", "interface(strides=(0,))",
              "interface(strides=(8, 8))", "interface(strides='x')", "interface(shape=(2**62,), strides=(0,))", "interface(version=99)",
              "interface(shape='absent')", "interface(typestr='absent')", "interface(data=(2**70, False), shape=(0,))",
              "interface(descr=5)", "interface(offset=-5)", "interface(mask=5)", "interface(typestr='<f8', data=b'abc')"]

BUFFERS = ["memoryview(b'abcdefgh')", "memoryview(bytearray(16)).cast('d')", "memoryview(bytearray(16)).cast('h')[::-1]", "bytearray(8)",
           "array.array('d', [1, 2])", "array.array('u', 'ab')", "(ctypes.c_double * 3)()", "(ctypes.c_void_p * 3)()",
           "(ctypes.c_longdouble * 2)()", "memoryview(numpy.zeros((2, 0, 3)))", "memoryview(numpy.float32(1))",
           "memoryview(numpy.zeros(3, 'i4,f8'))", "memoryview(numpy.zeros(3, '>f4'))", "memoryview(numpy.arange(12.).reshape(3, 4).T)",
           "memoryview(np.arange(4.))", "memoryview(np.arange(4.)[::-1])", "lies('__buffer__', 5)", "lies('__buffer__', memoryview(b'abcd'))",
           "raises('__buffer__')", "memoryview(numpy.broadcast_to(1.0, (2**30, 2**30)))"]
