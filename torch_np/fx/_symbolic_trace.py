"""Tracer: runs a module or function with Proxies and records its graph."""
from __future__ import annotations

import builtins
import collections
import inspect
import math
import warnings
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

from torch_np import _C
from torch_np.fx._patching import Patcher, autowrap, is_fx_tracing as is_fx_tracing, patch_wrapped_functions, tracing, wrap as wrap
from torch_np.fx.graph import Graph
from torch_np.fx.graph_module import GraphModule
from torch_np.fx.node import Node, base_types
from torch_np.fx.proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase
from torch_np.nn import Module, Parameter, Sequential

__all__ = ["PH", "PHBase", "ProxyableClassMeta", "Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]

_proxyable_classes: dict[type, None] = {}


class ProxyableClassMeta(type):
    """Metaclass of classes whose constructor is recorded as a call if an argument is a Proxy."""

    def __init__(cls, name: str, bases: Any, attrs: Any) -> None:
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls)  # type: ignore[call-overload]
        if not is_fx_tracing():
            cls.__init__(instance, *args, **kwargs)  # type: ignore[misc]
            return instance
        found = [a for a in (*args, *kwargs.values()) if isinstance(a, Proxy)]
        if found:
            return found[0].tracer.create_proxy("call_function", cls, args, kwargs)
        cls.__init__(instance, *args, **kwargs)  # type: ignore[misc]
        return instance


