"""Parameters of modules that are sparse tensors."""
from __future__ import annotations

from copy import deepcopy
from typing import Any

from torch_np import Tensor, _C
from torch_np.nn.parameter import Parameter
from torch_np.sparse._common import with_values
from torch_np.sparse._parts import parts_of
from torch_np.sparse._print import text_of
from torch_np.sparse._tensor import SparseTensor


class SparseParameter(SparseTensor, Parameter):
    """A sparse tensor that becomes a parameter of a Module. Users see the class Parameter."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Parameter

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + text_of(self, tensor_contents=tensor_contents)

    def __str__(self) -> str:
        return repr(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            made = parameter_of(deepcopy(self.detach(), {}), self.requires_grad)
            if self.grad is not None:
                made.grad = self.grad.clone()
            memo[id(self)] = made
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return parameter_of, (self.detach(), self.requires_grad)


def parameter_of(data: Tensor, requires_grad: bool = True) -> Tensor:
    """A parameter with the parts of a sparse tensor."""
    values = parts_of(data).values.detach()
    return _C._make_subclass(SparseParameter, with_values(data, values.requires_grad_(requires_grad)), False)
