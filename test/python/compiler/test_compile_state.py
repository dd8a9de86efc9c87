"""torch_np.compile: programs that each read Python's state in another way. After each change the compiled function gives what the function
gives: a guard notices the change, or reading is a graph break, and the function runs uncompiled."""
from __future__ import annotations

import math
import re
import sys
import textwrap
import types
import warnings

import pytest

import torch_np
import torch_np.numpy as np

# What is read, the program (which defines f), and what changes. GUARDED: each change gives another record; BROKEN: a graph break with this reason.
GUARDED = {
    "global": ("k = 2.0\ndef f(x): return x * k", "k = 5.0"),
    "global of the same bits": ("k = 0.0\ndef f(x): return np.copysign(x, k)", "k = -0.0"),
    "nan with another payload": ("import struct\nk = float('nan')\ndef f(x): return x * 0 + k",
                                 "k = struct.unpack('d', struct.pack('Q', 0x7ff8000000000001))[0]"),
    "bool that becomes an int": ("k = True\ndef f(x): return x * (2 if k is True else 3)", "k = 1"),
    "global that appears": ("def f(x):\n  return x * (k if 'k' in names else 2.0)\nnames = []", "k = 5.0; names.append('k')"),
    "global that hides a builtin": ("def f(x): return x * len([1, 2])", "len = lambda v: 7"),
    "builtin": ("import builtins\nbuiltins.rate_of_a_test = 2.0\ndef f(x): return x * rate_of_a_test", "builtins.rate_of_a_test = 5.0"),
    "closure cell": ("def make():\n  k = 2.0\n  def put(v):\n    nonlocal k\n    k = v\n  return (lambda x: x * k), put\nf, put = make()", "put(5.0)"),
    "cell two functions deep": ("def make():\n  k = [2.0]\n  def g(x): return x * k[0]\n  def h(x): return g(x)\n  return h, k\nf, k = make()", "k[0] = 5.0"),
    "default": ("def f(x, k=2.0): return x * k", "f.__defaults__ = (5.0,)"),
    "keyword default": ("def f(x, *, k=2.0): return x * k", "f.__kwdefaults__['k'] = 5.0"),
    "default that is a list": ("def f(x, k=[2.0]): return x * k[0]", "f.__defaults__[0][0] = 5.0"),
    "code of a helper": ("def g(x): return x * 2\ndef f(x): return g(x)", "g.__code__ = (lambda x: x * 5).__code__"),
    "default of a helper in a module": ("import helper_of_a_test as m\ndef f(x): return m.scaled(x)", "m.scaled.__defaults__ = (5.0,)"),
    "global of a helper's module": ("import helper_of_a_test as m\ndef f(x): return m.by_rate(x)", "m.rate = 5.0"),
    "closure of a helper in a module": ("import helper_of_a_test as m\ndef f(x): return m.closed(x)", "m.put(5.0)"),
    "helper replaced in its module": ("import helper_of_a_test as m\ndef f(x): return m.scaled(x)", "m.scaled = lambda x: x * 7"),
    "function of ours replaced": ("def f(x): return np.sin(x)", "np.sin = lambda x: x * 5", "np.sin = old"),
    "function of math replaced": ("import math\nold = math.sqrt\ndef f(x): return x * math.sqrt(4.0)", "math.sqrt = lambda v: 5.0", "math.sqrt = old"),
    "attribute of an instance": ("class C: pass\nc = C()\nc.k = 2.0\ndef f(x): return x * c.k", "c.k = 5.0", "c.k = -0.0", "c.k = 0.0"),
    "attribute that appears": ("class C: k = 2.0\nc = C()\ndef f(x): return x * c.k", "c.k = 5.0", "del c.k"),
    "attribute by a constant name": ("class C: pass\nc = C()\nc.k = 2.0\ndef f(x): return x * getattr(c, 'k')", "c.k = 5.0"),
    "attribute by a computed name": ("class C: pass\nc = C()\nc.k1 = 2.0\ndef f(x): return x * getattr(c, f'k{len([0])}')", "c.k1 = 5.0"),
    "attribute of a library by a computed name": ("names = ['s', 'in']\ndef f(x): return getattr(np, ''.join(names))(x)", "names[:] = ['c', 'os']", "np.cos = lambda x: x * 5",
                                                  "np.cos = old_cos"),
    "__getattr__": ("class C:\n  table = {'k': 2.0}\n  def __getattr__(self, name): return self.table[name]\nc = C()\ndef f(x): return x * c.k", "C.table['k'] = 5.0"),
    "__getattr__ that a module gets": ("import helper_of_a_test as m\ndel m.__getattr__\ndef f(x): return x * getattr(m, 'other', 2.0)", "m.__getattr__ = lambda name: 5.0", "m.__getattr__ = lambda name: 6.0", "m.other = 7.0"),
    "__getattr__ of a module": ("import helper_of_a_test as m\ndef f(x): return x * m.computed", "m.rate = 9.0"),
    "attribute of a class": ("class C: k = 2.0\ndef f(x): return x * C.k", "C.k = 5.0"),
    "attribute of a base class": ("class B: k = 2.0\nclass C(B): pass\nc = C()\ndef f(x): return x * c.k", "B.k = 5.0", "C.k = 7.0"),
    "attribute of a metaclass": ("class M(type): k = 2.0\nclass C(metaclass=M): pass\ndef f(x): return x * C.k", "M.k = 5.0"),
    "method": ("class C:\n  def g(self, x): return x * 2\nc = C()\ndef f(x): return c.g(x)", "C.g = lambda self, x: x * 5", "c.g = lambda x: x * 7"),
    "property": ("class C:\n  q = 2.0\n  @property\n  def k(self): return type(self).q\nc = C()\ndef f(x): return x * c.k", "C.q = 5.0", "C.k = 7.0"),
    "descriptor": ("class D:\n  v = 2.0\n  def __get__(self, o, t=None): return self.v\nclass C: k = D()\nc = C()\ndef f(x): return x * c.k", "vars(C)['k'].v = 5.0"),
    "cached property": ("import functools\nclass C:\n  q = 2.0\n  @functools.cached_property\n  def k(self): return self.q\nc = C()\nc.k\ndef f(x): return x * c.k", "c.__dict__['k'] = 5.0"),
    "slot": ("class S: __slots__ = ('k',)\ns = S()\ns.k = 2.0\ndef f(x): return x * s.k", "s.k = 5.0"),
    "class of an instance": ("class A: k = 2.0\nclass B: k = 5.0\na = A()\ndef f(x): return x * a.k", "a.__class__ = B"),
    "base classes": ("class A: k = 2.0\nclass B: k = 5.0\nclass C(A): pass\ndef f(x): return x * C.k", "C.__bases__ = (B,)"),
    "__dict__": ("class C: pass\nc = C()\nc.k = 2.0\ndef f(x): return x * c.__dict__['k']", "c.k = 5.0"),
    "vars of an instance is a break, its attributes are not": ("class C: pass\nc = C()\nc.a = [2.0]\ndef f(x): return x * c.a[-1]", "c.a.append(5.0)"),
    "item of a list": ("d = [[2.0]]\ndef f(x): return x * d[0][0]", "d[0][0] = 5.0"),
    "length of a list": ("d = [1]\ndef f(x): return x * len(d)", "d.append(1)"),
    "item of a dictionary": ("d = {'a': {'b': 2.0}}\ndef f(x): return x * d['a']['b']", "d['a']['b'] = 5.0"),
    "key of a dictionary": ("d = {'a': 2.0}\ndef f(x): return x * d.get('b', 3.0)", "d['b'] = 5.0"),
    "order of a dictionary": ("d = {'a': 1.0, 'b': 2.0}\ndef f(x): return x - list(d.values())[0]", "d['a'] = d.pop('a')"),
    "order of an OrderedDict": ("import collections\nd = collections.OrderedDict(a=1.0, b=2.0)\ndef f(x): return x - list(d.values())[0]", "d.move_to_end('a')"),
    "default of a defaultdict": ("import collections\nd = collections.defaultdict(lambda: 2.0)\nd['a'] = 1.0\ndef f(x): return x * d.default_factory()",
                                 "d.default_factory = lambda: 5.0"),
    "view of a dictionary": ("d = {'a': 2.0}\nv = d.values\ndef f(x): return x * sum(v())", "d['a'] = 5.0"),
    "items of a set": ("s = {1.0}\ndef f(x): return x * sum(s)", "s.clear(); s.add(5.0)"),
    "deque": ("import collections\nd = collections.deque([2.0])\ndef f(x): return x * d[0]", "d[0] = 5.0"),
    "bytearray": ("b = bytearray(b'\\x02')\ndef f(x): return x * b[0]", "b[0] = 5", "b.append(1)"),
    "array.array": ("import array\nb = array.array('d', [2.0])\ndef f(x): return x * b[0]", "b[0] = 5.0"),
    "NumPy array": ("import numpy\nw = numpy.array([2.0, 3.0])\ndef f(x): return x * w", "w[...] = 5.0", "w.shape = (2, 1)", "w = w.astype('f4')"),
    "NumPy 0-d array": ("import numpy\nw = numpy.array(2.0)\ndef f(x): return x * float(w)", "w[...] = 5.0"),
    "array of ours": ("w = np.ones(2)\ndef f(x): return x * w", "w = np.ones(2) * 5", "w = np.ones(2, dtype='f4')"),
    "partial": ("import functools\ng = functools.partial(lambda k, x: x * k, 2.0)\ndef f(x): return g(x)", "g.__setstate__((g.func, (5.0,), {}, None))"),
    "keywords of a partial": ("import functools\ng = functools.partial(lambda x, k: x * k, k=2.0)\ndef f(x): return g(x)", "g.keywords['k'] = 5.0"),
    "environment": ("import os\nos.environ['TORCH_NP_TEST_K'] = '2'\ndef f(x): return x * float(os.environ['TORCH_NP_TEST_K'])", "os.environ['TORCH_NP_TEST_K'] = '5'"),
    "sys.argv": ("import sys\nbefore = list(sys.argv)\ndef f(x): return x * len(sys.argv)", "sys.argv.append('a')", "sys.argv[:] = before"),
    "attribute of sys": ("import sys\nsys.rate_of_a_test = 2.0\ndef f(x): return x * sys.rate_of_a_test", "sys.rate_of_a_test = 5.0"),
    "import in the function": ("def f(x):\n  import helper_of_a_test\n  return x * helper_of_a_test.rate", "import helper_of_a_test as m; m.rate = 5.0"),
    "name of a function": ("def g(x): return x\ndef f(x): return g(x) * len(g.__name__)", "g.__name__ = 'longer'", "g.__qualname__ = 'a.longer'"),
    "docstring of a function": ("def g(x):\n  'ab'\n  return x\ndef f(x): return x * len(g.__doc__)", "g.__doc__ = 'abcde'"),
    "name of a class": ("class C: pass\nc = C()\ndef f(x): return x * len(type(c).__name__)", "C.__name__ = 'Longer'"),
    "contents of a cell": ("def make(k):\n  return (lambda x: x * k)\ng = make(2.0)\ndef f(x): return x * g.__closure__[0].cell_contents", "g.__closure__[0].cell_contents = 5.0"),
    "Counter": ("import collections\nc = collections.Counter('aab')\ndef f(x): return x * c['a'] * c['z']", "c['a'] = 5", "c['z'] = 1"),
    "ChainMap": ("import collections\nd = {'k': 2.0}\nc = collections.ChainMap({}, d)\ndef f(x): return x * c['k']", "d['k'] = 5.0", "c.maps.pop(0)"),
    "UserDict": ("import collections\nc = collections.UserDict(k=2.0)\ndef f(x): return x * c['k']", "c['k'] = 5.0", "c.data = {'k': 7.0}"),
    "SimpleNamespace": ("import types\ns = types.SimpleNamespace(k=2.0)\ndef f(x): return x * s.k", "s.k = 5.0", "del s.k; s.k = 7.0"),
    "__missing__": ("class D(dict):\n  late = 2.0\n  def __missing__(self, key): return self.late\nd = D()\ndef f(x): return x * d['k']", "D.late = 5.0", "d['k'] = 7.0"),
    "__getitem__": ("class D:\n  def __init__(self): self.v = [2.0]\n  def __getitem__(self, i): return self.v[i]\nd = D()\ndef f(x): return x * d[0]", "d.v[0] = 5.0"),
    "__iter__": ("class D:\n  v = [2.0]\n  def __iter__(self): return iter(self.v)\nd = D()\ndef f(x): return x * sum(d)", "D.v.append(5.0)"),
    "context manager": ("class M:\n  k = 2.0\n  def __enter__(self): return self.k\n  def __exit__(self, *a): return None\nm = M()\ndef f(x):\n  with m as k: return x * k", "M.k = 5.0"),
    "generator function": ("k = [2.0]\ndef g():\n  for v in k: yield v\ndef f(x): return x * sum(g())", "k.append(5.0)"),
    "decorated function": ("import functools\nk = [2.0]\ndef d(g):\n  @functools.wraps(g)\n  def h(x): return g(x) * k[0]\n  return h\n@d\ndef g(x): return x * 3\ndef f(x): return g(x)",
                           "k[0] = 5.0", "g.__wrapped__.__code__ = (lambda x: x * 7).__code__"),
    "sorted by a key": ("import operator\nclass C:\n  def __init__(self, k): self.k = k\ncs = [C(2.0), C(3.0)]\ndef f(x): return x * sorted(cs, key=operator.attrgetter('k'))[0].k", "cs[0].k = 5.0"),
    "map of getattr": ("class C: pass\nc = C()\nc.k = 2.0\ndef f(x): return x * list(map(getattr, [c], ['k']))[0]", "c.k = 5.0"),
    "methodcaller": ("import operator\nclass C:\n  k = 2.0\n  def get(self): return self.k\nc = C()\nm = operator.methodcaller('get')\ndef f(x): return x * m(c)", "C.k = 5.0"),
    "match statement": ("class C:\n  __match_args__ = ('k',)\n  def __init__(self): self.k = 2.0\nc = C()\ndef f(x):\n  match c:\n    case C(k): return x * k", "c.k = 5.0"),
    "star import of a dictionary": ("d = {'k': 2.0}\ndef g(x, k): return x * k\ndef f(x): return g(x, **d)", "d['k'] = 5.0"),
    "annotation": ("class C:\n  k: float = 2.0\ndef f(x): return x * C.k * len(C.__annotations__)", "C.k = 5.0"),
    "super": ("class B:\n  def g(self, x): return x * 2\nclass C(B):\n  def g(self, x): return super().g(x)\nc = C()\ndef f(x): return c.g(x)", "B.g = lambda self, x: x * 5"),
    "classmethod": ("class C:\n  k = 2.0\n  @classmethod\n  def g(cls, x): return x * cls.k\ndef f(x): return C.g(x)", "C.k = 5.0", "C.g = classmethod(lambda cls, x: x * 7)"),
    "constructor": ("class C:\n  def __init__(self, k): self.k = k * rate\nrate = 2.0\ndef f(x): return x * C(1.0).k", "rate = 5.0"),
    "__new__": ("class C:\n  def __new__(cls):\n    o = super().__new__(cls)\n    o.k = rate[0]\n    return o\nrate = [2.0]\ndef f(x): return x * C().k", "rate[0] = 5.0"),
    "operators of an instance": ("class C:\n  k = 2.0\n  def __add__(self, o): return self.k + o\nc = C()\ndef f(x): return x * (c + 1)", "C.k = 5.0"),
    "truth of an instance": ("class C:\n  on = True\n  def __bool__(self): return self.on\nc = C()\ndef f(x): return x * 2 if c else x", "C.on = False"),
    "time zone": ("import time\nbefore = time.timezone\ndef f(x): return x + time.timezone", "time.timezone = 5", "time.timezone = before"),
    "precision of products": ("def f(x): return x * len(torch_np.get_float32_matmul_precision())", "torch_np.set_float32_matmul_precision('high')",
                              "torch_np.set_float32_matmul_precision('highest')"),
    "named tuple": ("import collections\nP = collections.namedtuple('P', 'a b')\nk = [2.0]\ndef f(x): return x * P(k[0], 1)._replace(b=3.0).a", "k[0] = 5.0"),
    "dataclass made by the function": ("import dataclasses\n@dataclasses.dataclass(order=True)\nclass C:\n  k: float\nrate = 2.0\ndef f(x): return x * max(C(rate), C(1.0)).k", "rate = 5.0"),
    "enumeration": ("import enum\nclass E(enum.Enum): A = 2.0\nmode = [E.A]\ndef f(x): return x * mode[0].value", "E.A._value_ = 5.0"),
    "dataclass": ("import dataclasses\n@dataclasses.dataclass\nclass C:\n  k: float = 2.0\nc = C()\ndef f(x): return x * dataclasses.replace(c).k", "c.k = 5.0"),
    "operator of a class": ("class C:\n  k = 2.0\n  def __rmul__(self, x): return x * self.k\n  def __len__(self): return 3\nc = C()\ndef f(x): return x * len(c)",
                            "C.__len__ = lambda self: 4"),
    "grad mode": ("def f(x): return x * (2 if torch_np.is_grad_enabled() else 3)", "torch_np.set_grad_enabled(False)", "torch_np.set_grad_enabled(True)"),
    "default dtype": ("def f(x): return torch_np.ones(2)", "torch_np.set_default_dtype(torch_np.float64)", "torch_np.set_default_dtype(torch_np.float32)"),
    "hooks of a module": ("layer = torch_np.nn.Linear(2, 2).requires_grad_(False)\ndef f(x): return layer(torch_np.ones(2))", "layer.register_forward_hook(lambda m, i, o: o * 5)"),
    "method of a library's class replaced": ("layer = torch_np.nn.ReLU()\ndef f(x): return layer(torch_np.ones(2))", "Layer = torch_np.nn.ReLU; Layer.forward = lambda self, x: x * 5",
                                             "Layer.forward = forward"),
    "method of a base class in a library replaced": (
        "class L(torch_np.nn.ReLU): pass\nlayer = torch_np.nn.Sequential(L())\nk = 5.0\ndef f(x): return layer(torch_np.ones(2))",
        "torch_np.nn.ReLU.forward = lambda self, x: x * k", "k = 7.0", "torch_np.nn.ReLU.forward = forward"),
    "mode of a module": ("layer = torch_np.nn.Dropout(1.0)\ndef f(x): return layer(torch_np.ones(2))", "layer.eval()", "layer.train()"),
}

