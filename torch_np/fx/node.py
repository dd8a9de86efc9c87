"""Node: one operation of a Graph."""
from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Union

import torch_np
from torch_np import _C
from torch_np.fx.immutable_collections import immutable_dict, immutable_list

if TYPE_CHECKING:
    from torch_np.fx.graph import Graph

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Target = Union[Callable[..., Any], str]
Argument = Any
base_types = (str, int, float, bool, complex, _C.dtype, _C.Tensor, _C.device, type(None), type(Ellipsis))

_legal_ops = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")

_side_effectful_functions: set[Callable[..., Any]] = set()


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a function that `Graph.eliminate_dead_code` keeps; returns it.

    Args:
      fn: The function.
    """
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """Applies `fn` to each item in nested tuples, lists, dicts and slices, and returns the same nesting of
    its results, with immutable lists and dicts.

    Args:
      a: Nested items.
      fn: Function of an item.
    """
    if isinstance(a, tuple):
        mapped = [map_aggregate(item, fn) for item in a]
        return type(a)(*mapped) if hasattr(a, "_fields") else tuple(mapped)
    if isinstance(a, list):
        return immutable_list(map_aggregate(item, fn) for item in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(value, fn)) for key, value in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """Applies `fn` to each Node in nested arguments; see `map_aggregate`.

    Args:
      a: Nested arguments.
      fn: Function of a Node.
    """
    assert callable(fn), "torch.fx.map_arg(a, fn): fn must be a callable"
    return map_aggregate(a, lambda item: fn(item) if isinstance(item, Node) else item)


def _module_of(function: Any) -> str:
    """Name of the module under which a function can be found."""
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        raise RuntimeError(f"cannot find module for {function}")
    if module == "_operator":
        return "operator"
    return module


def _get_qualified_name(func: Any) -> str:
    """Returns the dotted name by which generated code refers to a function."""
    name = getattr(func, "__name__", None)
    if name is not None and getattr(builtins, name, None) is func:
        return f"builtins.{name}"
    if isinstance(func, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return f"{_dotted(func.__objclass__)}.{func.__name__}"
    if name is None:
        return f"{_module_of(type(func))}.{type(func).__name__}"
    if isinstance(func, types.FunctionType) and func.__name__ == "<lambda>":
        raise RuntimeError("Unable to find reference to a lambda in its module; define it as a function")
    return f"{_module_of(func)}.{name}"


def _dotted(cls: type) -> str:
    return f"{_module_of(cls)}.{cls.__qualname__}"


def _find_qualified_name(target: Target) -> str:
    if isinstance(target, str):
        return target
    try:
        return _get_qualified_name(target)
    except RuntimeError:
        return repr(target)


def _type_repr(obj: Any) -> str:
    """Text of a type annotation."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        return obj.__qualname__ if obj.__module__ == "builtins" else f"{obj.__module__}.{obj.__qualname__}"
    if obj is Ellipsis:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    return repr(obj)


