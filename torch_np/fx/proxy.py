"""Proxy: an object that records the operations that a program applies to it."""
from __future__ import annotations

import bisect
import collections
import copy
import dataclasses
import dis
import inspect
import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from torch_np import _C
from torch_np.fx._codegen import MAGIC_METHODS, REFLECTABLE
from torch_np.fx.graph import Graph
from torch_np.fx.node import Node, Target, base_types, map_aggregate

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "Scope", "ScopeContextManager", "TraceError", "TracerBase"]


class TraceError(ValueError):
    """The program does something with a Proxy that cannot be recorded."""


class Scope:
    """The module that is being traced.

    Args:
      module_path: Its path.
      module_type: Its class.
    """

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """Changes a Scope for the time of a `with` statement.

    Args:
      scope: The scope that changes.
      current_scope: Its new contents.
    """

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._previous, self._scope = copy.copy(scope), scope
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *exception: Any) -> None:
        self._scope.module_path, self._scope.module_type = self._previous.module_path, self._previous.module_type


class TracerBase:
    """Records operations of Proxies as Nodes of a graph."""

    graph: Graph
    record_stack_traces: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"
    scope: Scope
    module_stack: collections.OrderedDict[str, Any]
    node_name_to_scope: dict[str, tuple[str, type]]

    def create_node(self, kind: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None,
                    type_expr: Any = None) -> Node:
        """Inserts a Node into the graph; subclasses may change it.

        Args:
          kind: Kind of the operation.
          target: Function or name.
          args: Arguments.
          kwargs: Keyword arguments.
          name: Name; None derives it from `target`.
          type_expr: Annotation of the result.
        """
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        scope = getattr(self, "scope", None)
        if scope is not None:
            self.node_name_to_scope[node.name] = (scope.module_path, scope.module_type)
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces:
            node.stack_trace = "".join(traceback.format_list(traceback.extract_stack()[:-3]))
        return node

    def proxy(self, node: Node) -> Proxy:
        """Returns a Proxy of a Node.

        Args:
          node: The Node.
        """
        return Proxy(node, self)

    def create_proxy(self, kind: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None,
                     type_expr: Any = None, proxy_factory_fn: Callable[[Node], Proxy] | None = None) -> Proxy:
        """Inserts a Node whose arguments may contain Proxies, and returns its Proxy.

        Args:
          kind: Kind of the operation.
          target: Function or name.
          args: Arguments.
          kwargs: Keyword arguments.
          name: Name; None derives it from `target`.
          type_expr: Annotation of the result.
          proxy_factory_fn: Function that makes the Proxy of a Node; None is `proxy`.
        """
        arguments, named = self.create_arg(args), self.create_arg(kwargs)
        assert isinstance(arguments, tuple) and isinstance(named, dict)
        node = self.create_node(kind, target, arguments, named, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a: Any) -> Any:
        """Converts an argument to one of a Node: Proxies become their Nodes.

        Args:
          a: Argument.

        Errors: NotImplementedError for an object that an argument cannot hold; RuntimeError for a dict
        with Nodes as keys.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(item) for item in a]
            if hasattr(a, "_fields"):
                return type(a)(*items)
            return type(a)(items) if isinstance(a, _C.Size) and all(isinstance(i, int) for i in items) else tuple(items)
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(*(self.create_arg(x) for x in (a.start, a.stop, a.step)))
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            values = {f.name: self.create_arg(getattr(a, f.name)) for f in dataclasses.fields(a)}
            return self.create_node("call_function", a.__class__, (), values)
        if isinstance(a, base_types) or isinstance(a, (_C.Function, type)) or inspect.isroutine(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        made = self.create_arg(key)

        def refuse(item: Any) -> Any:
            if isinstance(item, Node):
                raise RuntimeError("Keys for dictionaries used as an argument cannot contain a Node. "
                                   f"Got key: {key}")
            return item
        map_aggregate(made, refuse)
        return made

    def to_bool(self, obj: Proxy) -> bool:
        """Called for `bool(proxy)`, as in `if proxy:`. Errors: TraceError, unless a subclass answers."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Called for `iter(proxy)`. Errors: TraceError, unless a subclass answers."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function "
            "argument. The trace does not know how many items there are.")

    def keys(self, obj: Proxy) -> Any:
        """Called for `proxy.keys()` in `**proxy`; returns a Proxy of the keys."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """A Tracer that appends to a graph.

    Args:
      graph: The graph.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope = {}