BROKEN = {
    "weak reference": ("import weakref\nclass C: pass\nc = C()\nc.k = 2.0\nr = weakref.ref(c)\ndef f(x): return x * r().k", "c.k = 5.0", "'r', which holds an object of the class weakref.ReferenceType"),
    "dead weak reference": ("import weakref\nclass C: pass\nc = C()\nr = weakref.ref(c)\ndef f(x): return x * (2 if r() is None else 3)", "c = C()", "weakref.ReferenceType"),
    "WeakValueDictionary": ("import weakref\nclass C: pass\nc = C()\nc.k = 2.0\nd = weakref.WeakValueDictionary(a=c)\ndef f(x): return x * d['a'].k", "c.k = 5.0", "weakref.KeyedRef"),
    "globals()": ("k = 2.0\ndef f(x): return x * globals()['k']", "k = 5.0", r"it calls globals\(\)"),
    "locals()": ("k = 2.0\ndef f(x):\n  return x * len(locals())", "k = 5.0", r"it calls locals\(\)"),
    "vars()": ("class C: pass\nc = C()\nc.k = 2.0\ndef f(x): return x * vars(c)['k']", "c.k = 5.0", r"it calls vars\(\)"),
    "eval": ("k = 2.0\ndef f(x): return x * eval('k')", "k = 5.0", r"it calls eval\(\)"),
    "exec": ("k = 2.0\ndef f(x):\n  d = {}\n  exec('v = k', globals(), d)\n  return x * d['v']", "k = 5.0", r"it calls (exec|globals)\(\)"),
    "sys._getframe": ("import sys\nk = 2.0\ndef f(x): return x * sys._getframe().f_globals['k']", "k = 5.0", "an attribute f_globals"),
    "line of a frame": ("import sys\ndef f(x): return x * sys._getframe().f_lineno", "", r"sys._getframe\(\)"),
    "source of a function": ("import inspect\ndef f(x): return x * len(inspect.signature(f).parameters)", "", r"inspect.signature\(\)"),
    "inspect": ("import inspect\nk = 2.0\ndef f(x): return x * inspect.currentframe().f_globals['k']", "k = 5.0", "an attribute f_globals"),
    "importlib": ("import importlib\ndef f(x): return x * importlib.import_module('helper_of_a_test').rate", "import helper_of_a_test as m; m.rate = 5.0", r"importlib.import_module\(\)"),
    "sys.modules": ("import sys\ndef f(x): return x * sys.modules['helper_of_a_test'].rate", "import helper_of_a_test as m; m.rate = 5.0", "it reads sys.modules"),
    "gc": ("import gc\nk = [2.0]\ndef f(x): return x * len(gc.get_referents(k))", "k.append(5.0)", r"gc.get_referents\(\)"),
    "function of a global found by globals()": ("def g(x): return x * 2\ndef f(x): return globals()['g'](x)", "g = lambda x: x * 5", r"it calls globals\(\)"),
    "__globals__": ("k = 2.0\ndef g(): pass\ndef f(x): return x * g.__globals__['k']", "k = 5.0", "an attribute __globals__"),
    "frame of a generator": ("k = 2.0\ndef g(): yield\ndef f(x): return x * g().gi_frame.f_globals['k']", "k = 5.0", "an attribute f_globals"),
    "ctypes": ("import ctypes\nv = ctypes.c_double(2.0)\ndef f(x): return x * v.value", "v.value = 5.0", "'v', which holds an object of the class ctypes.c_double"),
    "mmap": ("import mmap\nm = mmap.mmap(-1, 8)\ndef f(x): return x * m[0]", "m[0] = 5", "mmap.mmap"),
    "queue": ("import queue\nq = queue.Queue()\ndef f(x): return x * q.qsize()", "q.put(1)", "queue.Queue.qsize|'q', which|queue"),
    "structured NumPy array": ("import numpy\nw = numpy.zeros(2, dtype=[('a', 'f8')])\ndef f(x): return x + w['a'][0]", "w['a'] = 5.0", "numpy.ndarray"),
    "NumPy void": ("import numpy\nw = numpy.zeros(2, dtype=[('a', 'f8')])[0]\ndef f(x): return x + w['a']", "w['a'] = 5.0", "numpy.void"),
    "StringIO": ("import io\nh = io.StringIO('2')\ndef f(x): return x * len(h.getvalue())", "h.write('345')", "_io.StringIO"),
    "breakpoint hook": ("import sys\ndef f(x): return x * (sys.gettrace() is None)", "sys.settrace(None)", r"sys.gettrace\(\)"),
    "process status": ("import os\nbefore = os.umask(0)\nos.umask(before)\ndef f(x):\n  u = os.umask(0)\n  os.umask(u)\n  return x * u", "os.umask(0o77)\nos.umask(before)", r"posix.umask\(\)"),
    "mapping proxy": ("import types\nd = {'k': 2.0}\nm = types.MappingProxyType(d)\ndef f(x): return x * m['k']", "d['k'] = 5.0", "'m', which holds an object of the class"),
    "context variable": ("import contextvars\nv = contextvars.ContextVar('v', default=2.0)\ndef f(x): return x * v.get()", "v.set(5.0)", "'v', which holds an object of the class"),
    "decimal context": ("import decimal\nfrom decimal import Decimal\ndef f(x): return x * float(Decimal(1) / 3)", "decimal.getcontext().prec = 2", "decimal"),
    "large NumPy array": ("import numpy\nw = numpy.ones(10000)\ndef f(x): return x * float(w[5])", "w[5] = 5.0", "'w', which holds an object of the class numpy.ndarray"),
    "NumPy array of objects": ("import numpy\nw = numpy.array([2.0, None], dtype=object)\ndef f(x): return x * w[0]", "w[0] = 5.0", "numpy.ndarray"),
    "memoryview": ("b = bytearray(b'\\x02')\nm = memoryview(b)\ndef f(x): return x * m[0]", "b[0] = 5", "builtins.memoryview"),
    "file": ("import tempfile\nh = tempfile.NamedTemporaryFile('w+', delete=False)\nh.write('2')\nh.flush()\nname = h.name\ndef f(x):\n  with open(name) as h: return x * float(h.read())",
             "h.seek(0); h.write('5'); h.flush()", r"open\(\)"),
    "array in a file": ("import tempfile\nname = tempfile.mkdtemp() + '/a.npy'\nnp.save(name, np.ones(2))\ndef f(x): return x * np.load(name)", "np.save(name, np.ones(2) * 5)", r"load|open\(\)"),
    "raw file": ("import tempfile, pathlib\np = pathlib.Path(tempfile.mkdtemp()) / 'a'\np.write_bytes(b'ab')\ndef f(x): return x * np.fromfile(str(p), dtype='u1')", "p.write_bytes(b'cd')", "fromfile"),
    "raw file, by a name of its own": ("import tempfile, pathlib\np = pathlib.Path(tempfile.mkdtemp()) / 'a'\np.write_bytes(b'ab')\nread = np.fromfile\ndef f(x): return x * read(str(p), dtype='u1')",
                                       "p.write_bytes(b'cd')", "fromfile"),
    "text file": ("import tempfile, pathlib\np = pathlib.Path(tempfile.mkdtemp()) / 'a'\np.write_text('2 3')\ndef f(x): return x * np.loadtxt(str(p))", "p.write_text('5 6')", "loadtxt|open"),
    "saved tensors": ("import tempfile\nname = tempfile.mkdtemp() + '/a'\ntorch_np.save(torch_np.ones(2), name)\ndef f(x): return x * np.asarray(torch_np.load(name))",
                      "torch_np.save(torch_np.ones(2) * 5, name)", "load|memory is exported"),
    "pickle": ("import pickle\nk = 2.0\ndef f(x): return x * pickle.loads(b'cprogram_of_a_test\\nk\\n.')", "k = 5.0", "loads"),
    "pathlib file": ("import tempfile, pathlib\np = pathlib.Path(tempfile.mkdtemp()) / 'a'\np.write_text('2')\ndef f(x): return x * float(p.read_text())", "p.write_text('5')", r"open\(\)"),
    "existence of a file": ("import tempfile, os\nname = tempfile.mkdtemp() + '/a'\ndef f(x): return x * (5 if os.path.exists(name) else 2)", "open(name, 'w').close()", r"stat\(\)"),
    "working directory": ("import os\nhere = os.getcwd()\ndef f(x): return x * len(os.getcwd())", "os.chdir('/')\nos.chdir(here)", r"posix.getcwd\(\)"),
    "hash": ("class C:\n  k = 2\n  def __hash__(self): return self.k\nc = C()\ndef f(x): return x * hash(c)", "C.k = 5", r"it calls hash\(\)"),
    "number of threads": ("n = torch_np.get_num_threads()\ndef f(x): return x * torch_np.get_num_threads()", "torch_np.set_num_threads(1)\ntorch_np.set_num_threads(n)", "get_num_threads"),
    "error state": ("def f(x): return x * (2 if np.geterr()['over'] == 'warn' else 3)", "np.seterr(over='ignore')\nnp.seterr(over='warn')", "geterr"),
    "print options": ("def f(x): return x * np.get_printoptions()['precision']", "np.set_printoptions(precision=5)\nnp.set_printoptions(precision=8)", "get_printoptions"),
    "state of random numbers": ("def f(x): return x * torch_np.initial_seed()", "torch_np.manual_seed(5)", "initial_seed"),
    "calendar": ("import calendar\ndef f(x): return x * calendar.firstweekday()", "calendar.setfirstweekday(5)\ncalendar.setfirstweekday(0)", "firstweekday"),
    "recursion limit": ("import sys\nn = sys.getrecursionlimit()\ndef f(x): return x * sys.getrecursionlimit()", "sys.setrecursionlimit(n + 5)\nsys.setrecursionlimit(n)", r"sys.getrecursionlimit\(\)"),
    "subclasses": ("class C: pass\nmade = []\ndef f(x): return x * len(C.__subclasses__())", "made.append(type('D', (C,), {}))", "__subclasses__"),
    "level of a logger": ("import logging\nlog = logging.getLogger('torch_np.test')\ndef f(x): return x * (5 if log.isEnabledFor(10) else 2)", "log.setLevel(10)\nlog.setLevel(40)", "isEnabledFor"),
    "attribute of a logger": ("import logging\nlog = logging.getLogger('torch_np.test2')\ndef f(x): return x * log.level", "log.setLevel(10)", "'level'|logging"),
    "cache": ("import functools\nk = [2.0]\n@functools.lru_cache\ndef g(): return k[0]\ndef f(x): return x * g()", "k[0] = 5.0\ng.cache_clear()", "cache"),
    "thread": ("import threading\nt = threading.local()\nt.k = 2.0\ndef f(x): return x * t.k", "t.k = 5.0", "thread"),
}

