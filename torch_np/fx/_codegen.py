"""Python source of a graph."""
from __future__ import annotations

import builtins
import math
import operator
import typing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np.fx._namespace import Namespace
from torch_np.fx.node import Node, _get_qualified_name, _type_repr

if TYPE_CHECKING:
    from torch_np.fx.graph import Graph

# Formats of operators, by the name of the function in the module operator.
MAGIC_METHODS = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}", "pos": "+{}", "neg": "-{}",
    "invert": "~{}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}", "truediv": "{} / {}", "mod": "{} % {}",
    "pow": "{} ** {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}",
    "getitem": "{}[{}]", "matmul": "{} @ {}"}
REFLECTABLE = ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "matmul")
_INPLACE = {"iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}", "imod": "{} %= {}", "imul": "{} *= {}",
            "imatmul": "{} @= {}", "ior": "{} |= {}", "ipow": "{} **= {}", "irshift": "{} >>= {}", "isub": "{} -= {}", "itruediv": "{} /= {}",
            "ixor": "{} ^= {}", "setitem": "{}[{}] = {}"}
_MAGIC = {getattr(operator, name): text for name, text in MAGIC_METHODS.items()}
_IN_PLACE = {getattr(operator, name): text for name, text in _INPLACE.items()}


@dataclass
class PythonCode:
    """Source of a graph, and the values of the global names in it."""

    src: str
    globals: dict[str, Any] = field(default_factory=dict)
    _lineno_map: dict[int, int | None] | None = None


