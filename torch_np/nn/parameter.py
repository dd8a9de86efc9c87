"""Parameter and Buffer: the tensors that modules register. Uninitialised ones get their shape later.
"""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from torch_np import _C, _public_names
from torch_np._C import Tensor
from torch_np._transforms.dispatch import has_dispatch

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy"]


class _ParameterMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        # A tensor of a subclass with __torch_dispatch__ keeps its class as a parameter.
        return super().__instancecheck__(instance) or cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
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
        if _C._is_sparse(data):
            from torch_np.sparse._parameters import parameter_of

            return parameter_of(data, requires_grad)  # type: ignore[return-value]
        if type(data) not in (Tensor, Parameter) and has_dispatch(type(data)):
            made: Any = data.detach().requires_grad_(requires_grad)
            made._is_param = True
            return made
        return _C._make_subclass(cls, data, requires_grad)

    if TYPE_CHECKING:
        def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
            pass
    else:
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # a subclass with another __new__ has no __init__
            pass

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __str__(self) -> str:
        return repr(self)

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


class UninitializedTensorMixin:
    """Base class of the parameters and buffers whose shape is not known yet.

    They have a dtype and a device. `materialize()` gives them a shape, and turns them into an
    ordinary Parameter or Tensor. Until then they are on the device "meta" for operators, which thus
    compute no values from them.
    """

    _future_device: Any

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Gives the tensor a shape and memory, whose values are not initialised.

        Args:
          shape: the sizes
          device: the device; None is that of the constructor
          dtype: the dtype; None is that of the constructor
        """
        data = _C._torch.empty(shape, device=self.device if device is None else device, dtype=self.dtype if dtype is None else dtype)
        self.__dict__.pop("_future_device", None)
        setattr(self, "data", data)
        self._become_initialized()

    def _become_initialized(self) -> None:
        raise NotImplementedError

    def _converted(self, fn: Callable[[Tensor], Tensor]) -> None:
        """Takes the device and dtype of `fn` of a tensor without elements."""
        made = fn(_C._torch.empty(0, device=self.device, dtype=self.dtype))
        setattr(self, "data", _C._torch.empty(0, device="meta", dtype=made.dtype))
        self._future_device = made.device

    dtype: Any  # that of the Tensor

    @property
    def device(self) -> Any:
        """The device on which `materialize()` allocates."""
        return self._future_device

    @property
    def shape(self) -> NoReturn:
        """Raises RuntimeError: the shape is not known yet."""
        raise RuntimeError("Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
                           "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
                           "parameters before accessing their attributes.")

    def share_memory_(self) -> NoReturn:
        """Raises RuntimeError: there is no memory to share yet."""
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
                           "calling `module.share_memory()`.")

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (getattr(self, "requires_grad"),)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(getattr(self, "requires_grad"), self.device, self.dtype)  # type: ignore[call-arg]
        return memo[id(self)]


def _without_shape(cls, requires_grad, device, dtype):
    """A tensor of `cls` without elements on the device "meta", and its later device."""
    made = _C._torch.empty(0, device=device, dtype=dtype)
    tensor = _C._make_subclass(cls, _C._torch.empty(0, device="meta", dtype=made.dtype), requires_grad)
    tensor._future_device = made.device
    return tensor


# mypy ignores the names of parameters of special methods, and finds that __repr__ differs
class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet; `materialize()` makes it a Parameter.

    Args:
      requires_grad: whether gradients are recorded
      device: the device
      dtype: the dtype

    Shapes: none until `materialize()`.
    """

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        return _without_shape(cls, requires_grad, device, dtype)

    if TYPE_CHECKING:
        def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
            pass
    else:
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # a subclass with another __new__ has no __init__
            pass

    def _become_initialized(self) -> None:
        self.__class__ = Parameter  # type: ignore[assignment]


class _MaterializedBuffer(Tensor):
    """A buffer that was uninitialised."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.as_subclass(Tensor).detach().requires_grad_(self.requires_grad).__reduce_ex__(protocol)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape is not known yet; `materialize()` makes it an ordinary buffer.

    Args:
      requires_grad: whether gradients are recorded
      device: the device
      dtype: the dtype
      persistent: whether the buffer is part of the module's state_dict

    Shapes: none until `materialize()`.
    """

    persistent: bool

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> UninitializedBuffer:
        made = _without_shape(cls, requires_grad, device, dtype)
        made._is_buffer = True
        made.persistent = persistent
        return made

    if TYPE_CHECKING:
        def __init__(self, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> None:
            pass
    else:
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # a subclass with another __new__ has no __init__
            pass

    def _become_initialized(self) -> None:
        self.__class__ = _MaterializedBuffer  # type: ignore[assignment]


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer is uninitialised.

    Args:
      param: any object
    """
    return isinstance(param, UninitializedTensorMixin)
