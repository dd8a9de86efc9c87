"""Products of the torch face that parse their arguments in Python."""
from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._C import Tensor, _torch
from torch_np._torch.arguments import as_array
from torch_np._torch.autocasting import ruled
from torch_np.numpy import tensordot as composed

if TYPE_CHECKING:
    from torch_np._typing import TensorLike


_LETTERS = string.ascii_uppercase + string.ascii_lowercase


def _labels(axes: Any) -> str:
    """The labels of a list of numbers from 0 to 51, which may hold an Ellipsis."""
    for axis in axes:
        if axis is not Ellipsis and not (isinstance(axis, int) and 0 <= axis < len(_LETTERS)):
            raise ValueError(f"einsum(): a list of axes holds {axis!r}; it may hold numbers from 0 to {len(_LETTERS) - 1}, and an Ellipsis")
    return "".join("..." if axis is Ellipsis else _LETTERS[axis] for axis in axes)


def _with_equation(operands: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The equation and the tensors of the form `einsum(tensor, axes, tensor, axes, ..., result)`."""
    equation = ",".join(map(_labels, operands[1::2][:len(operands) // 2]))
    if len(operands) % 2:
        equation += "->" + _labels(operands[-1])
    return equation, operands[:len(operands) // 2 * 2:2]


def _sum_ellipsis(equation: str, operands: tuple[Any, ...]) -> Tensor | None:
    """The result for an equation whose result lacks the ellipsis of the operands: PyTorch sums its axes, NumPy
    raises. None for other equations.
    """
    left, arrow, right = equation.partition("->")
    if not arrow or "..." not in left or "..." in right:
        return None
    made = _torch.einsum(f"{left}->...{right}", list(operands))
    extra = made.dim() - len(right.replace(" ", ""))
    return made.sum(tuple(range(extra))) if extra else made


@ruled("lower_precision")
def _lowered_einsum(equation: str, operands: list[Tensor]) -> Tensor:
    return _torch.einsum(equation, operands)


def einsum(equation: Any, *operands: Any) -> Tensor:
    """Einstein summation: multiplies tensors elementwise and sums over axes, by the labels in
    `equation`. For example 'ij,jk->ik' is a matrix product.

    Args:
      equation: Labels of the axes of each operand, and after '->' those of the result. In the other
        form of the call the axes are lists of numbers: `einsum(a, [0, 1], b, [1, 2], [0, 2])`.
      operands: Tensors, or one list of them.

    Shapes: as `equation` describes; without '->', the labels that occur once, in alphabetical
    order.
    Errors: RuntimeError for an `equation` that does not match the tensors.
    """
    if isinstance(equation, str) and len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return einsum(equation, *operands[0])  # an override gets the tensors of the list
    if _C._has_torch_function((equation, *operands)):
        from torch_np.overrides import handle_torch_function, has_torch_function

        if has_torch_function((equation, *operands)):
            return handle_torch_function(einsum, (equation, *operands), equation, *operands)
    try:
        if not isinstance(equation, str):
            equation, operands = _with_equation((equation, *operands))
        summed = _sum_ellipsis(equation, operands)
        if summed is not None:
            return summed
        if len(operands) > 1 and _C._is_autocast_on():  # a rearrangement of one tensor is not cast
            return _lowered_einsum(equation, list(operands))
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

    Shapes: the remaining axes of `a`, then the remaining axes of `b`. An axis of size 1 is broadcast
    to the size of its counterpart.
    Errors: RuntimeError for sizes that differ, repeated axes, too many axes, and a negative number.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int) and dims < 0:
        raise RuntimeError(f"tensordot(): dims must not be negative, got {dims}")
    x, y = as_array("tensordot", "a", a), as_array("tensordot", "b", b)
    if not isinstance(dims, int) or dims <= min(x.ndim, y.ndim):
        x, y = _summed_alike(x, y, dims)
    try:
        result = composed(x, y, axes=dims)._torch()
    except ValueError as error:  # NumPy raises this class, PyTorch RuntimeError
        raise RuntimeError(str(error)) from None
    return result if out is None else _torch.clone(result, out=out)


def _summed_alike(x: Any, y: Any, dims: Any) -> tuple[Any, Any]:
    """Sums over axes whose counterparts have size 1."""
    pairs = zip(range(x.ndim - dims, x.ndim), range(dims), strict=True) if isinstance(dims, int) else zip(*dims, strict=False)
    for i, j in pairs:
        if not (-x.ndim <= i < x.ndim and -y.ndim <= j < y.ndim):
            continue
        if x.shape[i] == 1 != y.shape[j]:
            y = y.sum(j, keepdims=True, dtype=y.dtype)
        elif y.shape[j] == 1 != x.shape[i]:
            x = x.sum(i, keepdims=True, dtype=x.dtype)
    return x, y


def _int_mm(self: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of matrices of 8-bit integers, as int32: quantised layers call it.

    Args:
      self: First factor.
      mat2: Second factor.
      out: Tensor to write to, of int32.

    Shapes: (n, m) and (m, p); the result (n, p).
    Dtypes: int8 and uint8.
    Errors: RuntimeError for other dtypes, and shapes that do not fit.
    """
    for name, factor in (("self", self), ("mat2", mat2)):
        if factor.dim() != 2:
            raise RuntimeError(f"_int_mm(): {name} must be a matrix, got {factor.dim()}-D tensor")
        if factor.dtype not in (_C.int8, _C.uint8):
            raise RuntimeError(f"_int_mm(): Expected {name} dtype to be int8 or uint8 but got {factor.dtype}")
    if out is not None and (out.dtype != _C.int32 or out.shape != (self.shape[0], mat2.shape[1])):
        raise RuntimeError(f"_int_mm(): out must be of int32 and the shape {(self.shape[0], mat2.shape[1])}, not {out.dtype} and {tuple(out.shape)}")
    return _torch.mm(self.to(_C.int32), mat2.to(_C.int32), out=out)


def _addmm_activation(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: complex = 1, alpha: complex = 1, use_gelu: bool = False,
                      out: Tensor | None = None) -> Tensor:
    """`relu(beta * self + alpha * mat1 @ mat2)`, or its `gelu`.

    Args:
      self: Summand.
      mat1: First factor.
      mat2: Second factor.
      beta: Factor of `self`.
      alpha: Factor of the product.
      use_gelu: Whether the activation is gelu.
      out: Tensor to write to.

    Shapes: `self` broadcasts to (n, p), `mat1` (n, m), `mat2` (m, p); the result (n, p).
    """
    from torch_np.nn import functional

    found = _torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha)
    found = functional.gelu(found) if use_gelu else found.relu()
    return found if out is None else out.resize_(found.shape).copy_(found)


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
