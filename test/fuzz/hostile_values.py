"""Hostile values, as source text."""
from __future__ import annotations

from fuzz import hostile_objects
from fuzz.hostile_objects import BUFFERS, CAPSULES, CHANGES, CONVERSIONS, INTERFACES

INTEGERS = ["0", "1", "-1", "2", "3", "7", "-2", "63", "64", "65", "2**31 - 1", "2**31", "-2**31", "2**32", "2**62", "2**63 - 1", "2**63",
            "-2**63", "-2**63 - 1", "2**64", "2**100", "-2**100", "10**400", "True", "False"]
FLOATS = ["0.0", "-0.0", "0.5", "1.5", "-1.5", "1e300", "-1e300", "5e-324", "nan", "inf", "-inf", "2.0**63", "1j", "complex(nan, inf)"]
TEXTS = ["''", "'a'", "'C'", "'F'", "'K'", "'f8'", "'raise'", "'clip'", "'same'", "'full'", "'linear'", "'unsafe'", "'cpu'", "'cuda'",
         "'meta'", "'x' * 100000", "'\\0'", "'\\udc80'", "'ij,jk->ik'", "'...'", "b''", "b'abc'", "'1,2'", "'nonsense'"]
DTYPES = ["'f4'", "float", "int", "bool", "complex", "object", "'O'", "'U3'", "'S'", "'M8[s]'", "'m8'", "'V8'", "'>f8'", "'i4,f8'", "str",
          "[('a', 'f8')]", "numpy.dtype('i1')", "np.float16", "torch_np.float32", "torch_np.bfloat16", "np.dtype('c8')", "'?'", "np.uint64",
          "'g'", "numpy.dtype(('f8', (2,)))", "type", "numpy.dtypes.StringDType()", "np.int64", "None"]
SEQUENCES = ["[]", "()", "[1]", "[1, 2, 3]", "(1, 2)", "(0, 1)", "(0, 0)", "(-1,)", "(2, -1)", "(2**31, 2**31)", "(2**62, 2)", "(0, 2**62)",
             "(2**40, 0)", "[[1], [2, 3]]", "[[1, 2], [3, 4]]", "[[]]", "[[], [1]]", "(1,) * 64", "(1,) * 65", "(0,) * 100", "[None]",
             "[nan, inf]", "[2**63, -1]", "[2**70]", "['a', 'b']", "[True, 0.5]", "range(3)", "range(2**62)", "range(0)", "{}", "{1: 2}",
             "set()", "{1, 2}", "iter([1, 2])", "generator()", "generator(ValueError)", "endless()", "endless_dict()", "deep(40)", "deep(70)",
             "deep(5000)", "growing()", "[[1], endless()]", "[np.ones(2), 3]", "[np.ones(2), np.ones(3)]", "[np.ones(2), torch_np.ones(2)]",
             "slice(None)", "slice(None, None, 0)", "slice(2**70, -2**70, -1)", "slice(0.5)", "(slice(None), None, Ellipsis)", "...", "None",
             "(..., ...)", "(None,) * 70", "[np.ones(2, bool)]", "(0, [1], slice(None))"]
OBJECTS = ["object()", "NotImplemented", "lambda *a, **k: 1", "lambda *a, **k: a[0]", "lambda *a: 1 / 0", "int", "np.ndarray", "torch_np.Tensor",
           "np", "print", "Exception()", "np.add", "np.sum", "decimal.Decimal(1)", "fractions.Fraction(1, 3)", "datetime.timedelta(1)",
           "numpy.float32(1)", "numpy.int64(-1)", "numpy.uint64(2**64 - 1)", "numpy.bool_(True)", "numpy.longdouble(1)", "numpy.str_('a')",
           "numpy.datetime64(1, 's')", "numpy.array(['a', 'b'])", "numpy.array([None])", "numpy.ones(3)", "numpy.ones((2, 3))[::-1]",
           "numpy.ma.array([1., 2.], mask=[0, 1])", "numpy.matrix([[1., 2.]])", "numpy.zeros(3, 'i4,f8')", "numpy.zeros(3, '>f8')",
           "numpy.zeros(3, 'g')", "np.random.default_rng(1)", "np.random.PCG64(1)", "torch_np.device('cpu')", "torch_np.Generator()",
           "io.BytesIO()", "io.StringIO()", "np._CopyMode.NEVER", "np.newaxis", "np.flatiter", "np.arange(6).flat", "np.dtype",
           "torch_np.Size((2, 3))", "weakref.ref(np.add)", "np.ones(2).__array_interface__", "np.ones(2).flags", "np.ones(3).__dlpack__()",
           "np.poly1d([1, 2])", "np.s_[::2]"]