class PHBase:
    """A value of `concrete_args` that stays an argument of the graph."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def _assert_is_none(value: Any, msg: str) -> None:
    assert value is None, msg


def _tensor_attributes(root: Module) -> dict[int, tuple[Any, str]]:
    """The tensors that are attributes of modules, by identity, with their paths."""
    found: dict[int, tuple[Any, str]] = {}

    def collect(module: Module, path: list[str]) -> None:
        for name, value in module.__dict__.items():
            if isinstance(value, _C.Tensor):
                found.setdefault(id(value), (value, ".".join([*path, name])))
        for name, value in (*module._buffers.items(), *module._parameters.items()):
            if value is not None:
                found.setdefault(id(value), (value, ".".join([*path, name])))
        for name, child in module.named_children():
            collect(child, [*path, name])
    collect(root, [])
    return found


class Tracer(TracerBase):
    """Records the graph of a module or function.

    Args:
      autowrap_modules: Modules whose functions are recorded as calls if an argument is a Proxy.
      autowrap_functions: Further functions that are recorded so.
      param_shapes_constant: Whether shapes of parameters are their values instead of Nodes.
    """

    def __init__(self, autowrap_modules: tuple[ModuleType, ...] = (math,), autowrap_functions: tuple[Callable[..., Any], ...] = (),
                 param_shapes_constant: bool = False) -> None:
        super().__init__()
        self._autowrap_function_ids = {id(value) for module in autowrap_modules for name, value in module.__dict__.items()
                                       if not name.startswith("_") and callable(value)}
        self._autowrap_function_ids.update(id(f) for f in autowrap_functions)
        self._autowrap_search: list[ModuleType] = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope: dict[str, tuple[str, type]] = {}
        self.num_calls: dict[str, int] = {}

    def create_arg(self, a: Any) -> Any:
        """Converts an argument to one of a Node. A tensor becomes a 'get_attr' Node; one that is no
        attribute of the root becomes an attribute of it.

        Args:
          a: Argument.

        Errors: NameError for a parameter that is not one of the root.
        """
        if isinstance(a, Parameter):
            for name, parameter in self.root.named_parameters():
                if a is parameter:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, _C.Tensor):
            return self.create_node("get_attr", self._path_of_tensor(a), (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        if type(a) in _proxyable_classes:
            return self._created_object(a)
        return super().create_arg(a)

    def _path_of_tensor(self, a: _C.Tensor) -> str:
        if id(a) not in self.tensor_attrs:
            i = 0
            while hasattr(self.root, f"_tensor_constant{i}"):
                i += 1
            path = f"_tensor_constant{i}"
            setattr(self.root, path, a)
            self.tensor_attrs[id(a)] = (a, path)
        return self.tensor_attrs[id(a)][1]

    def _created_object(self, a: Any) -> Node:
        i = 0
        while hasattr(self.root, f"_{type(a).__name__}_constant_{i}"):
            i += 1
        name = f"_{type(a).__name__}_constant_{i}"
        setattr(self.root, name, a)
        return self.create_node("get_attr", name, (), {})

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of the module is one Node. By default that holds for the modules of torch_np.nn
        except Sequential.

        Args:
          m: Module.
          module_qualified_name: Its path.
        """
        return m.__module__.startswith(("torch_np.nn", "torch.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Returns the path of a submodule of the root.

        Args:
          mod: The submodule.

        Errors: NameError if it is not one.
        """
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, module in self.root.named_modules():
            if mod is module:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Called for each call of a submodule: records it, or calls `forward` to record its operations.

        Args:
          m: Module.
          forward: The call of the module.
          args: Arguments.
          kwargs: Keyword arguments.
        """
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))):
            number = self.num_calls.get(path, 0)
            self.num_calls[path] = number + 1
            key = f"{path}@{number}" if number > 0 else path
            self.module_stack[key] = (path, type(m))
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.popitem()

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Called for each attribute that is read from a module and found by its `__getattr__`; returns
        its value, or a Proxy.

        Args:
          attr: Name of the attribute.
          attr_val: Its value.
          parameter_proxy_cache: The Proxies of parameters by path.
        """
        def proxied(members: Any) -> Any:
            for name, value in members:
                if attr_val is not value:
                    continue
                if name not in parameter_proxy_cache:
                    factory = None
                    if self.param_shapes_constant:
                        def factory(node: Node) -> Proxy:
                            return ParameterProxy(self, node, name, attr_val)
                    parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=factory)
                return parameter_proxy_cache[name]
            return None
        found = None
        if isinstance(attr_val, Parameter):
            found = proxied(self.root.named_parameters())
        elif self.proxy_buffer_attributes and isinstance(attr_val, _C.Tensor):
            found = proxied(self.root.named_buffers())
        return attr_val if found is None else found

    def create_args_for_root(self, root_fn: Callable[..., Any], is_module: bool,
                             concrete_args: dict[str, Any] | tuple[Any, ...] | None = None) -> tuple[Callable[..., Any], list[Any]]:
        """Makes the placeholders of a function; returns the function and its arguments.

        Args:
          root_fn: The function.
          is_module: Whether it is the `forward` of the root, with `self` as the first argument.
          concrete_args: Values of arguments by name.

        Errors: RuntimeError if `concrete_args` is a tuple of the wrong length.
        """
        analysed = inspect.unwrap(root_fn)
        code: CodeType = analysed.__code__
        names = list(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])
        args: list[Any] = []
        if is_module:
            if not code.co_argcount and not code.co_flags & inspect.CO_VARARGS:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            names = names[1:]
            args.append(self.root)
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments")
            concrete_args = dict(zip(names, concrete_args))
        parameters = inspect.signature(analysed).parameters
        positional = code.co_argcount - len(args)
        named: dict[str, Any] = {}
        for i, name in enumerate(names):
            value = self._argument(analysed, name, parameters, concrete_args)
            if i < positional:
                args.append(value)
            else:
                named[name] = value
        at = code.co_argcount + code.co_kwonlyargcount
        many, keywords = None, None
        if code.co_flags & inspect.CO_VARARGS:
            many = self.create_proxy("placeholder", "*" + code.co_varnames[at], (), {})
            at += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            keywords = self.create_proxy("placeholder", "**" + code.co_varnames[at], (), {})
        if not named and many is None and keywords is None:
            return root_fn, args
        return _with_many(analysed, named, many, keywords), args

    def _argument(self, fn: Callable[..., Any], name: str, parameters: Any, concrete: dict[str, Any] | None) -> Any:
        default = parameters[name].default
        defaults = () if default is inspect.Parameter.empty else (default,)
        if concrete is None or name not in concrete:
            return self.create_proxy("placeholder", name, defaults, {}, type_expr=fn.__annotations__.get(name))
        value = concrete[name]
        if isinstance(value, (tuple, list, dict)):
            raise NotImplementedError(f"symbolic_trace(): concrete_args['{name}'] is a {type(value).__name__}; only single values are implemented")
        proxy = self.create_proxy("placeholder", f"{name}_1", defaults, {})
        if isinstance(value, PHBase):
            return proxy
        message = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, message), {})
        elif isinstance(value, base_types) and not isinstance(value, _C.Tensor):
            import torch_np
            torch_np._assert(proxy == value, message)
        else:
            warnings.warn(f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user to "
                          "make sure that your inputs match the inputs you specialized the function with.")
        return value

    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Runs a module or function with Proxies and returns the graph.

        Args:
          root: Module or function.
          concrete_args: Arguments by name that have a value instead of a Proxy.

        Errors: TraceError for control flow that depends on a Proxy.
        """
        with tracing(), Patcher() as patcher:
            if isinstance(root, Module):
                self.root = root
                fn = getattr(type(root), self.traced_func_name)
                self.root_module_name = root._get_name()
                self.submodule_paths = {module: name for name, module in root.named_modules()}
            else:
                self.root = Module()
                fn = root
                self.submodule_paths = None
            self.graph = Graph(tracer_cls=type(self))
            self.tensor_attrs = _tensor_attributes(self.root)
            module_globals = getattr(inspect.unwrap(fn), "__globals__", {})
            fn, args = self.create_args_for_root(fn, isinstance(root, Module), concrete_args)
            self._patch_modules(patcher)
            patch_wrapped_functions(patcher)
            autowrap(patcher, module_globals, self._autowrap_function_ids)
            for module in self._autowrap_search:
                autowrap(patcher, module.__dict__, self._autowrap_function_ids)
            annotations = getattr(inspect.unwrap(fn), "__annotations__", {})
            self.create_node("output", "output", (self.create_arg(fn(*args)),), {}, type_expr=annotations.get("return"))
        self.submodule_paths = None
        return self.graph

    def _patch_modules(self, patcher: Patcher) -> None:
        original_call, original_getattr = Module.__call__, Module.__getattr__
        cache: dict[str, Any] = {}

        def call(mod: Module, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return original_call(mod, *args, **kwargs)
            autowrap(patcher, getattr(getattr(mod, "forward", mod), "__globals__", {}), self._autowrap_function_ids)
            return self.call_module(mod, forward, args, kwargs)

        def get(mod: Module, attr: str) -> Any:
            return self.getattr(attr, original_getattr(mod, attr), cache)
        patcher.patch_attribute(Module, "__call__", call)
        patcher.patch_attribute(Module, "__getattr__", get)


def _with_many(fn: Callable[..., Any], named: dict[str, Any], many: Any, keywords: Any) -> Callable[..., Any]:
    """Returns a function that calls `fn` with keyword-only arguments, and with single Proxies for its
    *args and **kwargs.
    """
    if many is None and keywords is None:
        def with_named(*args: Any) -> Any:
            return fn(*args, **named)
        return _annotated(with_named, fn)
    # The code of `fn` reads `args` and `kwargs` as local variables. As a function of ordinary
    # arguments it receives Proxies there.
    code = fn.__code__
    count = code.co_argcount + code.co_kwonlyargcount + (many is not None) + (keywords is not None)
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    plain = type(fn)(code.replace(co_argcount=count, co_kwonlyargcount=0, co_posonlyargcount=0, co_flags=flags),  # type: ignore[misc]
                     fn.__globals__, fn.__name__, None, fn.__closure__)

    def with_many(*args: Any) -> Any:
        return plain(*args, *named.values(), *(() if many is None else (many,)), *(() if keywords is None else (keywords,)))
    return _annotated(with_many, fn)


def _annotated(made: Callable[..., Any], fn: Callable[..., Any]) -> Callable[..., Any]:
    made.__annotations__ = dict(getattr(fn, "__annotations__", {}))
    return made


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Records the graph of a module or function and returns a module that computes it.

    Args:
      root: Module or function.
      concrete_args: Arguments by name that have a value instead of a Proxy, so that control flow may
        depend on them.

    Errors: TraceError for control flow that depends on a Proxy.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", builtins.type(root).__name__)
    return GraphModule(tracer.root, graph, name)
