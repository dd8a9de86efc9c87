"""Operators in place on duals: the result is computed apart, then written into the primal and the tangent."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._C import Tensor, _torch

if TYPE_CHECKING:
    from torch_np._transforms.dual import DualLevel

DIFFERENTIABLE_COMPOSITES = frozenset("uniform_ normal_ log_normal_ cauchy_ exponential_ geometric_ bernoulli_.Tensor bernoulli_ random_ random_.to "
                                      "random_.from".split())


def check_linked(target: Tensor) -> None:
    """Raises for a view whose tangent is no view of its base's tangent."""
    if _C._wrapped_parts(target)[2]:  # type: ignore[index]
        raise NotImplementedError("an operator in place on a view of a tensor with a tangent, where the tangent has another layout")


def write(level: DualLevel, target: Tensor, primal: Tensor, tangent: Tensor | None, y: Tensor, dy: Tensor | None) -> Tensor:
    """Writes `y` with the tangent `dy` into `target`, whose parts are given. A tensor without a tangent gets one if `dy` has one."""
    if dy is not None and tangent is None and (target.is_floating_point() or target.is_complex()):
        primal, tangent = level.parts(level.become_dual(target, dy))  # type: ignore[misc]
    if tangent is not None:
        check_linked(target)
        if dy is not None and _C._shares_storage(dy, tangent) and dy is not tangent:
            dy = dy.clone()
    primal.copy_(y)
    if tangent is not None:
        if dy is None:
            tangent.zero_()
        elif dy is not tangent:
            tangent.copy_(dy)
        _C._bump_version(target)
    return target


def pointwise(level: DualLevel, call: Any, args: Any, primals: list[Any], tangents: dict[int, Any]) -> Any:
    """A pointwise operator with the options out or where: in place, if out is one of the operands."""
    from torch_np._transforms.dual.rules import CONSTANTS, keeps_history, pointwise_result
    n = len(args)
    out, second, where = args[-6:-3]
    if second is not None:
        raise NotImplementedError(f"Trying to use forward AD with {call.name} and two results in given memory.")
    operands = {i: t for i, t in tangents.items() if i < n - 6}
    if out is None or not any(out is operand for operand in args[:n - 6]):
        if out is None or not tangents:
            raise NotImplementedError(f"Trying to use forward AD with {call.name} and a mask `where`; use _torch.where().")
        raise RuntimeError(f"Trying to use forward AD with {call.name} that does not support it because it is an out= function.")
    if not tangents:
        primals[n - 6].copy_(call.run([*primals[:n - 6], None, None, None, *primals[n - 3:]])) if where is None else call.run(primals)
        return out
    target, tangent = primals[n - 6], tangents.get(n - 6)
    apart = [*primals[:n - 6], None, None, None, *primals[n - 3:]]
    if keeps_history(apart, operands):  # the graph saves values that are about to change
        for i in range(n - 6):
            if args[i] is out:
                apart[i] = target.clone()
                if i in operands:
                    operands[i] = operands[i].clone()
    if not operands or call.name in CONSTANTS:
        y, dy = call.run(apart), None
    else:
        y, (dy, *_) = pointwise_result(call, apart, operands)
    if y.shape != target.shape or y.dtype != target.dtype:
        call.run([p.clone() if i == n - 6 else p for i, p in enumerate(primals)])  # raises if the result does not fit
    if where is not None:
        none = _torch.zeros_like(target)
        dy = _torch.where(where, none if dy is None else dy, none if tangent is None else tangent)
        y = _torch.where(where, y, target)
    return write(level, out, target, tangent, y, dy)


def other(level: DualLevel, call: Any, args: Any, primals: list[Any], tangents: dict[int, Any]) -> Any:
    """Any other operator that changes its first argument."""
    from torch_np._transforms.dual.rules import keeps_history, reverse_twice
    if not tangents:
        call.run(primals)
        return args[0]
    changed: list[Tensor] = []

    class OnCopy:
        """The call on a copy of its first argument."""

        name = call.name

        @staticmethod
        def run(given: list[Any]) -> Tensor:
            changed.append(given[0].clone())
            call.run([changed[0], *given[1:]])
            return changed[0]
    given = {i: t.clone() if i == 0 else t for i, t in tangents.items()} if keeps_history(primals, tangents) else tangents
    y, (dy,) = reverse_twice(OnCopy, primals, given)
    return write(level, args[0], primals[0], tangents.get(0), y, dy)