ARRAYS = ["np.ones(0)", "np.ones((0, 3))", "np.ones((3, 0, 2))", "np.array(3)", "np.array(2.5)", "np.array(True)", "np.ones(1)", "np.arange(3)",
          "np.arange(4.)[::-1]", "np.ones((2, 3))", "np.arange(6.).reshape(2, 3).T", "np.ones((2, 2), 'c8')", "np.ones(3, 'f2')",
          "np.ones(3) > 0", "np.zeros((2, 3), bool)", "np.broadcast_to(np.arange(3), (2, 3))", "np.broadcast_to(1.5, (0, 2**40))",
          "np.ones((3, 3), 'u1')[::2, 1:]", "np.arange(9.)[1:].view('c16')", "np.frombuffer(bytes(33), 'u1')[1:].view('f8')",
          "np.array([2, 0, 255], 'u1').view('?')", "np.array([nan, inf, -inf, -0.0])", "np.array([2**63 - 1, -2**63])",
          "np.array([2**64 - 1], 'u8')", "np.arange(7, dtype='f4')[1:].view('c8')", "np.zeros((1,) * 32)", "np.zeros((1,) * 64)",
          "np.ones(3, np.bfloat16)", "leaf([1., 2.])", "leaf([[1., 2.], [3., 4.]])", "leaf([1., 2.]) * 2", "leaf([1., 2.])[::-1]", "leaf(3.)",
          "np.lib.stride_tricks.as_strided(np.arange(6.), (4, 3), (8, 8))", "huge()", "huge().T", "huge()[:, :3]",
          "np.arange(70000.)", "np.arange(70000)[::-1]", "np.zeros((300, 300), 'f4').T", "subclass(Subclass)", "subclass(OverridingSubclass)",
          "subclass(RaisingSubclass)", "np.full((2, 2), nan)", "np.array([3, -1, 99, -100])", "np.array([5, 1, 5, 0], 'u1')",
          "np.empty((2, 3), _device='meta')", "np.empty(4, 'i8', _device='meta')", "np.empty(3, '?', _device='meta')",
          "np.empty((3, 3), 'c16', _device='meta').T", "np.empty(2**62, 'u1', _device='meta')", "np.empty((), 'f4', _device='meta')"]
TENSORS = ["torch_np.ones(0)", "torch_np.ones(2)", "torch_np.tensor(1)", "torch_np.tensor(True)", "torch_np.ones(2, 3)", "torch_np.ones(2, 3).t()",
           "torch_np.zeros(0, 3)", "torch_np.arange(4)", "torch_np.ones(2, dtype=torch_np.bfloat16)", "torch_np.ones(2, 2, dtype=torch_np.complex64)",
           "torch_np.ones(3, 1).expand(3, 4)", "leaf([1., 2.], torch_np)", "leaf([1., 2.], torch_np) * 2", "huge(torch_np)",
           "torch_np.from_numpy(numpy.arange(6))", "torch_np.arange(60000.)", "torch_np.ones(3) > 2", "torch_np.tensor([nan, inf])",
           "torch_np.ones(6).as_strided((3, 3), (1, 1))", "torch_np.tensor([0, 3, -1])", "torch_np.ones(2, dtype=torch_np.float16)",
           "torch_np.empty(2, 3, device='meta')", "torch_np.empty(4, dtype=torch_np.int64, device='meta')",
           "torch_np.eye(3).to_sparse()", "torch_np.ones(2, 3).to_sparse_csr()", "torch_np.eye(4).to_sparse_bsr((2, 2))", "torch_np.zeros(0, 3).to_sparse()",
           "torch_np.sparse_coo_tensor([[1, 1, 0], [2, 2, 0]], leaf([1., 2., 3.], torch_np), (2, 3))", "torch_np.ones(2, 3, 2).to_sparse(1)"]
# The arrays `a`, `b`, `t` of the setup, and views that overlap them.
NAMED = ["a", "b", "t", "a[::-1]", "a[1:]", "a[:-1]", "a.T", "a[0]", "a.real", "a.view('u1')", "b[::-1]", "t[1:]", "a._torch()", "t._np_compat()",
         "a[None]", "b.flat", "a.ravel()", "memoryview(a)", "numpy.asarray(a)", "read_only(a)"]