def _called_from_unpacking() -> int | None:
    """The number of names in `a, b = proxy` if the caller's caller executes such a statement."""
    frame = sys._getframe(2)
    instructions = list(dis.get_instructions(frame.f_code))
    at = bisect.bisect_left([i.offset for i in instructions], frame.f_lasti)
    instruction = instructions[at]
    return instruction.argval if instruction.opname == "UNPACK_SEQUENCE" else None


class Proxy:
    """A value of the traced program. Operators, methods, attributes and functions of torch_np with a
    Proxy as an argument become Nodes of the graph.

    Args:
      node: Node of the value.
      tracer: The Tracer; None appends to the graph of `node`.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k in ("node", "tracer"):  # a copy that is not initialised
            raise AttributeError(k)
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        new = {key: copy.deepcopy(value, memo) for key, value in self.__dict__.items()}
        made = object.__new__(type(self))
        made.__dict__.update(new)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        number = _called_from_unpacking()
        if number is not None:
            return (self[i] for i in range(number))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """Keys, for `**proxy`."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError("'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
                           "torch.fx.wrap('len') at module scope")

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None) -> Any:
        args, kwargs = args if args else (), kwargs if kwargs else {}
        tracers: dict[Any, None] = {}

        def find(item: Any) -> Any:
            if isinstance(item, cls):
                tracers[item.tracer] = None
            return item
        map_aggregate(args, find)
        map_aggregate(kwargs, find)
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers.keys())} while trying to trace operations {orig_method}")
        tracer = next(iter(tracers))
        if _is_tensor_method(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=tracer.graph._target_to_str(orig_method.__name__))


def _is_tensor_method(function: Any) -> bool:
    """Whether a function is an attribute of Tensor."""
    return getattr(_C.Tensor, getattr(function, "__name__", ""), None) is function


class Attribute(Proxy):
    """An attribute of a Proxy: a Node of its own if it is used as a value, or the name of a method if it
    is called.

    Args:
      root: The Proxy.
      attr: Name of the attribute.
    """

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """Node of the attribute's value, which is made at the first use."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A Proxy of a parameter whose shape is known.

    Args:
      tracer: The Tracer.
      node: Node of the parameter.
      name: Its path.
      param: The parameter.
    """

    _constant: ClassVar[tuple[str, ...]] = ("shape", "size", "dim", "ndim", "numel", "nelement")

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: _C.Tensor) -> None:
        super().__init__(node, tracer)
        assert isinstance(param, _C.Tensor)
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    def __getattr__(self, k: str) -> Any:
        if k in self._constant:
            return getattr(self.param, k)
        return super().__getattr__(k)


def _add_operator(name: str) -> None:
    function = getattr(operator, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        return args[0].tracer.create_proxy("call_function", function, args, kwargs)
    method.__name__ = name
    setattr(Proxy, f"__{name.strip('_')}__", method)
    if name in REFLECTABLE:
        def reflected(self: Proxy, rhs: Any) -> Any:
            return self.tracer.create_proxy("call_function", function, (rhs, self), {})
        reflected.__name__ = f"r{name}"
        setattr(Proxy, f"__r{name.strip('_')}__", reflected)


for _name in MAGIC_METHODS:
    _add_operator(_name)

# Functions of torch_np look for Proxies among their arguments from now on.
_C._watch_torch_functions()