class CodeGen:
    """Writes the Python function of a graph. Subclasses change its signature."""

    _body_transformer: Any = None
    _func_name: str = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Returns the line that begins the function.

        Args:
          free_vars: Texts of its arguments, without `self`.
          maybe_return_annotation: Text of the annotation of the result, or ''.
        """
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any) -> str:
        """Returns the line with the result.

        Args:
          output_args: Argument of the output node.
        """
        return f"return {output_args!r}"

    def process_inputs(self, *args: Any) -> Any:
        """Converts the arguments of the function to the values of the placeholders."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Converts the value of the output node to the result of the function."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Further global names and their values."""
        return []

    def _gen_python_code(self, nodes: Any, root_module: str, namespace: Namespace) -> PythonCode:
        return _Writer(self, root_module, namespace).write(list(nodes))


class _Writer:
    def __init__(self, codegen: CodeGen, root_module: str, namespace: Namespace) -> None:
        self.codegen, self.root, self.namespace = codegen, root_module, namespace
        self.globals: dict[str, Any] = {}
        self.free_vars: list[str] = []
        self.renamed: list[str] = []
        self.body: list[str] = []
        self.returned = ""

    def add_global(self, hint: str, obj: Any) -> str:
        if isinstance(obj, type) and getattr(builtins, obj.__name__, None) is obj:
            return obj.__name__  # type: ignore[union-attr]
        if _is_reachable(hint, obj):
            root = hint.partition(".")[0]
            self.globals.setdefault(root, __import__(root))
            return hint
        for name, value in self.globals.items():
            if value is obj:
                return name
        name = self.namespace.create_name(hint.replace(".", "_"), obj if _is_hashable(obj) else None)
        self.globals[name] = obj
        return name

    def type_name(self, annotation: Any) -> str:
        if annotation in (None, ()):
            return "()" if annotation == () else ""
        if isinstance(annotation, str):
            return annotation
        origin = typing.get_origin(annotation)
        if origin is not None:
            return self.add_global(_type_repr(annotation).replace("[", "_").replace("]", "_").replace(", ", "_"), annotation)
        return self.add_global(_type_repr(annotation), annotation)

    def arg(self, a: Any) -> str:
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return f"{self.add_global(_type_repr(type(a)), type(a))}({', '.join(map(self.arg, a))})"
        if isinstance(a, _C.Size):
            return f"{self.add_global('torch_np.Size', type(a))}([{', '.join(map(self.arg, a))}])"
        if isinstance(a, tuple):
            return f"({self.arg(a[0])},)" if len(a) == 1 else f"({', '.join(map(self.arg, a))})"
        if isinstance(a, list):
            return f"[{', '.join(map(self.arg, a))}]"
        if isinstance(a, dict):
            return "{" + ", ".join(f"{self.arg(key)}: {self.arg(value)}" for key, value in a.items()) + "}"
        if isinstance(a, slice):
            return f"slice({self.arg(a.start)}, {self.arg(a.stop)}, {self.arg(a.step)})"
        if isinstance(a, Node):
            return repr(a)
        if isinstance(a, float) and (math.isinf(a) or math.isnan(a)):
            self.globals.update(inf=math.inf, nan=math.nan)
            return repr(a)
        if isinstance(a, complex):
            return f"complex({self.arg(a.real)}, {self.arg(a.imag)})"
        if isinstance(a, (_C.dtype, _C.device)):
            return self.add_global(repr(a).split("(")[0], a) if type(a) is _C.dtype else self.device(a)
        if isinstance(a, str) or a is None or a is Ellipsis or isinstance(a, (int, float, bytes, range)):
            return repr(a)
        if isinstance(a, type) or callable(a):
            return self.add_global(_get_qualified_name(a), a)
        return self.add_global(type(a).__name__, a)

    def device(self, a: Any) -> str:
        self.globals["device"] = _C.device
        return repr(a).replace("torch_np.device", "device")

    def arguments(self, args: Any, kwargs: Any) -> str:
        return ", ".join([*map(self.arg, args), *(f"{name} = {self.arg(value)}" for name, value in kwargs.items())])

    def emit(self, node: Node) -> None:
        typed = f" : {self.type_name(node.type)}" if node.type is not None else ""
        if node.op == "placeholder":
            default = f" = {self.arg(node.args[0])}" if node.args else ""
            self.free_vars.append(f"{node.target}{typed}{default}")
            raw = str(node.target).replace("*", "")
            if raw != repr(node):
                self.renamed.append(f"    {node!r} = {raw}\n")
        elif node.op == "output":
            if node.type is not None:
                self.returned = f" -> {self.type_name(node.type)}"
            self.body.append(self.output(node))
        else:
            self.body.append(self.statement(node, typed))

    def output(self, node: Node) -> str:
        result = node.args[0]
        text = self.codegen.generate_output(result)
        return text if type(self.codegen).generate_output is not CodeGen.generate_output else f"return {self.arg(result)}"

    def statement(self, node: Node, typed: str) -> str:
        name = f"{node!r}{typed}"
        if node.op == "get_attr":
            return f"{name} = {_format_target(self.root, str(node.target))}"
        if node.op == "call_module":
            return f"{name} = {_format_target(self.root, str(node.target))}({self.arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            return f"{name} = {_format_target(self.arg(node.args[0]), str(node.target))}({self.arguments(node.args[1:], node.kwargs)})"
        target: Any = node.target
        if not node.kwargs and target in _MAGIC and len(node.args) == _MAGIC[target].count("{}"):
            return f"{name} = {_MAGIC[target].format(*map(self.arg, node.args))}"
        if not node.kwargs and target in _IN_PLACE:
            done = _IN_PLACE[target].format(*map(self.arg, node.args))
            return f"{done};  {name} = {self.arg(node.args[0])}"
        if target is getattr and len(node.args) == 2 and isinstance(node.args[0], Node) and str(node.args[1]).isidentifier():
            return f"{name} = {_format_target(self.arg(node.args[0]), node.args[1])}"
        if getattr(builtins, getattr(target, "__name__", ""), None) is target:
            return f"{name} = {target.__name__}({self.arguments(node.args, node.kwargs)})"  # type: ignore[union-attr]
        return f"{name} = {self.add_global(_function_name(target), target)}({self.arguments(node.args, node.kwargs)})"

    def write(self, nodes: list[Node]) -> PythonCode:
        last_use: dict[Node, Node] = {}
        for node in reversed(nodes):
            for used in node._input_nodes:
                last_use.setdefault(used, node)
        dead: dict[Node, list[Node]] = {}
        for used, user in last_use.items():
            dead.setdefault(user, []).append(used)
        lines = []
        for node in nodes:
            start = len(self.body)
            self.emit(node)
            if len(self.body) == start:
                continue
            line = self.body[-1]
            if node.op != "output":
                unused = dead.get(node, []) + ([] if node.users else [node])
                if unused:
                    line += ";  " + " = ".join([*map(repr, unused), "None"])
            lines.append(f"    {line}\n")
        if not self.body:
            lines.append("    pass\n")
        for name, value in self.codegen.additional_globals():
            self.globals[name] = value
        if self.codegen._body_transformer is not None:
            lines = self.codegen._body_transformer(lines)
        head = self.codegen.gen_fn_def(self.free_vars, self.returned)
        return PythonCode("\n\n\n" + head + "\n" + "".join(self.renamed) + "".join(lines) + "    ", self.globals)


def _function_name(function: Any) -> str:
    try:
        return _get_qualified_name(function)
    except RuntimeError:
        return str(getattr(function, "__name__", type(function).__name__))


def _is_hashable(obj: Any) -> bool:
    return type(obj).__hash__ is not None


def _is_reachable(path: str, obj: Any) -> bool:
    """Whether the attributes of a dotted name lead to the object."""
    root, *parts = path.split(".")
    try:
        found = __import__(root)
        for part in parts:
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        return False
    return found is obj and bool(parts)


def _format_target(base: str, target: str) -> str:
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def graph_text(graph: Graph) -> str:
    """Returns the lines of all nodes."""
    lines = [node.format_node() for node in graph.nodes]
    return "\n    ".join(["graph():", *(line for line in lines if line)])
