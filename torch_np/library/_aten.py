"""`torch_np.ops.aten`: functions of torch_np under the names of PyTorch's operators."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._absent import absent_function
from torch_np._transforms.overloads import OpOverloadPacket, native_function


def _to_copy(self: _C.Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool | None = None,
             non_blocking: bool = False, memory_format: Any = None) -> _C.Tensor:
    """A copy of a tensor, perhaps of another dtype, device or memory format. Gradients flow through
    it. Only strided tensors exist.
    """
    import torch_np

    if layout not in (None, torch_np.strided):
        raise NotImplementedError(f"_to_copy(): the layout {layout} is not implemented; tensors are strided")
    keywords = {} if memory_format is None else {"memory_format": memory_format}
    made = self.to(device=self.device if device is None else device, dtype=self.dtype if dtype is None else dtype,
                   non_blocking=non_blocking, copy=True, **keywords)
    return made.pin_memory() if pin_memory else made


def _pin_memory(self: _C.Tensor, device: Any = None) -> _C.Tensor:
    """A copy of a tensor in memory that GPUs read directly. `device` has no effect: it names the
    GPU.
    """
    return self.pin_memory()


def _alias(self: _C.Tensor) -> _C.Tensor:
    """A view of the whole tensor."""
    return self.view_as(self)


def _slice(self: _C.Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> _C.Tensor:
    """A view of a range of an axis, as `self[start:end:step]` gives for the first one."""
    axes = self.dim()
    if not -axes <= dim < axes:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-axes}, {axes - 1}], but got {dim})")
    return self[(slice(None),) * (dim % axes) + (slice(start, end, step),)]


def _index(self: _C.Tensor, indices: Any) -> _C.Tensor:
    """Elements at the indices of the first axes; None takes all of an axis."""
    return self[tuple(slice(None) if i is None else i for i in indices)]


def _index_put_(self: _C.Tensor, indices: Any, values: _C.Tensor, accumulate: bool = False) -> _C.Tensor:
    """Assigns or adds values at the indices of the first axes; None takes all of an axis."""
    if accumulate:
        return self.index_put_(tuple(indices), values, True)
    self[tuple(slice(None) if i is None else i for i in indices)] = values
    return self


def _native_dropout_backward(grad_output: _C.Tensor, mask: _C.Tensor, scale: float) -> _C.Tensor:
    """The gradient of native_dropout."""
    return grad_output * mask * scale


def _upsample_bilinear2d_aa(self: _C.Tensor, output_size: Any, align_corners: bool, scales_h: float | None = None,
                            scales_w: float | None = None, *, scale_factors: Any = None) -> _C.Tensor:
    """Bilinear interpolation of images with a filter against aliasing."""
    if scales_h is not None or scales_w is not None:
        raise NotImplementedError("_upsample_bilinear2d_aa(): scales_h and scales_w are not implemented; use scale_factors")
    from torch_np.nn.functional import interpolate

    return interpolate(self, output_size, None if output_size is not None else tuple(scale_factors), "bilinear", align_corners, antialias=True)


def _sparse_addmm(self: _C.Tensor, mat1: _C.Tensor, mat2: _C.Tensor, *, beta: Any = 1, alpha: Any = 1) -> _C.Tensor:
    """`beta * self + alpha * mat1 @ mat2`, of which at least one is sparse."""
    from torch_np.sparse import addmm

    return addmm(self, mat1, mat2, beta=beta, alpha=alpha)


def _sparse_compressed_tensor_with_dims(*args: Any, **kwargs: Any) -> _C.Tensor:
    """A sparse tensor of given numbers of elements and axes, whose parts are zeros."""
    from torch_np.sparse._with_dims import compressed_with_dims

    return compressed_with_dims(*args, **kwargs)


_OWN: dict[str, Any] = {
    "_to_copy": _to_copy, "_pin_memory": _pin_memory, "alias": _alias, "slice": _slice, "index": _index,
    "native_dropout_backward": _native_dropout_backward, "_upsample_bilinear2d_aa": _upsample_bilinear2d_aa,
    "_sparse_addmm": _sparse_addmm, "_sparse_compressed_tensor_with_dims": _sparse_compressed_tensor_with_dims,
    "_sparse_mm_reduce_impl": absent_function("_sparse_mm_reduce_impl", "the places of extremes are not computed; use torch_np.sparse.mm(..., reduce)",
                                              "torch_np.ops.aten"),
}


def _of(name: str) -> Callable[..., Any]:
    """A function of torch_np.nn.functional."""
    def call(*args: Any, **kwargs: Any) -> Any:
        from torch_np.nn import functional

        return getattr(functional, name)(*args, **kwargs)
    call.__name__ = name
    return call


_OWN.update({
    "_softmax": lambda self, dim, half_to_float: self.softmax(dim),
    "_log_softmax": lambda self, dim, half_to_float: self.log_softmax(dim),
    "_softmax_backward_data": lambda grad, output, dim, input_dtype: native_function("softmax_gradient")(grad, output, dim, False),
    "_log_softmax_backward_data": lambda grad, output, dim, input_dtype: native_function("softmax_gradient")(grad, output, dim, True),
    "_unsafe_view": lambda self, size: self.reshape(size), "_reshape_alias": lambda self, size, stride: self.as_strided(size, stride),
    "_local_scalar_dense": lambda self: self.item(), "lift_fresh": lambda self: self, "detach": _C.Tensor.detach,
    "gelu_backward": lambda grad, self, *, approximate="none": native_function(
        "gelu_tanh_backward" if approximate == "tanh" else "gelu_erf_backward")(grad, self),
    "_prelu_kernel": native_function("prelu_of"),
    **{name: _of(name) for name in ("gelu", "leaky_relu", "elu", "hardtanh", "softplus", "softshrink", "silu", "mish", "hardswish", "hardsigmoid",
                                    "glu", "relu6")},
    "unfold": _C.Tensor.unfold, "index_put_": _index_put_,
    "max_pool2d_with_indices": _of("max_pool2d_with_indices"),
    "sym_size": lambda self, dim=None: list(self.shape) if dim is None else self.shape[dim],
})


class Functions:
    """A namespace of operators that are functions of torch_np."""

    def __init__(self, name: str) -> None:
        self.__name__ = f"torch_np.ops.{name}"
        self._space = name

    def __getattr__(self, name: str) -> Any:
        import torch_np
        from torch_np.nn import functional

        if not name.startswith("__"):
            if self._space == "aten" and name in _OWN:
                made = self.__dict__[name] = OpOverloadPacket(self._space, name, _OWN[name])
                return made
            for place in (torch_np, functional, torch_np.special, torch_np.linalg):
                function = vars(place).get(name)
                if isinstance(function, _C.Function) or callable(function) and not isinstance(function, type) and place is not functional:
                    made = self.__dict__[name] = OpOverloadPacket(self._space, name, function)
                    return made
            method = getattr(_C.Tensor, name, None)
            if callable(method):
                made = self.__dict__[name] = OpOverloadPacket(self._space, name, method)
                return made
        raise AttributeError(f"{self.__name__} has no operator '{name}'")

    def __repr__(self) -> str:
        return f"<operators {self.__name__}>"
