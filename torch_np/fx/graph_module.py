"""GraphModule: a module whose forward is generated from a graph."""
from __future__ import annotations

import copy
import itertools
import linecache
from typing import Any

from torch_np import _C
from torch_np.fx.graph import Graph, PythonCode
from torch_np.nn import Module

__all__ = ["GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_numbers = itertools.count()


def _forward_from_src(src: str, globals_: dict[str, Any], co_fields: Any = None) -> Any:
    """Compiles the source of a function and returns the function; tracebacks show the lines."""
    namespace = dict(globals_)
    name = f"<eval_with_key>.{next(_numbers)}"
    linecache.cache[name] = (len(src), None, src.splitlines(True), name)
    exec(compile(src, name, "exec"), namespace)
    return namespace["forward"]


_exec_with_source = _forward_from_src


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Copies a parameter, buffer or submodule by its path. Missing modules on the way are made."""
    *prefix, field = target.split(".")
    for part in prefix:
        source, destination = getattr(from_module, part), getattr(to_module, part, None)
        if source is destination:
            return
        if destination is None:
            destination = Module()
            setattr(to_module, part, destination)
        from_module, to_module = source, destination
    value = getattr(from_module, field)
    if isinstance(value, _C.Tensor) and field in from_module._buffers:
        to_module.register_buffer(field, value)
    else:
        setattr(to_module, field, value)


def _assign_attr(from_obj: Any, to_module: Module, target: str) -> None:
    """Sets an attribute of a module by its path. A tensor becomes a buffer."""
    *prefix, field = target.split(".")
    for part in prefix:
        found = getattr(to_module, part, None)
        if found is None:
            found = Module()
            setattr(to_module, part, found)
        to_module = found
    if isinstance(from_obj, _C.Tensor) and field not in to_module._parameters and type(from_obj) is _C.Tensor:
        to_module.register_buffer(field, from_obj)
    else:
        setattr(to_module, field, from_obj)


def _get_attr(model: Module, attr_name: str) -> Any:
    found: Any = model
    for part in attr_name.split("."):
        found = getattr(found, part)
    return found


class _CodeOnlyModule(Module):
    """A module with the attributes of another, for a trace of pickled source."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def reduce_graph_module(body: dict[Any, Any], import_block: str = "") -> Module:
    """Makes a GraphModule from its pickled state by tracing its source.

    Args:
      body: State of the module, with the source and its globals.
      import_block: Source of imports; the globals are pickled instead.
    """
    source, names, name, tracer_cls = (body.pop(key) for key in ("_code", "_graph_globals", "_graphmodule_cls_name", "_tracer_cls"))
    forward = _forward_from_src(source, names)
    plain = _CodeOnlyModule(body)
    setattr(_CodeOnlyModule, "forward", forward)
    from torch_np.fx._symbolic_trace import Tracer

    class KeepModules((tracer_cls or Tracer)):  # type: ignore[misc]
        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True
    graph = KeepModules().trace(plain)
    graph._tracer_cls = tracer_cls
    return GraphModule(plain, graph, class_name=name)


class GraphModule(Module):
    """A module whose `forward` is Python code generated from a graph. It has the parameters, buffers and
    submodules that the graph names.

    An assignment to `graph` generates the code anew; after changes of the graph itself, call
    `recompile`.

    Args:
      root: Module with the attributes, or a dict from paths to them.
      graph: The graph.
      class_name: Name of the class of this module.

    Errors: RuntimeError for a path of the graph that `root` does not have.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        for base in cls.__mro__:  # each module has a class of its own, which holds its forward
            if "<locals>" not in base.__qualname__ and base.__name__ != "GraphModuleImpl":
                cls = base  # noqa: PLW0642
                break

        class GraphModuleImpl(cls):  # type: ignore[valid-type, misc]
            pass
        return super().__new__(GraphModuleImpl)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attr(root, self, str(node.target))
        elif isinstance(root, dict):
            self._take(root, graph)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        self._tracer_cls = None
        if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__:
            self._tracer_cls = graph._tracer_cls
        self._tracer_extras: dict[str, Any] = graph._tracer_extras or {}
        self.meta: dict[str, Any] = dict(getattr(root, "meta", {})) if isinstance(root, GraphModule) else {}

    def _take(self, root: dict[str, Any], graph: Graph) -> None:
        paths = []
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                if node.target not in root:
                    raise RuntimeError(f"Node {node} referenced target {node.target} but that target was not provided in ``root``!")
                paths.append(str(node.target))
        for path in sorted(paths, key=lambda path: path.count(".")):
            _assign_attr(root[path], self, path)

    @property
    def graph(self) -> Graph:
        """The graph; an assignment generates the code anew."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        assert isinstance(g, Graph), f"Expected a Graph instance, but got {type(g)}"
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """Python source of `forward`."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Generates the code from the graph and returns its source."""
        made = self._graph.python_code(root_module="self")
        self._code, self._graph_globals = made.src, made.globals
        type(self).forward = _forward_from_src(made.src, made.globals)  # type: ignore[method-assign]
        return made

    def to_folder(self, folder: Any, module_name: str = "FxModule") -> None:
        """Raises NotImplementedError.

        Args:
          folder: Folder.
          module_name: Name of the class.
        """
        raise NotImplementedError("GraphModule.to_folder(): folders of source are not implemented; write `module.code` to a file, and its "
                                  "parameters with torch_np.save(module.state_dict(), file)")

    def add_submodule(self, target: str, m: Module) -> bool:
        """Adds a submodule; returns False if an attribute that is no module is in the way.

        Args:
          target: Its path.
          m: The module.
        """
        *prefix, field = target.split(".")
        mod: Any = self
        for part in prefix:
            found = getattr(mod, part, None)
            if found is None:
                found = Module()
                setattr(mod, part, found)
            if not isinstance(found, Module):
                return False
            mod = found
        mod.add_module(field, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Deletes a submodule; returns whether there was one.

        Args:
          target: Its path.
        """
        *prefix, field = target.split(".")
        mod: Any = self
        for part in prefix:
            if not isinstance(getattr(mod, part, None), Module):
                return False
            mod = getattr(mod, part)
        if not isinstance(getattr(mod, field, None), Module):
            return False
        delattr(mod, field)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Deletes the submodules that the graph does not name."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = str(node.target).split(".")
                used.update(".".join(parts[:i + 1]) for i in range(len(parts)))
                found = _get_attr(self, str(node.target))
                if isinstance(found, Module):
                    used.update(f"{node.target}.{name}" for name, _ in found.named_modules() if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    def __reduce__(self) -> Any:
        state = self.__dict__.copy()
        for key in ("_graph", "_tracer_extras", "meta"):
            state.pop(key, None)
        state["_graphmodule_cls_name"] = type(self).__name__
        return reduce_graph_module, (state,)

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        attributes = Module()
        memo[id(self)] = made = self.__class__.__new__(self.__class__)
        own = copy.deepcopy({key: value for key, value in self.__dict__.items() if key not in ("_graph", "_code", "_graph_globals", "_tracer_cls")},
                            memo)
        attributes.__dict__ = own
        GraphModule.__init__(made, attributes, copy.deepcopy(self._graph), type(self).__name__)
        for key, value in own.items():
            if key not in made.__dict__ or key in ("_parameters", "_buffers", "_modules", "training", "meta"):
                made.__dict__[key] = value
        made._tracer_cls = self._tracer_cls
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, copy.deepcopy(self.graph), type(self).__name__)
        made.meta = dict(self.meta)
        return made

    def print_readable(self, print_output: bool = True, include_stride: bool = False, include_device: bool = False, colored: bool = False,
                       **kwargs: Any) -> str:
        """Returns and prints the source of this module and of those below it.

        Args:
          print_output: Whether to print it.
          include_stride: Comments are not written.
          include_device: Comments are not written.
          colored: Colours are not written.
        """
        parts = [f"class {type(self).__name__}(torch_np.nn.Module):\n    " + self.code.strip().replace("\n", "\n    ")]
        parts += [m.print_readable(print_output=False) for m in self.children() if isinstance(m, GraphModule)]
        text = "\n\n".join(parts)
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        return "\n".join([super().__str__(), self._code, "# To see more debug info, please use `graph_module.print_readable()`"])
