"""Helpers of optimisers by PyTorch's private names, for optimisers of packages that import them."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import torch_np
from torch_np import Tensor
from torch_np._torch.tensor_groups import (
    _get_foreach_kernels_supported_devices, _get_fused_kernels_supported_devices, _group_tensors_by_device_and_dtype,
)

__all__ = [
    "_capturable_doc", "_default_to_fused_or_foreach", "_device_dtype_check_for_fused", "_differentiable_doc", "_disable_dynamo_if_unsupported",
    "_dispatch_sqrt", "_foreach_doc", "_fused_doc", "_get_capturable_supported_devices",
    "_get_foreach_kernels_supported_devices", "_get_fused_kernels_supported_devices", "_get_scalar_dtype", "_get_value",
    "_group_tensors_by_device_and_dtype", "_maximize_doc", "_params_doc", "_stack_if_compiling", "_to_scalar", "_use_grad_for_differentiable",
    "_view_as_real",
]

_P = ParamSpec("_P")
_T = TypeVar("_T")

# Lines of docstrings that optimisers put together.
_params_doc = "params (iterable): the parameters, or dicts that define groups of them"
_foreach_doc = "foreach (bool, optional): whether the step works on lists of tensors"
_fused_doc = "fused (bool, optional): whether one operator computes the whole step"
_capturable_doc = "capturable (bool, optional): whether the step may be captured in a CUDA graph"
_differentiable_doc = "differentiable (bool, optional): whether autograd records the step"
_maximize_doc = "maximize (bool, optional): whether the step is along the gradient"


def _use_grad_for_differentiable(func: Callable[_P, _T]) -> Callable[_P, _T]:
    """Makes a step record operations only if `self.defaults["differentiable"]` is true."""
    @functools.wraps(func)
    def step(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        optimizer: Any = args[0]
        with torch_np.set_grad_enabled(bool(optimizer.defaults["differentiable"])):
            return func(*args, **kwargs)
    return step


def _get_value(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x: Any) -> Any:
    """A tensor of one element without dimensions; anything else is returned as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() else x


def _stack_if_compiling(x: Sequence[Any]) -> Sequence[Any]:
    return x


def _dispatch_sqrt(x: Any) -> Any:
    return x.sqrt() if isinstance(x, Tensor) else x ** 0.5


def _get_scalar_dtype(is_fused: bool | None = None) -> torch_np.dtype:
    """The dtype of numbers of steps."""
    wide = torch_np.get_default_dtype() == torch_np.float64 and not is_fused
    return torch_np.float64 if wide else torch_np.float32


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replaces complex tensors in the lists by views of their parts."""
    for i, p in enumerate(params):
        if p.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[i] = torch_np.view_as_real(tensors[i])


def _default_to_fused_or_foreach(params: list[Tensor], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether a step of its own choice is one operator, and whether it works on lists of tensors."""
    from torch_np.nn.parameter import Parameter

    if differentiable:
        return False, False

    def all_are(devices: list[str], floating: bool) -> bool:
        return all(p is None or (type(p) in (Tensor, Parameter) and p.device.type in devices and (p.is_floating_point() or not floating))
                   for p in params)
    fused = use_fused and all_are(_get_fused_kernels_supported_devices(), True)
    return fused, not fused and all_are(_get_foreach_kernels_supported_devices(), False)


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    devices = [d for d in _get_fused_kernels_supported_devices() if d != "cuda" or not cuda_unsupported]
    if p.device.type not in devices or not p.is_floating_point():
        raise RuntimeError(f"`fused=True` requires all the params to be floating point Tensors of supported devices: {devices} but {p.dtype} and "
                           f"{p.device.type}")


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def _disable_dynamo_if_unsupported(single_tensor_fn: Callable[..., Any] | None = None) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """A decorator that returns the function: nothing is compiled unless asked for."""
    return lambda func: func
