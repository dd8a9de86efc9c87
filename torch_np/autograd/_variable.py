"""Names of before tensors were what gradients are of."""
from __future__ import annotations

from typing import Any, NoReturn

from torch_np import _C


class _IsTensor(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor)


class Variable(metaclass=_IsTensor):
    """`Variable(tensor, requires_grad=False)` is the memory of `tensor` as a leaf; every Tensor is an instance."""

    def __new__(cls, data: _C.Tensor, requires_grad: bool = False) -> _C.Tensor:  # type: ignore[misc]
        leaf = data.detach()
        return leaf.requires_grad_() if requires_grad else leaf


def variable(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises RuntimeError, as in PyTorch: `torch_np.tensor` makes tensors."""
    raise RuntimeError("torch_np.autograd.variable(...) is deprecated, use torch_np.tensor(...) instead")
