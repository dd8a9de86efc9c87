"""Graph: the operations of a function in order."""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from torch_np.fx._codegen import CodeGen as CodeGen, PythonCode as PythonCode, graph_text
from torch_np.fx._namespace import Namespace, snake_case
from torch_np.fx.node import Node, Target, map_arg

if TYPE_CHECKING:
    from torch_np.fx.graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode"]

_Namespace = Namespace


class _node_list:  # noqa: N801  (PyTorch's name)
    """The nodes of a graph in order, or in reverse order. A node may be erased while they are read."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        assert direction in ("_next", "_prev")
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        at = getattr(self.graph._root, self.direction)
        while at is not self.graph._root:
            if not at._erased:
                yield at
            at = getattr(at, self.direction)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_prev" if self.direction == "_next" else "_next")


class _InsertPoint:
    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.previous, graph._insert = graph._insert, insert

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: Any) -> None:
        self.graph._insert = self.previous


class Graph:
    """The operations of a function in order, as a list of Nodes.

    Args:
      owning_module: Module whose attributes the nodes name.
      tracer_cls: Class of the Tracer that made the graph.
      tracer_extras: Further data of that Tracer.
    """

    def __init__(self, owning_module: GraphModule | None = None, tracer_cls: Any = None, tracer_extras: dict[str, Any] | None = None) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._graph_namespace = Namespace()
        self._owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self) -> Any:
        """Module whose attributes the nodes name; None if there is none."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: Any) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> _node_list:
        """The nodes in order."""
        return _node_list(self)

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """Returns the nodes of a kind.

        Args:
          op: The kind.
          target: Their target; None is any.
          sort: The nodes are always in the order of the graph.
        """
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def output_node(self) -> Node:
        """Returns the node with the result."""
        output = next(iter(reversed(self.nodes)))
        assert output.op == "output", "the last node of the graph is not its output"
        return output

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copies the nodes of `g` to the insertion point. Returns the result of `g` in terms of the
        copies; None if it has none.

        Args:
          g: Other graph.
          val_map: Receives the copy of each node; nodes in it are not copied.
          return_output_node: Whether to return the result and the output node of `g`.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        memo = memo if memo else {}
        g = Graph(tracer_cls=self._tracer_cls)
        copies: dict[Node, Node] = {}
        found = g.graph_copy(self, copies, return_output_node=True)
        g._codegen = copy.deepcopy(self._codegen)
        if found is not None:
            result, old = found
            output = g.output(result, type_expr=old.type)
            output.meta = copy.copy(old.meta)
        return g

    def create_node(self, op: str, target: Target, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None,
                    name: str | None = None, type_expr: Any = None) -> Node:
        """Inserts a Node at the insertion point and returns it; see Node.

        Args:
          op: Kind of the operation.
          target: Function or name.
          args: Arguments.
          kwargs: Keyword arguments.
          name: Name, which is made unique; None derives it from `target`.
          type_expr: Annotation of the result.
        """
        candidate = name if name is not None else self._target_to_str(target)
        unique = self._graph_namespace.create_name(candidate, None)
        node = Node(self, unique, op, target, args or (), kwargs or {}, type_expr)
        self._graph_namespace.associate_name_with_obj(unique, node)
        self._insert(node)
        self._len += 1
        return node

    @staticmethod
    def _target_to_str(target: Any) -> str:
        text = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
        if text.startswith("__") and text.endswith("__"):
            text = text[2:-2]
        return snake_case(text)

    def process_inputs(self, *args: Any) -> Any:
        """Converts arguments of the function to values of the placeholders."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Converts the value of the output to the result of the function."""
        return self._codegen.process_outputs(out)

    def erase_node(self, to_erase: Node) -> None:
        """Removes a Node.

        Args:
          to_erase: The Node; no other node may use it.

        Errors: RuntimeError if it has users, and if it is in another graph.
        """
        if to_erase.users:
            raise RuntimeError(f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!")
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._set_inputs((), {})

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Sets the insertion point in front of a node: for good, or in a `with` statement for its time.

        Args:
          n: The node; None is the start of the graph.
        """
        if n is None:
            return self.inserting_after(self._root)
        assert n.graph is self, "Node to insert before is not in graph."
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Sets the insertion point behind a node: for good, or in a `with` statement for its time.

        Args:
          n: The node; None is the end of the graph.
        """
        if n is None:
            return self.inserting_before(self._root)
        assert n.graph is self, "Node to insert after is not in graph."
        return _InsertPoint(self, n.append)

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Inserts an argument of the function.

        Args:
          name: Its name.
          type_expr: Its annotation.
          default_value: Its default; Ellipsis is none.
        """
        return self.create_node("placeholder", name, () if default_value is ... else (default_value,), {}, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Inserts the read of a parameter, buffer or submodule.

        Args:
          qualified_name: Its path, such as 'layer.weight'.
          type_expr: Its annotation.
        """
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name: str, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None,
                    type_expr: Any = None) -> Node:
        """Inserts the call of a submodule.

        Args:
          module_name: Its path.
          args: Arguments.
          kwargs: Keyword arguments.
          type_expr: Annotation of the result.

        Errors: AttributeError if the module that owns the graph has no such submodule.
        """
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name: str, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None,
                    type_expr: Any = None) -> Node:
        """Inserts the call of a method.

        Args:
          method_name: Its name.
          args: The object and the arguments.
          kwargs: Keyword arguments.
          type_expr: Annotation of the result.
        """
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function: Callable[..., Any], args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None,
                      type_expr: Any = None, name: str | None = None) -> Node:
        """Inserts the call of a function.

        Args:
          the_function: The function.
          args: Arguments.
          kwargs: Keyword arguments.
          type_expr: Annotation of the result.
          name: Name of the node; None derives it from the function.
        """
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Inserts a copy of a node, which may be in another graph.

        Args:
          node: The node.
          arg_transform: Function from a node among its arguments to the argument of the copy.
        """
        made = self.create_node(node.op, node.target, map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform), node.name,
                                node.type)
        made.meta = copy.copy(node.meta)
        return made

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Inserts the result of the function.

        Args:
          result: Node, or nested nodes.
          type_expr: Annotation of the result.
        """
        return self.create_node("output", "output", (result,), {}, type_expr=type_expr)

    def python_code(self, root_module: str, *, verbose: bool = False, include_stride: bool = False, include_device: bool = False,
                    colored: bool = False) -> PythonCode:
        """Returns Python source of the graph and its global names.

        Args:
          root_module: Text of the module in the source, such as 'self'.
          verbose: Comments are not written.
          include_stride: Comments are not written.
          include_device: Comments are not written.
          colored: Colours are not written.
        """
        namespace = Namespace()
        for node in self.nodes:  # the names of nodes stay
            namespace._rename_object(node, node.name)
        return self._codegen._gen_python_code(self.nodes, root_module, namespace)

    def __str__(self) -> str:
        return graph_text(self)

    def print_tabular(self) -> None:
        """Prints the nodes as a table."""
        rows = [("opcode", "name", "target", "args", "kwargs")]
        rows += [(n.op, n.name, str(n.target), str(n.args), str(n.kwargs)) for n in self.nodes]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
        print("\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows))

    def lint(self) -> None:
        """Checks that nodes are used after they are defined, that names are unique, and that paths exist.

        Errors: RuntimeError if not.
        """
        defined: set[Node] = set()
        names: set[str] = set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for used in node._input_nodes:
                if used.graph is not self:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an argument! "
                                       "If you are copying nodes from another graph, make sure to use ``arg_transform`` on node_copy() "
                                       f"to remap values\n{self}")
                if used not in defined:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that Nodes "
                                       f"in the graph are topologically ordered\n{self}")
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            defined.add(node)
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    self._check_path(node)

    def _check_path(self, node: Node) -> None:
        found: Any = self.owning_module
        for part in str(node.target).split("."):
            if not hasattr(found, part):
                raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {node.target}")
            found = getattr(found, part)

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Removes nodes without users and without effects; returns whether there were any.

        Args:
          is_impure_node: Function of a node that returns whether it has effects; None is
            `Node.is_impure`.

        Errors: RuntimeError as of `lint`.
        """
        self.lint()
        impure = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and node.op not in ("placeholder", "output") and not impure(node):
                self.erase_node(node)
                changed = True
        return changed

    def set_codegen(self, codegen: CodeGen) -> None:
        """Sets the writer of the Python source.

        Args:
          codegen: The writer.
        """
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Any], Any]) -> _BodyTransformer:
        """Registers a function that changes the lines of the source: for good, or in a `with` statement
        for its time.

        Args:
          make_transformer: Function of the function registered before, or None. It returns a function
            from a list of lines to one.
        """
        return _BodyTransformer(self._codegen, make_transformer)


class _BodyTransformer:
    def __init__(self, codegen: CodeGen, make: Callable[[Any], Any]) -> None:
        self.codegen, self.previous = codegen, codegen._body_transformer
        codegen._body_transformer = make(self.previous)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: Any) -> None:
        self.codegen._body_transformer = self.previous


def has_nodes(nodes: Iterable[Node], op: str) -> bool:
    """Whether a node of this kind is among the nodes."""
    return any(n.op == op for n in nodes)