# Results that differ at each call, or on each machine: only the reason is compared.
CLOCKS = {
    "time.time()": "import time\ndef f(x): return x + time.time()",
    "time.perf_counter()": "from time import perf_counter\ndef f(x): return x + perf_counter()",
    "map(time.time)": "import time\ndef f(x): return x + sum(g() for g in [time.time])",
    "time.monotonic()": "import time\ndef g(h): return max(map(lambda i: h(), [0]))\ndef f(x): return x + g(time.monotonic)",
    "partial of time.time()": "import time, functools\ng = functools.partial(time.time)\ndef f(x): return x + g()",
    "sorted(key=random)": "import random\ndef f(x): return x + sorted([1, 2, 3], key=lambda _: random.random())[0]",
    "map of random": "import random\ndef f(x): return x + list(iter(random.random, 2.0).__next__() for _ in range(1))[0]",
    "random.random()": "import random\ndef f(x): return x + random.random()",
    "random.choice()": "import random\ndef f(x): return x + random.choice([1, 2, 3])",
    "random.Random()": "from random import Random\ndef f(x): return x + Random().random()",
    "random.gauss()": "import random\ndef f(x): return x + random.gauss(0, 1)",
    "os.getpid()": "import os\ndef f(x): return x + os.getpid()",
    "os.urandom()": "import os\ndef f(x): return x + os.urandom(1)[0]",
    "uuid": "import uuid\ndef f(x): return x + uuid.uuid4().int % 7",
    "secrets": "import secrets\ndef f(x): return x + secrets.randbelow(7)",
    "methodcaller of random": "import operator, random\nm = operator.methodcaller('random')\nr = random.Random(1)\ndef f(x): return x + m(r)",
    "random numbers of an instance": "import random\nr = random.Random(1)\ndef f(x): return x + r.random()",
    "alias of a clock": "from time import time as t\ndef f(x): return x + t()",
    "alias in a table": "import time\ntable = {'t': time.time}\ndef f(x): return x + table['t']()",
    "map of an item": "import time\ntable = {'t': time.time}\ndef f(x): return x + max(map(lambda g: 0, [table['t']]))",
    "map of a default": "import time\ndef f(x, clock=time.time): return x + next(iter(clock, None))",
    "datetime.now passed on": "import datetime\ndef g(h): return next(iter(h, None)).microsecond\ndef f(x): return x + g(datetime.datetime.now)",
    "methodcaller of now": "import datetime, operator\nm = operator.methodcaller('now')\ndef f(x): return x + m(datetime.datetime).microsecond",
    "alias of globals": "g = globals\ndef f(x): return x * len(g())",
    "clock in a default": "import time\ndef f(x, clock=time.time): return x + clock()",
    "clock in a method": "import time\nclass C:\n  t = staticmethod(time.time)\n  def g(self): return self.t()\nc = C()\ndef f(x): return x + c.g()",
    "clock in a helper": "import time\ndef g(): return [time.time() for _ in range(1)][0]\ndef f(x): return x + g()",
    "clock two functions deep": "import time\ndef h(*a): return time.time_ns() % 7\ndef g(): return h(*[1])\ndef f(x): return x + g()",
    "subprocess": "import subprocess\ndef f(x): return x + len(subprocess.run(['true'], capture_output=True).stdout)",
    "times of the process": "import os\ndef f(x): return x + os.times()[0]",
    "datetime.now()": "import datetime\ndef f(x): return x + datetime.datetime.now().microsecond",
    "date.today()": "from datetime import date\ndef f(x): return x + date.today().day",
    "id()": "def f(x): return x * 0 + id(x) % 1000",
    "id() of a local": "def f(x):\n  y = x * 2\n  return y + id(y) % 1000",
    "hash(str)": "def f(x): return x + hash('abc') % 7",
    "threading.get_ident()": "import threading\ndef f(x): return x + threading.get_ident() % 7",
    "current_thread()": "import threading\ndef f(x): return x + len(threading.current_thread().name)",
    "input()": "import io, sys\ndef f(x):\n  sys.stdin = io.StringIO('2')\n  return x + float(input())",
    "gc.get_count()": "import gc\ndef f(x): return x + gc.get_count()[0]",
    "resource": "import resource\ndef f(x): return x + resource.getrusage(resource.RUSAGE_SELF).ru_maxrss",
    "platform": "import platform\ndef f(x): return x + len(platform.node())",
    "socket": "import socket\ndef f(x): return x + len(socket.gethostname())",
    "stack": "import traceback\ndef f(x): return x + len(traceback.extract_stack())",
    "default_rng()": "def f(x): return x + np.random.default_rng().random()",
    "numpy.random": "import numpy\ndef f(x): return x + numpy.random.default_rng().random()",
    "memory": "import tracemalloc\ndef f(x): return x + tracemalloc.get_traced_memory()[0]",
    "signal": "import signal\ndef f(x): return x + int(signal.getsignal(signal.SIGTERM) is None)",
    "locale": "import locale\ndef f(x): return x + len(locale.getlocale())",
    "strftime": "import time\ndef f(x): return x + len(time.strftime('%A'))",
    "iterator": "import itertools\nc = itertools.count()\ndef f(x): return x * next(c)",
    "generator": "def g():\n  for i in range(100): yield i\nc = g()\ndef f(x): return x * next(c)",
    "iterator in an attribute": "class C: pass\nc = C()\nc.i = iter(range(100))\ndef f(x): return x * next(c.i)",
    "bound method of an iterator": "c = iter(range(100)).__next__\ndef f(x): return x * c()",
    "reference count": "import sys\nk = [1]\nmore = []\ndef f(x): return x * sys.getrefcount(k)",
}

