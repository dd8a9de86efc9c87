"""Differentiation: `backward` and `grad`, grad modes, functions with one's own derivative, and their checks.

Everything here takes arrays of both types. Gradients come back in the type of the array they belong to.
"""

from torch_np._C import FunctionCtx as FunctionCtx, Node as Node, RemovableHandle as RemovableHandle
from torch_np.autograd._graph import Graph, graph
from torch_np.autograd._run import backward, grad
from torch_np.autograd.function import Function
from torch_np.autograd.grad_mode import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled,
)
from torch_np.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from torch_np.autograd._variable import Variable, variable

__all__ = [
    "Function", "GradcheckError", "Graph", "Variable", "backward", "enable_grad", "grad", "gradcheck", "gradgradcheck", "graph", "inference_mode",
    "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled", "variable",
]
