"""torch_np.fx: graphs of Python functions and modules, and their rewriting.

`symbolic_trace` runs a function with Proxies, which record the operations as Nodes of a Graph. A
GraphModule computes a graph by generated Python code; Interpreter runs one node by node. Loops and
branches that do not depend on tensors are run during the trace.
"""
from __future__ import annotations

from torch_np._deferred import deferred as _deferred
from torch_np.fx import immutable_collections as immutable_collections
from torch_np.fx._symbolic_trace import (
    PH as PH, ProxyableClassMeta as ProxyableClassMeta, Tracer as Tracer, symbolic_trace as symbolic_trace, wrap as wrap,
)
from torch_np.fx.graph import CodeGen as CodeGen, Graph as Graph
from torch_np.fx.graph_module import GraphModule as GraphModule
from torch_np.fx.interpreter import Interpreter as Interpreter, Transformer as Transformer
from torch_np.fx.node import Node as Node, has_side_effect as has_side_effect, map_arg as map_arg
from torch_np.fx.proxy import Proxy as Proxy
from torch_np.fx.subgraph_rewriter import replace_pattern as replace_pattern

__all__ = ["CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "PH", "Proxy", "ProxyableClassMeta", "Tracer", "Transformer",
           "has_side_effect", "map_arg", "replace_pattern", "symbolic_trace", "wrap"]
globals().update((_name, _deferred(f"torch_np.fx.{_name}")) for _name in ("_compatibility", "_pytree", "experimental"))
