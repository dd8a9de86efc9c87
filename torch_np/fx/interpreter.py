"""Interpreter and Transformer: run a graph node by node, and rewrite it so."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch_np.fx._symbolic_trace import Tracer
from torch_np.fx.graph import Graph
from torch_np.fx.graph_module import GraphModule
from torch_np.fx.node import Node, Target, map_aggregate, map_arg
from torch_np.fx.proxy import Proxy
from torch_np.nn import Module

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a graph node by node. Subclasses override the method of a kind of node.

    Args:
      module: Module with the graph.
      garbage_collect_values: Whether a value is dropped after its last use.
      graph: Graph to run instead of that of `module`.
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = graph if graph is not None else module.graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            seen: set[Node] = set()
            for node in reversed(self.graph.nodes):
                for used in node.all_input_nodes:
                    if used not in seen:
                        seen.add(used)
                        self.user_to_last_uses.setdefault(node, []).append(used)

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Runs the graph and returns its result.

        Args:
          args: Values of the placeholders.
          initial_env: Values of nodes that are not run.
          enable_io_processing: Whether the graph's writer converts arguments and results.
        """
        self.env = initial_env if initial_env is not None else {}
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter: Iterator[Any] = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback and hasattr(error, "add_note"):
                    error.add_note(f"While executing {node.format_node()}")
                raise
            for used in self.user_to_last_uses.get(node, ()):
                self.env.pop(used, None)
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Runs the graph with the arguments of a list, which is cleared.

        Args:
          args_list: The arguments.
        """
        args = list(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """Runs one node and returns its value.

        Args:
          n: The node.
        """
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns the next argument of `run`, or the default of the placeholder.

        Args:
          target: Name of the argument.
          args: Its default, if any.
          kwargs: Empty.

        Errors: RuntimeError without an argument and a default.
        """
        if isinstance(target, str) and target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!") from None

    def get_attr(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns an attribute of the module.

        Args:
          target: Its path.
          args: Empty.
          kwargs: Empty.
        """
        return self.fetch_attr(str(target))

    def call_function(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function.

        Args:
          target: The function.
          args: Arguments.
          kwargs: Keyword arguments.
        """
        assert not isinstance(target, str)
        return target(*args, **kwargs)

    def call_method(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a method of the first argument.

        Args:
          target: Name of the method.
          args: The object and the arguments.
          kwargs: Keyword arguments.
        """
        return getattr(args[0], str(target))(*args[1:], **kwargs)

    def call_module(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a submodule.

        Args:
          target: Its path.
          args: Arguments.
          kwargs: Keyword arguments.
        """
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns the result.

        Args:
          target: 'output'.
          args: The result.
          kwargs: Empty.
        """
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """Returns an attribute of the module by its path.

        Args:
          target: The path.

        Errors: RuntimeError if there is none.
        """
        found: Any = self.module
        parts = target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[:i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns the arguments of a node with values in place of Nodes.

        Args:
          n: The node.
        """
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Replaces Nodes in nested arguments by their values.

        Args:
          args: The arguments.
          n: The node that has them, for messages.

        Errors: RuntimeError for a node that has not been run.
        """
        def value(used: Node) -> Any:
            if used not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {used}! Run Graph.lint() to diagnose such issues")
            return self.env[used]
        return map_arg(args, value)


class _TransformerTracer(Tracer):
    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.tensor_attrs = {}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True


class Transformer(Interpreter):
    """Runs a graph with Proxies and so makes a new one. Subclasses override the method of a kind of node.

    Args:
      module: Module with the graph.
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Makes an argument of the new graph.

        Args:
          target: Its name.
          args: Its default, if any.
          kwargs: Empty.
        """
        return Proxy(self.new_graph.placeholder(str(target), default_value=args[0] if args else ...), self.tracer)

    def get_attr(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Makes the read of an attribute in the new graph.

        Args:
          target: Its path.
          args: Empty.
          kwargs: Empty.
        """
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes the call of a submodule in the new graph.

        Args:
          target: Its path.
          args: Arguments.
          kwargs: Keyword arguments.
        """
        return self.tracer.call_module(self.fetch_attr(str(target)), self.submodules[str(target)].forward, args, kwargs)

    def call_function(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes the call of a function in the new graph.

        Args:
          target: The function.
          args: Arguments.
          kwargs: Keyword arguments.
        """
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Returns the module with the new graph."""
        result = super().run(enable_io_processing=False)
        if result is not None:
            def unwrapped(a: Any) -> Any:
                return a.node if isinstance(a, Proxy) else a
            old = self.graph.output_node()
            made = self.new_graph.output(map_aggregate(result, unwrapped))
            made.meta.update(old.meta)
        return GraphModule(self.module, self.new_graph)
