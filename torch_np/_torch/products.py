"""Products of the torch face whose arguments need sorting out first."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_np._C import Tensor, _torch
from torch_np._torch.arguments import as_array
from torch_np.numpy import tensordot as composed

if TYPE_CHECKING:
    from torch_np._typing import TensorLike


def einsum(equation: str, *operands: Any) -> Tensor:
    """Einstein summation of `operands` (several tensors, or one list of them) as `equation` says: 'ij,jk->ik'.

    Shapes: as `equation` says; without '->', the labels that occur once, in alphabetical order.
    Errors: RuntimeError for an `equation` that does not fit the tensors.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    try:
        return _torch.einsum(equation, list(operands))
    except ValueError as error:  # NumPy's class
        raise RuntimeError(str(error)) from None


def tensordot(a: TensorLike, b: TensorLike, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Sum of products over `dims`: a number of axes, the last of `a` and the first of `b`, or a list for each of them.

    Shapes: the result has the axes of `a` and then those of `b` that are not summed over.
    Errors: RuntimeError for sizes that differ, axes named twice, more of them than there are, and a negative number.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int) and dims < 0:
        raise RuntimeError(f"tensordot(): dims must not be negative, got {dims}")
    try:
        result = composed(as_array("tensordot", "a", a), as_array("tensordot", "b", b), axes=dims)._torch()
    except ValueError as error:  # NumPy's class
        raise RuntimeError(str(error)) from None
    return result if out is None else _torch.clone(result, out=out)


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of `matrices`, in the order that takes the fewest multiplications. See `linalg.multi_dot`.

    Shapes: (m1, m2), (m2, m3), ..., (mk, n) give (m1, n).
    """
    return _torch.chain_matmul(list(matrices), out=out)


def block_diag(*tensors: Tensor) -> Tensor:
    """The matrices `tensors` along the diagonal of one that is zero elsewhere; vectors are rows.

    Shapes: (m1, n1), ..., (mk, nk) give (m1 + ... + mk, n1 + ... + nk).
    Errors: RuntimeError for more than two axes, and for none.
    """
    return _torch.block_diag(list(tensors))


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All tuples of an element of each of the vectors `tensors`, the last one varying fastest: a row each.

    Shapes: (n1,), ..., (nk,) give (n1 ... nk, k), or (n1,) for one.
    Errors: RuntimeError unless they are 1-d and of one dtype.
    """
    return _torch.cartesian_prod(list(tensors))
