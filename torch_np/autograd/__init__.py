"""torch_np.autograd: `backward` and `grad`, gradient modes, functions with custom derivatives, and
checks of derivatives.

All functions accept both types of arrays. A gradient has the type of its array.
"""
from typing import TYPE_CHECKING as _TYPE_CHECKING

from torch_np import _C as _C
from torch_np._C import FunctionCtx as FunctionCtx, Node as Node, RemovableHandle as RemovableHandle, SavedTensor as SavedTensor
from torch_np._deferred import deferred as _deferred
from torch_np.autograd import graph as graph
from torch_np.autograd._device_type import DeviceType as DeviceType
from torch_np.autograd._graph import Graph
from torch_np.autograd._run import backward, grad
from torch_np.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from torch_np.autograd.function import Function, NestedIOFunction as NestedIOFunction
from torch_np.autograd.grad_mode import (
    enable_grad, enforce_grad_layout_policy, inference_mode, is_grad_enabled, is_inference_mode_enabled, is_multithreading_enabled, no_grad,
    set_grad_enabled, set_multithreading_enabled,
)
from torch_np.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from torch_np.autograd.variable import Variable, variable

if _TYPE_CHECKING:
    from torch_np.autograd import forward_ad as forward_ad, functional as functional, profiler as profiler
else:
    forward_ad, functional, profiler = (_deferred(f"torch_np.autograd.{_name}") for _name in ("forward_ad", "functional", "profiler"))

_profiler_enabled = _C._profiler_is_on

__all__ = [
    "Function", "GradcheckError", "Graph", "Variable", "backward", "detect_anomaly", "enable_grad", "enforce_grad_layout_policy", "grad",
    "gradcheck", "gradgradcheck", "graph", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "is_multithreading_enabled",
    "no_grad", "set_detect_anomaly", "set_grad_enabled", "set_multithreading_enabled", "variable",
]
