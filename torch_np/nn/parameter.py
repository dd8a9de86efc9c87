"""Parameter and Buffer: the tensors that modules register."""
from __future__ import annotations

from collections import OrderedDict
from typing import Any

from torch_np import _C, _public_names
from torch_np._C import Tensor

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A tensor that becomes a parameter of a Module when it is assigned to an attribute of it.

    Operators on parameters return plain Tensors.

    Args:
      data: the values, whose memory is shared; None for no elements
      requires_grad: whether gradients are recorded

    Shapes: as `data`, or (0,) for None.
    Errors: RuntimeError if `requires_grad` and the dtype is neither floating nor complex, TypeError
    if `data` is not a Tensor.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = _C._torch.empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter(): data must be Tensor, not {type(data).__name__}")
        return _C._make_subclass(cls, data, requires_grad)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        pass

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        if _public_names.public == _public_names.TORCH:
            from torch_np.serialization import _rebuild

            return _rebuild.reduce_parameter(self)
        # PyTorch has an OrderedDict of backward hooks here; hooks are not pickled.
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict(), self.__dict__ or None)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) in memo:
            return memo[id(self)]
        with_data = super().__deepcopy__(memo)
        memo[id(self)] = with_data
        return with_data


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any, attributes: dict[str, Any] | None = None) -> Parameter:
    made = Parameter(data, requires_grad)
    if attributes:
        made.__dict__.update(attributes)
    return made


_C._set_parameter_type(Parameter)


class _BufferType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that becomes a buffer of a Module when it is assigned to an attribute of it.

    `Buffer(x)` is a Tensor that shares the memory of x and is marked as a buffer.

    Args:
      data: the values; None for no elements
      persistent: whether the buffer is part of the module's state_dict

    Shapes: as `data`, or (0,) for None.
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        made = (_C._torch.empty(0) if data is None else data).detach().requires_grad_(data is not None and data.requires_grad)
        made._is_buffer = True  # type: ignore[attr-defined]
        made.persistent = persistent  # type: ignore[attr-defined]
        return made