# Calls that are no graph breaks.
ORDINARY = [
    "sum(itertools.chain.from_iterable([[1], [2]]))", "list(itertools.accumulate([1, 2]))[-1]", "len(dict.fromkeys([1, 2]))", "int.from_bytes(b'a', 'big')", "float.fromhex('0x1p1')",
    "len('ab'.translate(str.maketrans('a', 'b')))", "len(os.path.join('a', 'b'))", "len(os.path.splitext('a.b')[1])", "collections.Counter('aab').most_common(1)[0][1]",
    "statistics.mean([1, 2])", "float(fractions.Fraction(1, 3) + 1)", "len(re.sub('a+', 'b', 'aaa'))", "json.loads(json.dumps({'a': 1.5}))['a']", "len(string.Template('$a').substitute(a='b'))",
    "len(textwrap.dedent('  a'))", "heapq.nsmallest(1, [2, 1])[0]", "typing.cast(float, 2.0)", "dataclasses.asdict(c)['k']", "copy.deepcopy(c).k", "copy.copy([c])[0].k", "len(dataclasses.fields(c))",
    "functools.reduce(operator.mul, [1, 2])", "functools.partial(operator.mul, 2)(3)", "isinstance(2.0, numbers.Number)", "[log.info('a %s', 1), 2][1]", "[warnings.warn('a'), 2][1]",
    "[print(end=''), 2][1]", "len('{:.2f} {}'.format(2.0, 'a'))", "len(','.join(map(str, [1, 2])))", "sorted([1, 2], key=lambda v: -v)[0]", "math.prod([1, 2])", "bisect.bisect([1, 2], 1.5)",
    "collections.namedtuple('P', 'a')(2.0).a", "[lock.__enter__(), 2, lock.__exit__(None, None, None)][1]", "np.linalg.norm(np.apply_along_axis(lambda v: v * 2, 0, x))", "np.median(np.gradient(x))",
    "np.histogram(x, bins=2)[0]", "np.finfo(np.float64).eps", "np.concatenate([x, x])[0]", "np.einsum('i,i->', x, x)"]

