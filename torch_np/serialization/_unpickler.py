"""A pickle interpreter for data only: it calls only functions that its owner supplies for a name,
and rejects all other names.
"""
from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from torch_np import _public_names

_MAX_KEY_DEPTH = 16


class Callable_:
    """Stands for a function or class on the interpreter's stack. A pickle can only call it."""

    __slots__ = ("call", "name")

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self.name, self.call = name, call


def check_key(key: Any, depth: int = 0) -> None:
    """Checks a key of a dictionary or set: it must be text, a number or a shallow tuple of them, so
    that hashing does not recurse deeply.
    """
    if isinstance(key, tuple):
        if depth >= _MAX_KEY_DEPTH:
            raise UnpicklingError("a key of a dictionary is nested too deeply")
        for part in key:
            check_key(part, depth + 1)
    elif isinstance(key, frozenset):
        pass
    elif not isinstance(key, (str, bytes, int, float, complex, type(None))) and _public_names.top(type(key).__module__) != "torch_np":
        raise UnpicklingError(f"a key of a dictionary is a {type(key).__name__}")


class Unpickler:
    """Interprets one pickle. `find_global(module, name)` returns a Callable_ or a value, or raises.
    `persistent_load(id)` returns a value. `is_safe(value)` says whether the pickle may call a
    function or class that `find_global` returned as it is.
    """

    def __init__(self, data: bytes, find_global: Callable[[str, str], Any], persistent_load: Callable[[Any], Any],
                 is_safe: Callable[[object], bool] = lambda value: False, encoding: str = "latin1") -> None:
        self.encoding = encoding
        self._data, self._at, self._is_safe = data, 0, is_safe
        self._find_global, self._persistent_load = find_global, persistent_load
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def load(self) -> Any:
        """The object of the pickle.

        Errors: UnpicklingError for a damaged or unsupported pickle.
        """
        try:
            return self._run()
        except UnpicklingError:
            raise
        except (IndexError, KeyError, ValueError, TypeError, AttributeError, struct.error, OverflowError, RecursionError) as error:
            raise UnpicklingError(f"the pickle in the file is damaged: {type(error).__name__}: {error}") from error

    def _run(self):
        stack = self._stack
        while True:
            op = self._take(1)
            if op == b".":
                result = stack.pop()
                if isinstance(result, Callable_):
                    raise UnpicklingError(f"the file has {result.name} in place of data")
                return result
            step = _STEPS.get(op)
            if step is None:
                raise UnpicklingError(f"the pickle has the operation {op!r}, which data needs not")
            step(self)

    def _take(self, n):
        if n < 0 or self._at + n > len(self._data):
            raise UnpicklingError("the pickle ends too early")
        self._at += n
        return self._data[self._at - n:self._at]

    def _number(self, form):
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _line(self):
        end = self._data.find(b"\n", self._at)
        if end < 0:
            raise UnpicklingError("the pickle ends too early")
        text = self._data[self._at:end].decode()
        self._at = end + 1
        return text

    def _since_mark(self):
        at = self._marks.pop()
        items = self._stack[at:]
        del self._stack[at:]
        return items

    def _top(self, *types):
        floor = self._marks[-1] if self._marks else 0
        if len(self._stack) <= floor or not isinstance(self._stack[-1], types):
            raise UnpicklingError("the pickle adds to an object that is not a container")
        return self._stack[-1]

    def _set_items(self, items):
        into = self._top(dict)
        if len(items) % 2:
            raise UnpicklingError("the pickle has a key without a value")
        for key, value in zip(items[::2], items[1::2]):
            check_key(key)
            into[key] = value

    def _reduce(self, makes: bool = False) -> None:
        args, function = self._stack.pop(), self._stack.pop()
        if isinstance(function, Callable_) and isinstance(args, tuple):
            self._stack.append(function.call(*args))
        elif isinstance(args, tuple) and self._is_safe(function):
            self._stack.append(function.__new__(function, *args) if makes else function(*args))
        else:
            raise UnpicklingError("the pickle calls an object that is not a function")

    def _build(self):
        state = self._stack.pop()
        target = self._stack[-1]
        if self._is_safe(type(target)):
            if hasattr(target, "__setstate__"):
                target.__setstate__(state)
            else:
                attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
                if attributes:
                    vars(target).update(attributes)
                for name, value in (slots or {}).items():
                    setattr(target, name, value)
        elif type(target) is OrderedDict and isinstance(state, dict) and set(state) <= {"_metadata"}:
            target.__dict__.update(state)
        elif isinstance(state, tuple) and state == (None, {}) or state in ({}, None):
            pass
        else:
            raise UnpicklingError(f"the pickle sets attributes of a {type(target).__name__}")

    def _memoize(self, index):
        self._memo[index] = self._stack[-1]

    def _global(self, module, name):
        if not isinstance(module, str) or not isinstance(name, str):
            raise UnpicklingError("the pickle names a global by an object that is not a str")
        self._stack.append(self._find_global(module, name))

    def _add_to_set(self):
        items = self._since_mark()
        into = self._top(set)
        for item in items:
            check_key(item)
            into.add(item)

    def _frozen(self):
        items = self._since_mark()
        for item in items:
            check_key(item)
        self._stack.append(frozenset(items))

    def _pairs(self, items):
        self._stack.append({})
        self._set_items(items)

    def _protocol(self):
        if (version := self._number("<B")) > pickle.HIGHEST_PROTOCOL:
            raise UnpicklingError(f"the pickle is of protocol {version}")