# Setups: definitions of `a`, `b` and `t`.
SETUPS_A = ["np.arange(12.).reshape(3, 4)", "np.arange(4.)", "np.arange(9., dtype='f4').reshape(3, 3)", "np.arange(6)", "np.zeros((2, 0))",
            "np.array(1.5)", "np.arange(6, dtype='c16').reshape(2, 3)", "np.arange(5, dtype='u1')", "np.array([True, False, True])",
            "np.arange(24.).reshape(2, 3, 4)", "leaf([1., 2., 3.]) * 1", "np.empty((3, 4), _device='meta')"]
SETUPS_B = ["np.arange(4.)", "np.arange(4)", "np.array([True, False, True])", "np.arange(3., dtype='f2')", "np.ones((3, 3))", "np.array(2)"]
SETUPS_T = ["torch_np.arange(4.)", "torch_np.ones(3, 4)", "torch_np.arange(6)", "leaf([1., 2.], torch_np) * 1", "torch_np.tensor(2.0)",
            "torch_np.ones(3, 4).to_sparse()", "torch_np.eye(4).to_sparse_csr()"]


def read_only(array):
    """A view of `array` that cannot be written to."""
    view = array.view() if hasattr(array, "flags") else array
    if hasattr(view, "flags"):
        view.flags.writeable = False
    return view


def _answers(random):
    return random.choice(["5", "None", "'x'", "-1", "2**70", "2.5", "nan", "True", "()", "[1, 2]", "object()", "NotImplemented", "(1, 0)",
                          "2**62", "np.ones(2)", "numpy.ones(2)", "b'abc'", "{}", "int", "a"])


def _hostile_object(random):
    method = random.choice(CONVERSIONS)
    way = random.random()
    if way < 0.35:
        error = random.choice(["", "", ", KeyboardInterrupt", ", MemoryError", ", StopIteration", ", RecursionError", ", AttributeError", ", TypeError"])
        return f"raises({method!r}{error})"
    if way < 0.7:
        return f"lies({method!r}, {_answers(random)})"
    array = random.choice(["a", "a", "b", "t"])
    return f"changes({method!r}, {array}, {random.choice(sorted(CHANGES))!r}, {random.choice(['1', '0', '2.0', '-1', 'None', 'np.ones(3)'])})"


POOLS = [(INTEGERS, 3), (FLOATS, 1.5), (TEXTS, 1.5), (DTYPES, 1.5), (SEQUENCES, 3), (OBJECTS, 2), (ARRAYS, 4), (TENSORS, 2), (NAMED, 4),
         (CAPSULES, 0.5), (INTERFACES, 0.5), (BUFFERS, 0.7), (None, 3)]
_WEIGHTS = [weight for _, weight in POOLS]


def any_value(random):
    """One hostile value, sometimes inside a list or a tuple."""
    pool, _ = random.choices(POOLS, _WEIGHTS)[0]
    value = _hostile_object(random) if pool is None else random.choice(pool)
    shape = random.random()
    if shape < 0.06:
        return f"[{value}, {any_value(random)}]"
    if shape < 0.1:
        return f"({value},)"
    return value


def array_value(random, face):
    """An array, mostly of this face."""
    own, other = (ARRAYS, TENSORS) if face == "np" else (TENSORS, ARRAYS)
    return random.choice(NAMED if random.random() < 0.35 else own if random.random() < 0.9 else other)


def setup(random):
    return (f"a = {random.choice(SETUPS_A)}", f"b = {random.choice(SETUPS_B)}", f"t = {random.choice(SETUPS_T)}")


def namespace():
    """The names available to hostile source."""
    import array
    import copy
    import ctypes
    import datetime
    import decimal
    import fractions
    import io
    import operator
    import pickle
    import weakref

    import numpy

    import torch_np

    names = {name: value for name, value in vars(hostile_objects).items() if not name.startswith("_")}
    return names | {"array": array, "copy": copy, "ctypes": ctypes, "datetime": datetime, "decimal": decimal, "fractions": fractions,
                    "io": io, "operator": operator, "pickle": pickle, "weakref": weakref, "numpy": numpy, "torch_np": torch_np,
                    "np": torch_np.numpy, "nan": float("nan"), "inf": float("inf"), "read_only": read_only}