def _format_arg(arg: Any) -> str:
    if isinstance(arg, list):
        return "[" + ", ".join(map(_format_arg, arg)) + "]"
    if isinstance(arg, tuple):
        items = ", ".join(map(_format_arg, arg))
        return f"({items},)" if len(arg) == 1 else f"({items})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_format_arg(value)}" for key, value in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """One operation of a Graph.

    `op` says how `target` is used: 'placeholder' (an argument of the function; `target` is its name),
    'get_attr' (a parameter, buffer or submodule, by its path), 'call_function' (`target` is the
    function), 'call_method' (a method of the first argument), 'call_module' (a submodule, by its path)
    and 'output' (the result, `args[0]`).

    Args:
      graph: The graph.
      name: Unique name in the graph.
      op: Kind of the operation.
      target: Function or name.
      args: Arguments: Nodes, numbers, texts and nested tuples, lists and dicts of them.
      kwargs: Keyword arguments.
      return_type: Annotation of the result.

    Errors: AssertionError for an unknown `op`; ValueError for a `target` that does not fit it.
    """

    def __init__(self, graph: Graph, name: str, op: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any],
                 return_type: Any = None) -> None:
        assert op in _legal_ops, f"unknown op '{op}' of a Node"
        if op == "call_function":
            if not callable(target):
                raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a Callable is expected")
        elif not isinstance(target, str):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a str is expected")
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self._input_nodes: dict[Node, None] = {}
        self.users: dict[Node, None] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        self._prev, self._next = self, self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self.meta: dict[str, Any] = {}
        self._set_inputs(args, kwargs)

    @property
    def next(self) -> Node:
        """The Node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The Node before this one."""
        return self._prev

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def prepend(self, x: Node) -> None:
        """Moves `x` in front of this Node.

        Args:
          x: Node of the same graph.
        """
        assert self.graph == x.graph, "Attempting to move a Node into a different Graph"
        if self is x:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Moves `x` behind this Node.

        Args:
          x: Node of the same graph.
        """
        self._next.prepend(x)

    @property
    def args(self) -> tuple[Any, ...]:
        """Arguments; an assignment updates the users of Nodes."""
        return self._args

    @args.setter
    def args(self, a: tuple[Any, ...]) -> None:
        self._set_inputs(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """Keyword arguments; an assignment updates the users of Nodes."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Any]) -> None:
        self._set_inputs(self._args, k)

    def _set_inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for used in self._input_nodes:
            used.users.pop(self, None)
        self._input_nodes = {}

        def use(n: Node) -> Node:
            self._input_nodes[n] = None
            n.users[self] = None
            return n
        self._args, self._kwargs = map_arg(tuple(args), use), map_arg(dict(kwargs), use)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The Nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Any) -> None:
        """Replaces a positional argument.

        Args:
          idx: Its position.
          arg: The new argument.
        """
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Inserts a positional argument.

        Args:
          idx: Its position.
          arg: The new argument.
        """
        assert 0 <= idx <= len(self.args), "insert_args index must be between 0 and len(self.args)"
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Replaces a keyword argument.

        Args:
          key: Its name.
          arg: The new argument.
        """
        self.kwargs = {**self.kwargs, key: arg}

    @property
    def stack_trace(self) -> str | None:
        """The Python lines that recorded the Node, if the Tracer has `record_stack_traces`."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def _pretty_print_target(self, target: Any) -> str:
        return target if isinstance(target, str) else _find_qualified_name(target)

    def format_node(self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None) -> str | None:
        """Returns a line that describes the Node.

        Args:
          placeholder_names: Receives the text of a placeholder, for a header; the result is None then.
          maybe_return_typename: Receives the annotation of the output.
        """
        typed = f"{_type_repr(self.type)} " if self.type else ""
        head = f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}[target={self._pretty_print_target(self.target)}]"
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(f"{self.target} : {_type_repr(self.type)}" if self.type else str(self.target))
                return None
            return head + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return head
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        return f"{head}(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"

    def replace_all_uses_with(self, replace_with: Node, delete_user_cb: Callable[[Node], bool] = lambda user: True, *,
                              propagate_meta: bool = False) -> list[Node]:
        """Replaces this Node by another in the arguments of its users; returns the changed users.

        Args:
          replace_with: The other Node.
          delete_user_cb: Function of a user that returns whether to change it.
          propagate_meta: Whether `replace_with` gets the `meta` of this Node.

        Errors: AssertionError if `propagate_meta` and `replace_with` has metadata.
        """
        if propagate_meta:
            assert not replace_with.meta, "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with has meta"
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Replaces a Node among the arguments.

        Args:
          old_input: The argument.
          new_input: The Node in its place.
        """
        def replaced(n: Node) -> Node:
            return new_input if n is old_input else n
        self._set_inputs(map_arg(self.args, replaced), map_arg(self.kwargs, replaced))

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the operation has effects besides its result: it changes an argument, or a placeholder
        or the output.

        Args:
          impure_random: Whether the draw of random numbers is an effect.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            if self.target in _side_effectful_functions or self.target in (operator.setitem, torch_np._assert):
                return True
            return impure_random and getattr(self.target, "__name__", "") in _RANDOM
        if self.op == "call_method":
            return str(self.target).endswith("_") and not str(self.target).endswith("__")
        if self.op == "call_module":
            module = self.graph.owning_module
            assert module is not None, "self.graph.owning_module not set for purity check"
            return getattr(module.get_submodule(str(self.target)), "_is_impure", False)
        return False


_RANDOM = frozenset(("rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "bernoulli", "multinomial",
                     "normal", "poisson", "dropout"))


def iterate_nodes(a: Any) -> Iterable[Node]:
    """Yields the Nodes in nested arguments."""
    found: list[Node] = []
    map_arg(a, lambda n: found.append(n) or n)  # type: ignore[func-returns-value]
    return found
