"""State that the functions of compiled_state.py read besides their arguments: how it is made, read
and changed.

`@` stands for a number that makes names unique, `$` for the text of a random value. A line break
begins a new statement, as usual.
"""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of state: statements that make it, expressions that read it, and statements that
    change it. `values`: what `$` stands for. `is_array`: whether `reads` give arrays."""

    make: str
    reads: tuple[str, ...]
    changes: tuple[str, ...]
    values: str = "numbers"
    is_array: bool = False
    share: float = 1.0


VALUES = {
    "numbers": ("2.0", "0.5", "-1.5", "3.0", "1.0", "0.0", "-0.0", "1", "2", "3", "0", "-2", "True", "False", "math.nan", "math.inf", "2**40", "1e-3", "np.float32(0.5)",
                "numpy.float64(2.5)", "numpy.int8(3)", "1e300"),
    "any": ("2.0", "0.0", "-0.0", "1", "1.0", "True", "0j", "-2j", "2**70", "-2**64", "1e-320", "math.nan", "-math.nan", "None"),
    "small": ("0", "1", "2", "3"),
    "texts": ("'a'", "'ab'", "'b'", "''", "'\\udc80'", "'a\\udcff'", "'\\U0001f600'", "'ä'", "b'a'", "b''"),
    "lists": ("[2.0, 0.5]", "[1.5, -1.0]", "[0.0, 3.0]", "[-0.0, 3.0]", "[math.nan, 1.0]", "[2, 3]", "[1e-3, 1e3]"),
    "dtypes": ("'f8'", "'f4'", "'i8'", "'i4'", "'?'", "'c16'"),
}

NUMBERS: dict[str, Kind] = {
    "global": Kind("k@ = $", ("k@",), ("k@ = $", "k@ = $", "other@ = $", "del k@")),
    "any global": Kind("k@ = $", ("k@",), ("k@ = $",), "any"),
    "large int": Kind("k@ = 2**70 + 1", ("k@ % 7", "float(k@ >> 70)"), ("k@ = 2**70 + $", "k@ = $"), "small"),
    "cell": Kind("def mk@():\n    k = $\n    def get(): return k\n    def put(v):\n        nonlocal k\n        k = v\n    return get, put\nget@, put@ = mk@()", ("get@()",), ("put@($)",)),
    "cell of a closure that is written": Kind("def mk@():\n    k = [$, $]\n    def get(i=0): return k[i]\n    return get, k\nget@, cell@ = mk@()", ("get@()", "get@(1)", "get@(i=1)"),
                                              ("cell@[0] = $", "cell@[1] = $", "cell@.insert(0, $)")),
    "contents of a cell": Kind("def mk@(k): return lambda: k\nget@ = mk@($)", ("get@()", "get@.__closure__[0].cell_contents"), ("get@.__closure__[0].cell_contents = $",)),
    "default": Kind("def d@(v=$, *, w=$): return v", ("d@()", "d@(*())"), ("d@.__defaults__ = ($,)", "d@.__kwdefaults__ = {'w': $}", "d@.__defaults__ = None")),
    "keyword default": Kind("def d@(*, v=$): return v", ("d@()", "d@(**{})"), ("d@.__kwdefaults__['v'] = $", "d@.__kwdefaults__ = {'v': $}", "d@.__kwdefaults__ = None")),
    "list in a default": Kind("def d@(v=[$, $]): return v[-1]", ("d@()",), ("d@.__defaults__[0].append($)", "d@.__defaults__[0][-1] = $", "d@.__defaults__ = ([$],)")),
    "code": Kind("def d@(v=1): return $", ("d@()",), ("d@.__code__ = (lambda v=1: $).__code__", "d@ = lambda: $")),
    "attribute of a function": Kind("def d@(): return d@.v\nd@.v = $", ("d@()", "d@.v", "getattr(d@, 'v', 2.0)"), ("d@.v = $", "d@.w = $", "del d@.v", "d@.__dict__['v'] = $")),
    "attribute": Kind("class C@: pass\nc@ = C@()\nc@.v = $", ("c@.v", "getattr(c@, 'v')", "c@.__dict__['v']", "getattr(c@, 'u', 3.0)"),
                      ("c@.v = $", "c@.u = $", "c@.__dict__['v'] = $", "c@ = C@(); c@.v = $", "del c@.v", "C@.u = $", "C@.v = $")),
    "attribute of an attribute": Kind("class C@: pass\nc@ = C@()\nc@.c = C@()\nc@.c.v = [$, $]", ("c@.c.v[0]", "len(c@.c.v)"), ("c@.c.v[0] = $", "c@.c.v = [$]", "c@.c = C@(); c@.c.v = [$]")),
    "class attribute": Kind("class C@:\n    v = $\nc@ = C@()", ("C@.v", "c@.v", "type(c@).v"), ("C@.v = $", "c@.v = $", "setattr(C@, 'v', $)", "C@.u = $", "C@ = type('C@', (), {'v': $})")),
    "base class": Kind("class B@:\n    v = $\nclass C@(B@): pass\nc@ = C@()", ("c@.v", "C@.v"), ("B@.v = $", "C@.v = $", "c@.v = $", "C@.__bases__ = (type('D@', (), {'v': $}),)")),
    "metaclass": Kind("class M@(type):\n    v = $\nclass C@(metaclass=M@): pass", ("C@.v",), ("M@.v = $", "C@.v = $")),
    "slots": Kind("class C@:\n    __slots__ = ('v', 'u')\nc@ = C@()\nc@.v = $", ("c@.v", "getattr(c@, 'u', 2.0)", "getattr(c@, 'v')"),
                  ("c@.v = $", "c@.u = $", "del c@.v", "c@ = C@(); c@.v = $", "C@.v.__set__(c@, $)")),
    "property": Kind("q@ = $\nclass C@:\n    s = $\n    @property\n    def v(self): return type(self).s if self.s else q@\nc@ = C@()", ("c@.v",),
                     ("q@ = $", "C@.s = $", "c@.s = $", "C@.v = property(lambda self: $)")),
    "descriptor": Kind("class D@:\n    v = $\n    def __get__(self, o, t=None): return self.v\nclass C@:\n    v = D@()\nc@ = C@()", ("c@.v", "C@.v"),
                       ("vars(C@)['v'].v = $", "D@.v = $", "C@.v = $", "c@.v = $", "D@.__set__ = lambda s, o, v: None")),
    "cached property": Kind("class C@:\n    q = $\n    @functools.cached_property\n    def v(self): return self.q\nc@ = C@()\nc@.v", ("c@.v",), ("c@.__dict__['v'] = $", "C@.q = $", "del c@.v; c@.v")),
    "__getattr__": Kind("class C@:\n    t = {'v': $}\n    def __getattr__(self, n):\n        if n in self.t: return self.t[n]\n        raise AttributeError(n)\nc@ = C@()", ("c@.v", "getattr(c@, 'u', 2.0)"),
                        ("C@.t['v'] = $", "C@.t['u'] = $", "c@.v = $", "C@.t = {'v': $}")),
    "method": Kind("class C@:\n    s = $\n    def m(self, v=$): return self.s\nc@ = C@()\nm@ = c@.m", ("c@.m()", "C@.m(c@)", "m@()"),
                   ("C@.s = $", "c@.s = $", "C@.m = lambda self, v=1: $", "c@.m = lambda: $", "C@.m.__defaults__ = ($,)", "m@ = (lambda: $)")),
    "class and static methods": Kind("class C@:\n    v = $\n    @classmethod\n    def m(cls): return cls.v\n    @staticmethod\n    def s(v=$): return v\nc@ = C@()", ("C@.m()", "c@.s()", "c@.m()"),
                                     ("C@.v = $", "C@.m = classmethod(lambda cls: $)", "C@.s = staticmethod(lambda: $)", "C@.s.__defaults__ = ($,)")),
    "special methods": Kind("class C@:\n    n = 2\n    def __len__(self): return self.n\n    def __bool__(self): return self.n > 1\n    def __call__(self): return self.n\n"
                            "    def __getitem__(self, i): return self.n + i\n    def __contains__(self, i): return i == self.n\n    def __iter__(self): return iter([self.n, 1])\n"
                            "    def __float__(self): return float(self.n)\n    def __add__(self, o): return self.n + o\n    def __eq__(self, o): return self.n == o\n    __hash__ = None\nc@ = C@()",
                            ("len(c@)", "(3 if c@ else 4)", "c@()", "c@[1]", "(2 in c@)", "sum(c@)", "float(c@)", "c@ + 1", "(c@ == 2)"),
                            ("C@.n = $", "c@.n = $", "C@.__len__ = lambda s: 3", "C@.__call__ = lambda s: $", "C@.__bool__ = lambda s: False", "C@.__add__ = lambda s, o: $"), "small"),
    "constructor": Kind("r@ = [$]\nclass C@:\n    def __init__(self, k=1): self.v = k * r@[0]\n", ("C@().v", "C@(2).v"), ("r@[0] = $", "C@.__init__ = lambda self, k=1: setattr(self, 'v', $)")),
    "super": Kind("class B@:\n    v = $\n    def m(self): return self.v\nclass C@(B@):\n    def m(self): return super().m()\nc@ = C@()", ("c@.m()",), ("B@.v = $", "B@.m = lambda self: $", "c@.v = $")),
    "class of an instance": Kind("class C@:\n    v = $\nclass D@:\n    v = $\nc@ = C@()", ("c@.v", "float(isinstance(c@, D@))"), ("c@.__class__ = D@", "c@.__class__ = C@", "D@.v = $")),
    "name of a class": Kind("class C@: pass\ndef d@(): 'doc'", ("len(C@.__name__)", "len(d@.__name__)", "len(d@.__doc__ or '')"), ("C@.__name__ = 'C' * 5", "d@.__name__ = 'abc'", "d@.__doc__ = None")),
    "list": Kind("l@ = [$, $]", ("l@[0]", "l@[-1]", "len(l@)", "sum(l@)", "[v for v in l@][0]", "max(l@, default=1)", "(l@ or [2.0])[0]"),
                 ("l@[0] = $", "l@.append($)", "l@.pop()", "l@ = [$, $]", "l@.reverse()", "l@.clear()", "l@[:] = [$]", "l@ += [$]", "l@[0] = -0.0")),
    "nested lists": Kind("l@ = [[$], ($, [$])]", ("l@[0][0]", "l@[1][1][0]", "l@[1][0]"), ("l@[0][0] = $", "l@[1][1][0] = $", "l@[1] = ($, [$])", "l@.insert(0, [$])")),
    "dict": Kind("d@ = {'a': $, 'b': $}", ("d@['a']", "d@.get('c', 2.0)", "sum(d@.values())", "len(d@)", "next(iter(d@.values()))", "float('c' in d@)", "[*d@.items()][-1][1]", "{**d@}['b']"),
                 ("d@['a'] = $", "d@['c'] = $", "d@.pop('a', 0)", "d@['b'] = d@.pop('b', $)", "d@ = {'a': $, 'b': $}", "d@.update(c=$)", "d@.setdefault('c', $)")),
    "dict of several keys": Kind("d@ = {1: $, 2.5: $, None: $, (1, 'a'): $, True: $}", ("d@[1]", "d@[1.0]", "d@[None]", "d@[1, 'a']"), ("d@[1] = $", "d@[None] = $", "d@[1, 'a'] = $", "d@[2.5] = $")),
    "OrderedDict": Kind("d@ = collections.OrderedDict(a=$, b=$)", ("next(iter(d@.values()))", "d@['a']", "sum(d@.values())", "list(reversed(d@.values()))[0]"),
                        ("d@.move_to_end('a')", "d@.move_to_end('b', last=False)", "d@['a'] = $", "d@['c'] = $", "d@.popitem()")),
    "defaultdict": Kind("d@ = collections.defaultdict(lambda: $)\nd@['a'] = $", ("d@['a']", "d@.default_factory()", "d@.get('z', 1)"), ("d@.default_factory = lambda: $", "d@['a'] = $")),
    "Counter": Kind("d@ = collections.Counter('aab')", ("d@['a']", "d@['z']", "sum(d@.values())"), ("d@['a'] = $", "d@['z'] = $", "d@.update('bb')"), "small"),
    "ChainMap": Kind("e@ = {'v': $}\nd@ = collections.ChainMap({}, e@)", ("d@['v']",), ("e@['v'] = $", "d@['v'] = $", "d@.maps.reverse()")),
    "SimpleNamespace": Kind("c@ = types.SimpleNamespace(v=$)", ("c@.v", "getattr(c@, 'u', 2.0)"), ("c@.v = $", "c@.u = $", "del c@.v", "c@ = types.SimpleNamespace(v=$)")),
    "dataclass": Kind("c@ = Data(v=$)", ("c@.v", "dataclasses.replace(c@, u=1).v", "dataclasses.asdict(c@)['v']"), ("c@.v = $", "c@ = Data(v=$)", "c@.w = $", "object.__setattr__(c@, 'v', $)")),
    "namedtuple": Kind("c@ = Pair($, [$])", ("c@.a", "c@[0]", "c@.b[0]", "c@._replace(a=2.0).b[0]"), ("c@ = Pair($, [$])", "c@.b[0] = $", "c@.b.append($)")),
    "enumeration": Kind("c@ = [Color.RED]", ("c@[0].value", "float(c@[0] is Color.RED)"), ("c@[0] = Color.BLUE", "c@[0] = Color.RED")),
    "set": Kind("s@ = {1, 2}", ("sum(s@)", "len(s@)", "float(3 in s@)", "max(s@)", "len(s@ | {7})"), ("s@.add($)", "s@.discard(1)", "s@ = {$}", "s@.clear()", "s@ ^= {3}"), "small"),
    "frozenset": Kind("s@ = frozenset((1, 2))", ("sum(s@)", "float(3 in s@)"), ("s@ = frozenset(($, 3))", "s@ |= {$}"), "small"),
    "deque": Kind("d@ = collections.deque([$, $], maxlen=3)", ("d@[0]", "len(d@)", "d@[-1]", "sum(d@)"), ("d@.rotate()", "d@.append($)", "d@[0] = $", "d@.popleft()", "d@.appendleft($)")),
    "tuple": Kind("t@ = ($, ($, 'a'))", ("t@[0]", "t@[1][0]", "len(t@)"), ("t@ = ($, ($, 'a'))", "t@ += ($,)")),
    "array.array": Kind("b@ = array.array('d', [2.0, 0.5])", ("b@[0]", "len(b@)", "sum(b@)"), ("b@[0] = $", "b@.append($)", "b@ = array.array('i', [$])"), "small"),
    "bytearray": Kind("b@ = bytearray(b'\\x02\\x05')", ("b@[0]", "len(b@)"), ("b@[0] = $", "b@.append($)", "b@ = bytes([$, 2])", "b@ += b'a'"), "small"),
    "memoryview": Kind("b@ = bytearray(b'\\x02\\x05')\nm@ = memoryview(b@)", ("m@[0]", "len(m@)"), ("b@[0] = $",), "small", share=0.2),
    "count": Kind("i@ = itertools.count(1)", ("next(i@)",), ("i@ = itertools.count($)", "next(i@)"), "small", share=0.3),
    "iterator": Kind("i@ = iter([1, 2, 3, 4, 5, 6, 7, 8, 9] * 9)", ("next(i@)", "next(i@, 2)"), ("next(i@)", "i@ = iter([$] * 30)"), "small", share=0.3),
    "generator": Kind("def g@():\n    v = $\n    while True:\n        w = yield v\n        v = v + 1 if w is None else w\ni@ = g@()\nnext(i@)", ("next(i@)",), ("i@.send($)",), "small", share=0.3),
    "MappingProxyType": Kind("d@ = {'v': $}\nm@ = types.MappingProxyType(d@)", ("m@['v']", "m@.get('u', 2.0)"), ("d@['v'] = $", "d@['u'] = $"), share=0.3),
    "ContextVar": Kind("v@ = contextvars.ContextVar('v@', default=$)", ("v@.get()",), ("v@.set($)",), share=0.3),
    "environment": Kind("os.environ['FUZZ_@'] = '2'", ("float(os.environ['FUZZ_@'])", "float(os.environ.get('FUZZ_@', '7'))", "float(os.getenv('FUZZ_@', '7'))", "float('FUZZ_@' in os.environ)"),
                        ("os.environ['FUZZ_@'] = '$'", "os.environ.pop('FUZZ_@', None)", "os.environ['FUZZ_B@'] = '$'"), "small"),
    "weakref": Kind("class C@: pass\nc@ = C@()\nc@.v = $\nr@ = weakref.ref(c@)", ("r@().v", "float(r@() is None)", "(r@() or types.SimpleNamespace(v=2.0)).v"),
                    ("c@.v = $", "c@ = C@(); c@.v = $", "c@ = C@(); c@.v = $; r@ = weakref.ref(c@)")),
    "WeakValueDictionary": Kind("class C@: pass\nc@ = C@()\nc@.v = $\nr@ = weakref.WeakValueDictionary(a=c@)", ("r@['a'].v",), ("c@.v = $", "c@ = C@(); c@.v = $; r@['a'] = c@"), share=0.5),
    "partial": Kind("p@ = functools.partial(lambda k, v=1: k, $, v=$)", ("p@()", "p@.args[0]", "p@.keywords['v']"), ("p@.keywords['v'] = $", "p@.__setstate__((p@.func, ($,), {'v': $}, None))", "p@ = functools.partial(lambda k: k, $)")),
    "operator.attrgetter": Kind("c@ = types.SimpleNamespace(v=$, u=$)\ng@ = operator.attrgetter('v')", ("g@(c@)", "operator.itemgetter(1)([c@.v, c@.u])"), ("c@.v = $", "c@.u = $", "g@ = operator.attrgetter('u')")),
    "text": Kind("s@ = $", ("len(s@)", "float(s@ == 'ab')", "float(s@[:1] == 'a')", "float(s@ < 'b')", "len(s@ * 2)", "float('a' in s@)"), ("s@ = $", "s@ += 'a'"), "texts"),
    "key that is a text": Kind("d@ = {$: 2.0}", ("d@.get('a', 1.0)", "d@.get('\\udc80', 1.0)", "len(d@)"), ("d@[$] = 3.0", "d@.clear()", "d@ = {$: 5.0}"), "texts"),
    "module": Kind("mod@ = types.ModuleType('fuzz_mod@')\nsys.modules['fuzz_mod@'] = mod@\nmod@.v = $\nexec('def scaled(): return v', vars(mod@))", ("mod@.v", "mod@.scaled()", "getattr(mod@, 'u', 2.0)"),
                   ("mod@.v = $", "mod@.u = $", "mod@.scaled = lambda: $", "del mod@.v", "mod@.__getattr__ = lambda n: $")),
    "math patched": Kind("math_sqrt = math.sqrt", ("math.sqrt(4.0)", "math.pi", "math.floor(2.5)"), ("math.sqrt = lambda v: $", "math.pi = $", "math.sqrt = math_sqrt"), share=0.5),
    "builtin hidden": Kind("", ("len([1, 2])", "abs(-2)", "max(1, 2)", "sum([1, 2])"), ("len = lambda v: $", "abs = lambda v: $", "sum = lambda v: $", "del len"), "small"),
    "builtin": Kind("builtins.fuzz_v@ = $", ("fuzz_v@",), ("builtins.fuzz_v@ = $", "fuzz_v@ = $")),
    "grad mode": Kind("", ("(2.0 if torch_np.is_grad_enabled() else 3.0)",), ("torch_np.set_grad_enabled(False)", "torch_np.set_grad_enabled(True)")),
    "default dtype": Kind("", ("torch_np.finfo(torch_np.get_default_dtype()).bits", "torch_np.ones(2).itemsize", "torch_np.tensor(0.5).element_size()"),
                          ("torch_np.set_default_dtype(torch_np.float64)", "torch_np.set_default_dtype(torch_np.float32)")),
    "NumPy array": Kind("w@ = numpy.array($)", ("float(w@[0])", "w@[1]", "w@.sum()", "len(w@)", "w@.max().item()"),
                        ("w@[0] = 5.0", "w@[...] = -0.0", "w@ = numpy.array($)", "w@ = w@[::-1]", "w@.shape = (-1, 1)", "w@.sort()", "w@.flags.writeable = False", "w@ = w@.astype('f4')"), "lists"),
    "NumPy 0-d": Kind("w@ = numpy.array(2.0)", ("float(w@)", "w@.item()", "w@ + 1"), ("w@[...] = $", "w@ = numpy.array($)", "w@ += 1"), "small"),
    "NumPy scalar": Kind("w@ = numpy.float64($)", ("w@", "w@.item()", "w@ * 2"), ("w@ = numpy.float32($)", "w@ = numpy.float64($)", "w@ = numpy.int8(3)")),
    "element of ours": Kind("w@ = np.array($)", ("float(w@[0])", "w@[1]", "w@.sum()", "len(w@)", "w@.item(0)"), ("w@[0] = 5.0", "w@[...] = -0.0", "w@ = np.array($)", "w@ *= 2", "w@.fill(3)"), "lists"),
    "shape of ours": Kind("w@ = np.array($)", ("w@.shape[0]", "w@.ndim", "w@.itemsize", "w@.strides[0]", "float(w@.flags.writeable)", "w@.size"),
                          ("w@.setflags(write=True), w@.resize((3,), refcheck=False)", "w@ = w@[None]", "w@ = np.zeros((2, 2), dtype=$)", "w@.flags.writeable = False", "w@.shape = (-1, 1)"), "lists"),
    "error state": Kind("", ("1.0", "float(np.geterr()['divide'] == 'warn')"), ("np.seterr(divide='ignore', over='ignore', invalid='ignore', under='ignore')", "np.seterr(divide='raise', invalid='raise')",
                                                                                 "np.seterr(divide='warn', over='warn', invalid='warn')"), share=0.5),
}

# Reads that give arrays, of whichever face: the generator converts them.
ARRAYS: dict[str, Kind] = {
    "array": Kind("w@ = np.array($)", ("w@", "w@[::-1]", "w@[:1]", "w@._torch()._np_compat()"),
                  ("w@[...] = 3.0", "w@[0] = -0.0", "w@ = np.array($)", "w@ *= 2", "w@.flags.writeable and w@.resize((3,), refcheck=False)", "w@.__setstate__(np.array($).__reduce__()[2])", "w@.flags.writeable = False",
                   "w@ = w@.astype('f4')", "w@ = w@[::-1]", "w@ = w@[None]", "w@._torch().add_(1)", "w@.shape = (-1, 1)", "w@ = np.array(4.0)", "np.negative(w@, out=w@)", "w@._torch().zero_()"),
                  "lists", True, 4.0),
    "NumPy's array": Kind("w@ = numpy.array($)", ("w@", "w@[0]"), ("w@[...] = 3.0", "w@ = numpy.array($)", "w@ = w@.astype('f4')", "w@ = numpy.array(3.0)"), "lists", True),
    "views": Kind("w@ = np.array($)\nv@ = w@[:1]\nu@ = w@[::-1]", ("w@ + v@", "v@", "u@", "w@ - u@"), ("v@ += 1", "v@ = v@.copy()", "w@[...] = 2.0", "u@ = w@", "u@[...] = w@"), "lists", True),
    "array in a list": Kind("l@ = [np.array($), np.array($)]", ("l@[0]", "l@[-1]", "sum(l@)", "l@[0] * l@[1]"), ("l@[0] = np.array($)", "l@.append(np.array($))", "l@.reverse()", "l@[0] += 1", "l@[1] = l@[0]"), "lists", True),
    "array in a dict": Kind("d@ = {'a': np.array($), 'b': 2.0}", ("d@['a']", "d@['a'] * d@['b']"), ("d@['a'] = np.array($)", "d@['a'] -= 1", "d@['b'] = 3.0", "d@['b'] = d@['a']"), "lists", True),
    "array in an attribute": Kind("class C@: pass\nc@ = C@()\nc@.w = np.array($)", ("c@.w", "c@.w.T"), ("c@.w = np.array($)", "c@.w *= 2", "c@.w = c@.w[:1]", "c@ = C@(); c@.w = np.array($)", "c@.w = 2.0"), "lists", True),
    "array in a cell": Kind("def mk@(w):\n    def get(): return w\n    def put(v):\n        nonlocal w\n        w = v\n    return get, put\nget@, put@ = mk@(np.array($))", ("get@()",),
                            ("put@(np.array($))", "get@()[...] = 4.0", "put@(2.0)"), "lists", True),
    "array in a default": Kind("def d@(w=np.array($)): return w", ("d@()",), ("d@.__defaults__[0][...] = 4.0", "d@.__defaults__ = (np.array($),)"), "lists", True),
    "tensor": Kind("t@ = torch_np.tensor($)", ("t@", "t@.T", "t@.detach()"),
                   ("t@.mul_(2)", "t@ = torch_np.tensor($)", "t@.data = torch_np.tensor($)", "t@ = t@.double()", "t@.fill_(-0.0)", "t@.resize_(3).fill_(1)", "t@ = t@[:1]"), "lists", True),
    "parameter": Kind("t@ = torch_np.tensor([2.0, 0.5], requires_grad=True)", ("t@", "t@ * 2", "t@.detach()"),
                      ("t@.grad = None", "t@.requires_grad_(False)", "t@.requires_grad_(True)", "t@.data.mul_(2)", "t@.data = torch_np.tensor($)", "t@.grad = torch_np.ones_like(t@)",
                       "h@ = t@.register_hook(lambda g: g * 3)", "t@ = torch_np.tensor([3.0, 1.0], requires_grad=True)"), "lists", True, 1.5),
    "function": Kind("def h@(v): return v * $", ("h@(x)", "h@(v=y)", "h@(h@(x))"), ("h@ = lambda v: v - $", "h@.__code__ = (lambda v: v + $).__code__", "def h@(v): return v / $"), is_array=True),
    "recursive function": Kind("def h@(v, n=2): return v if n == 0 else h@(v * $, n - 1)", ("h@(x)", "h@(y, 1)"), ("h@.__defaults__ = (1,)", "h@ = lambda v, n=1: v"), is_array=True),
    "generator function": Kind("l@ = [$, $]\ndef g@(v):\n    for k in l@:\n        yield v * k", ("sum(g@(x))", "next(g@(x))", "list(g@(y))[-1]", "np.stack(list(g@(x)))"), ("l@.append($)", "l@[0] = $", "l@.pop()"), is_array=True),
    "decorated function": Kind("l@ = [$]\ndef deco@(g):\n    @functools.wraps(g)\n    def h(v): return g(v) * l@[0]\n    return h\n@deco@\ndef h@(v): return v + 1", ("h@(x)", "h@.__wrapped__(x)"),
                               ("l@[0] = $", "h@.__wrapped__.__code__ = (lambda v: v - 1).__code__"), is_array=True),
    "np patched": Kind("np_sin = np.sin", ("np.sin(x)", "np.sin(y)", "np.cos(x)"), ("np.sin = lambda v: v * $", "np.sin = np_sin", "np.sin = np.tanh", "np.cos = np_sin"), is_array=True, share=0.5),
    "torch patched": Kind("", ("torch_np.exp(torch_np.ones(2))", "torch_np.relu(torch_np.ones(2))"), ("torch_np.exp = lambda v: v * $", "torch_np.relu = torch_np.tanh"), is_array=True, share=0.3),
    "table of functions": Kind("t@ = {'f': np.sin, 'g': lambda v: v * $}", ("t@['f'](x)", "t@['g'](x)", "functools.reduce(lambda a, g: g(a), t@.values(), x)"),
                               ("t@['f'] = np.cos", "t@['g'] = lambda v: v - $", "t@['h'] = np.negative", "t@['f'], t@['g'] = t@['g'], t@['f']"), is_array=True),
    "custom operators of a class": Kind("class C@:\n    k = $\n    def __rmul__(self, o): return self.k\n    def __mul__(self, o): return o * self.k\n    def __call__(self, v): return v * self.k\n    def __enter__(self): return self.k\n    def __exit__(self, *a): return None\nc@ = C@()",
                                        ("(c@ * x)", "c@(x)"), ("C@.k = $", "c@.k = $", "C@.__call__ = lambda s, v: v - $"), is_array=True),
    "layer": Kind("m@ = torch_np.nn.Hardtanh(-1.0, 2.0)", ("m@(x._torch())", "m@.forward(x._torch())"),
                  ("m@.max_val = 1.0", "m@.register_forward_hook(lambda m, i, o: o * 2)", "m@.register_forward_pre_hook(lambda m, i: (i[0] + 1,))", "m@ = torch_np.nn.Tanh()", "m@.eval()"), is_array=True, share=0.3),
    "dropout": Kind("m@ = torch_np.nn.Sequential(torch_np.nn.Dropout(1.0), torch_np.nn.ReLU())", ("m@(x._torch())",), ("m@.eval()", "m@.train()", "m@[0].p = 0.0", "m@[1] = torch_np.nn.Tanh()"), is_array=True, share=0.2),
    "parameters of a layer": Kind("m@ = torch_np.nn.Linear(2, 2)\nwith torch_np.no_grad():\n    m@.weight.copy_(torch_np.tensor([[1.0, 2.0], [0.5, -1.0]])); m@.bias.zero_()", ("m@(torch_np.ones(2))", "m@.weight", "m@.bias * 2"),
                                  ("m@.weight.data.mul_(2)", "m@.bias = None", "m@.weight = torch_np.nn.Parameter(torch_np.ones(2, 2))", "m@.requires_grad_(False)", "m@.zero_grad()", "m@.bias.data.add_(1)",
                                   "m@.register_forward_hook(lambda m, i, o: o * 2)", "m@.load_state_dict({'weight': torch_np.zeros(2, 2), 'bias': torch_np.ones(2)})"), is_array=True, share=0.3),
    "dtype": Kind("k@ = $", ("x.astype(k@)", "np.ones(2, dtype=k@)", "np.zeros_like(x, dtype=k@)"), ("k@ = $",), "dtypes", True),
    "default dtype": Kind("", ("torch_np.ones(2)", "torch_np.tensor([0.5, 1.5])", "torch_np.zeros(2) + 1"), ("torch_np.set_default_dtype(torch_np.float64)", "torch_np.set_default_dtype(torch_np.float32)"), is_array=True, share=0.5),
    "promotion rules": Kind("", ("x.astype('f4') * y.astype('i8')", "np.ones(2, dtype='f4') + np.ones(2, dtype='i4')", "np.array([1.0, 2.0])"),
                            ("np._set_promotion_rules('torch')", "np._set_promotion_rules('numpy')"), is_array=True, share=0.4),
    "random numbers": Kind("", ("np.random.rand(2)", "torch_np.rand(2)", "np.random.normal(size=2)", "torch_np.randn(2)"), ("np.random.rand()", "torch_np.manual_seed(3)"), is_array=True, share=0.3),
}
