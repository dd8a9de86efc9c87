"""Replacement of functions and attributes for the time of a trace."""
from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torch_np.fx.node import map_aggregate
from torch_np.fx.proxy import Proxy

_num_traces = 0
# The functions that programs registered by wrap(): (id of the namespace, name) -> namespace.
_wrapped_fns_to_patch: dict[tuple[int, str], dict[str, Any]] = {}


@contextlib.contextmanager
def tracing() -> Iterator[None]:
    global _num_traces
    _num_traces += 1
    try:
        yield
    finally:
        _num_traces -= 1


def is_fx_tracing() -> bool:
    """Whether a symbolic trace is running."""
    return _num_traces > 0


class Patcher:
    """Replaces values of namespaces and attributes of classes until the end of a `with` statement."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._seen: set[int] = set()

    def patch(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        """Replaces a value of a namespace."""
        if name in namespace:
            self._undo.append(functools.partial(namespace.__setitem__, name, namespace[name]))
        else:
            self._undo.append(functools.partial(namespace.pop, name, None))
        namespace[name] = value

    def patch_attribute(self, cls: type, name: str, value: Any) -> None:
        """Replaces an attribute of a class."""
        self._undo.append(functools.partial(setattr, cls, name, getattr(cls, name)))
        setattr(cls, name, value)

    def visit_once(self, namespace: dict[str, Any]) -> bool:
        """Whether this is the first call with the namespace."""
        new = id(namespace) not in self._seen
        self._seen.add(id(namespace))
        return new

    def __enter__(self) -> Patcher:
        return self

    def __exit__(self, *exception: Any) -> None:
        while self._undo:
            self._undo.pop()()


def _find_proxy(*values: Any) -> Proxy | None:
    found: list[Proxy] = []

    def look(item: Any) -> Any:
        if isinstance(item, Proxy):
            found.append(item)
        return item
    map_aggregate(values, look)
    return found[0] if found else None


def _recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that records a call with Proxies as one Node."""
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made
    return wrapped


def patch_wrapped_functions(patcher: Patcher) -> None:
    """Replaces the functions that wrap() registered."""
    for (_, name), namespace in list(_wrapped_fns_to_patch.items()):
        function = namespace[name] if name in namespace else getattr(builtins, name)
        patcher.patch(namespace, name, _recorded(function))


def autowrap(patcher: Patcher, namespace: dict[str, Any], function_ids: set[int]) -> None:
    """Replaces the functions in a namespace whose identity is among `function_ids`."""
    if patcher.visit_once(namespace):
        for name, value in list(namespace.items()):
            if not name.startswith("_") and callable(value) and id(value) in function_ids:
                patcher.patch(namespace, name, _recorded(value))


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Registers a function of the calling module: a trace records its calls with Proxies as one Node and
    does not look into it. It is called at the top level of the module, or as a decorator there.

    Args:
      fn_or_name: The function, or its name in the module.

    Errors: RuntimeError if it is neither a function nor a name; NotImplementedError if the call is not
    at the top level of a module.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    current = inspect.currentframe()
    assert current is not None and current.f_back is not None
    caller = current.f_back
    if caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[id(caller.f_globals), name] = caller.f_globals
    return fn_or_name