HELPER = """
    rate = 2.0
    def scaled(x, k=2.0): return x * k
    def by_rate(x): return x * rate
    def make():
        k = 2.0
        def closed(x): return x * k
        def put(v):
            nonlocal k
            k = v
        return closed, put
    closed, put = make()
    def __getattr__(name):
        if name == "computed": return rate * 2
        raise AttributeError(name)
    """


@pytest.fixture
def program(monkeypatch):
    helper = types.ModuleType("helper_of_a_test")
    exec(textwrap.dedent(HELPER), vars(helper))
    monkeypatch.setitem(sys.modules, helper.__name__, helper)
    module = types.ModuleType("program_of_a_test")
    vars(module).update(np=np, torch_np=torch_np, old=np.sin, old_cos=np.cos, forward=torch_np.nn.ReLU.forward)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for name in ("sin", "cos"):
        monkeypatch.setattr(np, name, getattr(np, name))  # restores it
    monkeypatch.setattr(math, "sqrt", math.sqrt)
    monkeypatch.setattr(torch_np.nn.ReLU, "forward", torch_np.nn.ReLU.forward)

    def run(text):
        exec(compile(text, "<program>", "exec"), vars(module))
        return vars(module)
    return run


def values(array):
    return (str(array.dtype), tuple(array.shape), torch_np.numpy.asarray(array).tobytes())


