"""Forward-mode derivatives by dual numbers: tensors with a tangent, which operators carry along."""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from torch_np import _C
from torch_np._C import Tensor
from torch_np._transforms import dual
from torch_np.autograd.function import Function

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

_current_level = -1  # PyTorch's name: 0 within a level
_open: list[dual.DualLevel] = []


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, or None, as `unpack_dual` returns them."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Begins a level, in which `make_dual` gives tensors tangents. Returns its number, 0.

    Errors: RuntimeError within another level; `torch_np.func.jvp` nests.
    """
    global _current_level
    if _open:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    level = dual.DualLevel(follows=True)
    level.__enter__()
    _open.append(level)
    _current_level = 0
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends the level. Its duals become tensors without a tangent.

    Args:
      level: Number of the level; None is the current one.

    Errors: RuntimeError if it is not the current one.
    """
    global _current_level
    if not _open or level not in (None, _current_level):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not supported.")
    _open[-1].__exit__(None, None, None)
    _open.pop()
    _current_level = -1


class dual_level(contextlib.ContextDecorator):
    """Context, or decorator, within which tensors have tangents.

    >>> with torch_np.autograd.forward_ad.dual_level():
    ...     x = torch_np.autograd.forward_ad.make_dual(torch_np.tensor([1., 2.]), torch_np.tensor([1., 0.]))
    ...     torch_np.autograd.forward_ad.unpack_dual(x * x).tangent
    tensor([2., 0.])
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


def _level(number: int | None) -> dual.DualLevel | None:
    """The level in which the caller is; also that of torch_np.func.jvp."""
    if number is not None and number < 0:
        return None
    return dual.innermost()


class _WithHistory(Function):
    """A dual as a function of its primal, so that gradients of duals, which may be duals, reach it."""

    @staticmethod
    def forward(ctx: Any, primal: Tensor, holder: list[Tensor]) -> Tensor:
        return holder[0]

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor with the values of `tensor` and a tangent. Operators in place change `tensor`, and `tangent` if both have one layout.

    Args:
      tensor: The primal: floats or complex numbers.
      tangent: Its derivative along the direction of interest.
      level: Number of the level; None is the current one.

    Shapes: `tangent` as `tensor`, and so the result.
    Errors: RuntimeError outside of a level, for other shapes or dtypes, and for tensors that have tangents; ValueError for integers.
    """
    current = _level(level)
    if current is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.")
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {value.dtype}")
    made = dual.make_dual(current, tensor, tangent)
    if current not in _open or not tensor.requires_grad or not _C._is_grad_enabled():
        return made
    if tensor.is_leaf:
        current.leaves.append(tensor)
    return _WithHistory.apply(tensor, [made])


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The primal and the tangent of a tensor; the tangent is None if there is none.

    Args:
      tensor: A tensor.
      level: Number of the level; None is the current one.

    Shapes: both as `tensor`. The primal shares its memory.
    """
    current = _level(level)
    if current is None:
        return UnpackedDualTensor(tensor, None)
    primal, tangent = dual.unpack(current, tensor)
    return UnpackedDualTensor(primal.view_as(primal), tangent)


def _is_fwd_grad_enabled() -> bool:
    """Whether results get tangents."""
    return dual.state.enabled


class _set_fwd_grad_enabled:
    """Sets whether results get tangents; also a context.

    Args:
      mode: Whether they do.
    """

    def __init__(self, mode: bool) -> None:
        self._before = dual.state.enabled
        dual.state.enabled = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        dual.state.enabled = self._before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        mode = dual.state.enabled
        dual.state.enabled = self._before

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with _set_fwd_grad_enabled(mode):
                return function(*args, **kwargs)
        return wrapped


@contextlib.contextmanager
def _own_level() -> Iterator[dual.DualLevel]:
    """A level of a transformation, which may be within another one."""
    global _current_level
    before, _current_level = _current_level, 0
    try:
        with dual.DualLevel() as level:
            yield level
    finally:
        _current_level = before


def _set_enabled(mode: bool) -> None:
    dual.state.enabled = mode


# PyTorch's names in C++.
setattr(_C, "_set_fwd_grad_enabled", _set_enabled)
setattr(_C, "_is_fwd_grad_enabled", _is_fwd_grad_enabled)
