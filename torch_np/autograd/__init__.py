"""torch_np.autograd: `backward` and `grad`, gradient modes, functions with custom derivatives, and
checks of derivatives.

All functions accept both types of arrays. A gradient has the type of its array.
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