def follow(run, text, changes):
    names = run(text)
    compiled = torch_np.compile(names["f"])
    for change in ("", *changes):
        run(change)
        for _ in range(2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                got, expected = compiled(np.array([1.5, -2.0])), names["f"](np.array([1.5, -2.0]))
            assert values(got) == values(expected), change
    return compiled


@pytest.mark.parametrize("name", GUARDED)
def test_guards_notice(program, name):
    text, *changes = GUARDED[name]
    compiled = follow(program, text, changes)
    s = compiled.statistics()
    assert s["plain"] == 0 and s["reasons"] == [] and s["replayed"] >= 2 and s["recorded"] <= len(changes) + 1, s


@pytest.mark.parametrize("name", BROKEN)
def test_graph_breaks(program, name):
    text, changes, reason = BROKEN[name]
    compiled = follow(program, text, changes.splitlines())
    s = compiled.statistics()
    assert s["replayed"] == 0 and s["reasons"] and all(re.search(reason, r) for r in s["reasons"]), s


@pytest.mark.parametrize("expression", ORDINARY)
def test_ordinary_calls_are_recorded(program, expression):
    modules = "itertools os collections statistics fractions re json string textwrap heapq typing dataclasses copy functools operator numbers logging warnings math bisect threading"
    setup = f"import {', '.join(modules.split())}\n@dataclasses.dataclass\nclass C:\n  k: float = 2.0\nc, log, lock = C(), logging.getLogger('torch_np.ordinary'), threading.Lock()\n"
    compiled = follow(program, setup + f"def f(x): return x * {expression}", [])
    s = compiled.statistics()
    assert (s["recorded"], s["replayed"], s["plain"], s["reasons"]) == (1, 1, 0, [])


@pytest.mark.parametrize("name", CLOCKS)
def test_calls_that_depend_on_hidden_state_are_graph_breaks(program, name):
    compiled = torch_np.compile(program(CLOCKS[name])["f"])
    stdin = sys.stdin
    try:
        for expected in (1, 0):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                compiled(np.ones(2))
            assert len([w for w in caught if "runs uncompiled" in str(w.message)]) == expected
    finally:
        sys.stdin = stdin
    s = compiled.statistics()
    assert s["replayed"] == 0 and len(s["reasons"]) == 1 and re.search(r"\(<program>:\d+\)$|drawn by code", s["reasons"][0]), s