def _long(u, count):
    u._stack.append(int.from_bytes(u._take(count), "little", signed=True))


def _push(value):
    return lambda u: u._stack.append(value() if callable(value) else value)


def _text(form, errors="surrogatepass"):
    return lambda u: u._stack.append(u._take(u._number(form)).decode("utf-8", errors))


def _raw(form, kind=bytes):
    return lambda u: u._stack.append(kind(u._take(u._number(form))))


def _tuple(n):
    def step(u):
        if len(u._stack) < n:
            raise UnpicklingError("the pickle takes more than there is")
        items = tuple(u._stack[len(u._stack) - n:])
        del u._stack[len(u._stack) - n:]
        u._stack.append(items)
    return step


def _latin(form):
    """Text of Python 2, in the encoding that `load` was given; the encoding "bytes" leaves it as it is."""
    def push(u):
        data = u._take(u._number(form))
        u._stack.append(data if u.encoding == "bytes" else data.decode(u.encoding))
    return push


def _append(u):
    item = u._stack.pop()
    u._top(list).append(item)


def _append_all(u):
    items = u._since_mark()
    u._top(list).extend(items)


def _set_item(u):
    items = u._stack[-2:]
    del u._stack[-2:]
    u._set_items(items)


def _stack_global(u):
    name, module = u._stack.pop(), u._stack.pop()
    u._global(module, name)


_STEPS: dict[bytes, Callable[[Unpickler], Any]] = {
    pickle.PROTO: lambda u: u._protocol(), pickle.FRAME: lambda u: u._take(8),
    pickle.NONE: _push(None), pickle.NEWTRUE: _push(True), pickle.NEWFALSE: _push(False),
    pickle.BININT: lambda u: u._stack.append(u._number("<i")), pickle.BININT1: lambda u: u._stack.append(u._number("<B")),
    pickle.BININT2: lambda u: u._stack.append(u._number("<H")), pickle.BINFLOAT: lambda u: u._stack.append(u._number(">d")),
    pickle.LONG1: lambda u: _long(u, u._number("<B")), pickle.LONG4: lambda u: _long(u, u._number("<i")),
    pickle.BINUNICODE: _text("<I"), pickle.SHORT_BINUNICODE: _text("<B"), pickle.BINUNICODE8: _text("<Q"),
    pickle.BINBYTES: _raw("<I"), pickle.SHORT_BINBYTES: _raw("<B"), pickle.BINBYTES8: _raw("<Q"), pickle.BYTEARRAY8: _raw("<Q", bytearray),
    pickle.BINSTRING: _latin("<i"), pickle.SHORT_BINSTRING: _latin("<B"),
    pickle.EMPTY_TUPLE: _push(tuple), pickle.EMPTY_LIST: _push(list), pickle.EMPTY_DICT: _push(dict), pickle.EMPTY_SET: _push(set),
    pickle.TUPLE1: _tuple(1), pickle.TUPLE2: _tuple(2), pickle.TUPLE3: _tuple(3),
    pickle.TUPLE: lambda u: u._stack.append(tuple(u._since_mark())), pickle.LIST: lambda u: u._stack.append(u._since_mark()),
    pickle.DICT: lambda u: u._pairs(u._since_mark()),
    pickle.APPEND: _append, pickle.APPENDS: _append_all, pickle.SETITEM: _set_item,
    pickle.SETITEMS: lambda u: u._set_items(u._since_mark()), pickle.ADDITEMS: lambda u: u._add_to_set(),
    pickle.FROZENSET: lambda u: u._frozen(),
    pickle.MARK: lambda u: u._marks.append(len(u._stack)), pickle.POP: lambda u: u._stack.pop(), pickle.POP_MARK: lambda u: u._since_mark(),
    pickle.DUP: lambda u: u._stack.append(u._stack[-1]),
    pickle.BINPUT: lambda u: u._memoize(u._number("<B")), pickle.LONG_BINPUT: lambda u: u._memoize(u._number("<I")),
    pickle.MEMOIZE: lambda u: u._memoize(len(u._memo)),
    pickle.BINGET: lambda u: u._stack.append(u._memo[u._number("<B")]), pickle.LONG_BINGET: lambda u: u._stack.append(u._memo[u._number("<I")]),
    pickle.GLOBAL: lambda u: u._global(u._line(), u._line()), pickle.STACK_GLOBAL: _stack_global,
    pickle.REDUCE: lambda u: u._reduce(), pickle.NEWOBJ: lambda u: u._reduce(True), pickle.BUILD: lambda u: u._build(),
    pickle.BINPERSID: lambda u: u._stack.append(u._persistent_load(u._stack.pop())),
}
