"""Products of the torch face that parse their arguments in Python."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_np._C import Tensor, _torch
from torch_np._torch.arguments import as_array
from torch_np.numpy import tensordot as composed

if TYPE_CHECKING:
    from torch_np._typing import TensorLike


def einsum(equation: str, *operands: Any) -> Tensor:
    """Einstein summation: multiplies tensors elementwise and sums over axes, by the labels in
    `equation`. For example 'ij,jk->ik' is a matrix product.

    Args:
      equation: Labels of the axes of each operand, and after '->' those of the result.
      operands: Tensors, or one list of them.

    Shapes: as `equation` describes; without '->', the labels that occur once, in alphabetical
    order.
    Errors: RuntimeError for an `equation` that does not match the tensors.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    try:
        return _torch.einsum(equation, list(operands))
    except ValueError as error:  # NumPy raises this class, PyTorch RuntimeError
        raise RuntimeError(str(error)) from None


def tensordot(a: TensorLike, b: TensorLike, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Sums products of elements over several axes of two tensors.

    Args:
      a: First factor.
      b: Second factor.
      dims: Number of axes to sum over, the last ones of `a` and the first ones of `b`; or a list of
        axes for each of them.
      out: Tensor that receives the result.

    Shapes: the remaining axes of `a`, then the remaining axes of `b`.
    Errors: RuntimeError for sizes that differ, repeated axes, too many axes, and a negative number.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int) and dims < 0:
        raise RuntimeError(f"tensordot(): dims must not be negative, got {dims}")
    try:
        result = composed(as_array("tensordot", "a", a), as_array("tensordot", "b", b), axes=dims)._torch()
    except ValueError as error:  # NumPy raises this class, PyTorch RuntimeError
        raise RuntimeError(str(error)) from None
    return result if out is None else _torch.clone(result, out=out)


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiplies a chain of matrices in the order that needs the fewest multiplications.

    Args:
      matrices: Matrices to multiply, from left to right.
      out: Tensor that receives the result.

    Shapes: (m1, m2), (m2, m3), ..., (mk, n) give (m1, n).
    """
    return _torch.chain_matmul(list(matrices), out=out)


def block_diag(*tensors: Tensor) -> Tensor:
    """Returns a block-diagonal matrix, which is zero outside of the given blocks.

    Args:
      tensors: Blocks: matrices, or 1-d tensors that count as rows.

    Shapes: (m1, n1), ..., (mk, nk) give (m1 + ... + mk, n1 + ... + nk).
    Errors: RuntimeError for tensors with more than two axes, and without tensors.
    """
    return _torch.block_diag(list(tensors))


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Returns the Cartesian product of 1-d tensors: all combinations of their elements, one in each
    row. The last element varies fastest.

    Args:
      tensors: 1-d tensors of one dtype.

    Shapes: (n1,), ..., (nk,) give (n1 ... nk, k), or (n1,) for one tensor.
    Errors: RuntimeError unless all tensors are 1-d and have the same dtype.
    """
    return _torch.cartesian_prod(list(tensors))
