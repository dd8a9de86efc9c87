"""Products of the torch face whose arguments need sorting out first."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_np._C import Tensor, _torch
from torch_np._arguments import as_array

if TYPE_CHECKING:
    from torch_np._typing import TensorLike


def einsum(equation: str, *operands: Any) -> Tensor:
    """Einstein summation of `operands` (several tensors, or one list of them) as `equation` says: 'ij,jk->ik'."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    return _torch.einsum(equation, list(operands))


def tensordot(a: TensorLike, b: TensorLike, dims: Any = 2) -> Tensor:
    """Sum of products over `dims`: a number of axes, the last of `a` and the first of `b`, or a list for each of them."""
    from torch_np.numpy import tensordot as composed
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    return composed(as_array("tensordot", "a", a), as_array("tensordot", "b", b), axes=dims)._torch()
