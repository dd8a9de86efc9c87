"""Forward-mode derivatives: tensors that carry a tangent, the derivative along one direction.

Note [Duals] A dual is a wrapped tensor with the parts (primal, tangent), of one shape, dtype and
layout. A tensor without a tangent stays as it is. Rules (rules.py) compute a tangent with each
result. Views of a dual have views of its tangent, so operators in place need no rules of their own
(in_place.py). Operators on parts run with autograd, so results can be differentiated backward;
the parts may be wrapped tensors of other transformations.
"""
from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterable
from typing import Any

from torch_np import _C
from torch_np._C import Tensor, _torch
from torch_np._transforms import _levels
from torch_np._transforms.dual import rules

parts_of = _C._wrapped_parts


class _State(threading.local):
    levels: list[DualLevel]
    enabled = True  # whether results get tangents

    def __init__(self) -> None:
        self.levels = []


state = _State()


class DualLevel:
    """A run of a function on duals. `follows`: duals become plain tensors at its end."""

    def __init__(self, follows: bool = False) -> None:
        self.number = _levels.next_level()
        self.interceptor = _C._Interceptor(self._compute, self.number)
        self._made: list[Tensor] | None = [] if follows else None
        self._room = 0  # how many may be noted before those that are gone are dropped
        self._changed: list[Tensor] = []  # tensors that were not duals
        self.leaves: list[Tensor] = []  # whose gradients may be duals

    def __enter__(self) -> DualLevel:
        self.interceptor.push()
        state.levels.append(self)
        _levels.texts[self.number] = _text
        return self

    def __exit__(self, *exception: object) -> None:
        if not state.levels or state.levels[-1] is not self:
            raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not supported.")
        self.interceptor.pop()
        state.levels.pop()
        del _levels.texts[self.number]
        for t in (*self._changed, *(leaf.grad for leaf in self.leaves if leaf.grad is not None)):
            self._make_plain(t)
        for dual in self._made or ():
            self._make_plain(dual)
        del self._made, self._changed, self.leaves, self.interceptor  # its handler refers to the level

    # --- duals and their parts

    def parts(self, value: Any) -> tuple[Tensor, Tensor] | None:
        """The primal and the tangent of a dual of this level; None for any other value."""
        found = parts_of(value)
        return found[1] if found is not None and found[0] == self.number else None

    def dual(self, primal: Tensor, tangent: Tensor, base: Tensor | None = None, is_linked: bool = True) -> Tensor:
        """A dual, a view of the dual `base` if there is one. `is_linked`: its tangent then is a view, too."""
        made = _C._make_wrapped(self.number, (primal, tangent), 0 if is_linked else 1, primal.dtype, primal.shape, primal.stride(), base)
        self._follow(made)
        return made

    def _follow(self, dual: Tensor) -> None:
        """Notes a dual that becomes plain at the end, unless it is gone by then."""
        if self._made is not None:
            self._made.append(dual)
            if len(self._made) < 16 or len(self._made) > self._room:
                self._room = 2 * _C._drop_unused(self._made)

    def with_tangent(self, primal: Tensor, tangent: Tensor | None, others: Iterable[Tensor] = ()) -> Tensor:
        """The result of an operator as a dual. Its tangent gets memory of its own: `others` are tangents of operands."""
        if tangent is None or not (primal.is_floating_point() or primal.is_complex()):
            return primal
        if tangent.dtype != primal.dtype:
            tangent = tangent.to(primal.dtype)
        if tangent.shape != primal.shape:
            tangent = tangent.expand(primal.shape)
        return self.dual(primal, in_layout_of(tangent, primal, others))

    def become_dual(self, t: Tensor, tangent: Tensor) -> Tensor:
        """Makes `t`, into which an operator is about to write this tangent, a dual with the tangent 0. So does its base, and their other
        views. Returns it.
        """
        base = t._base
        root, views = (t, []) if base is None else (base, [t])
        if _C._storage_users(t) > len(views) + 1:
            views = [o for o in _sharing(t) if o._base is root]
        self._with_zero_tangent(root, None, tangent)
        for view in views:
            self._with_zero_tangent(view, root, tangent)
        return t

    def _with_zero_tangent(self, t: Tensor, base: Tensor | None, like: Tensor) -> None:
        primal = _C._split_off(t, None if base is None else self.parts(base)[0])  # type: ignore[index]
        if base is None:
            if parts_of(primal) is not None or parts_of(like) is not None and like.numel():
                # A zero of the other transformation, such as a batch of zeros.
                zero = _torch.where(_torch.zeros((), dtype=_C.bool, device=primal.device), like.reshape(-1)[0], 0)
                tangent = zero.to(primal.dtype).expand(primal.shape).clone()
            else:
                tangent = _torch.empty_strided(primal.shape, primal.stride(), dtype=primal.dtype, device=primal.device).zero_()
            _C._become_wrapped(t, self.number, (primal, tangent), 0)
        else:
            whole, whole_tangent = self.parts(base)  # type: ignore[misc]
            tangent = whole_tangent.as_strided(primal.shape, primal.stride(), primal.storage_offset() - whole.storage_offset()
                                               + whole_tangent.storage_offset())
            _C._become_wrapped(t, self.number, (primal, tangent), 0, base)
        self._changed.append(t)

    def _make_plain(self, t: Tensor) -> None:
        base = t._base
        if base is not None and self.parts(base) is not None:
            self._make_plain(base)
        own = self.parts(t)
        if own is not None:
            _C._become_plain(t, own[0])

    # --- calls

    def _compute(self, call: Any) -> Any:
        args = call.args
        primals, tangents = self._split(args)
        return rules.rule_of(call)(self, call, args, primals, tangents if state.enabled else {})

    def _split(self, args: list[Any]) -> tuple[list[Any], dict[int, Any]]:
        """The arguments with primals in the place of duals, and the tangents by the number of the argument: one, or a list with None."""
        number, primals, tangents = self.number, list(args), {}
        for i, value in enumerate(args):
            if isinstance(value, Tensor):
                found = parts_of(value)
                if found is not None and found[0] == number:
                    primals[i], tangents[i] = found[1]
            elif type(value) is list and value and isinstance(value[0], Tensor | None):
                pairs = [(v, None) if found is None or found[0] != number else found[1] for v, found in ((v, parts_of(v)) for v in value)]
                if any(t is not None for _, t in pairs):
                    primals[i] = [p for p, _ in pairs]
                    tangents[i] = [t for _, t in pairs]
        return primals, tangents

    def below(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls a function as if this level, and those above it, did not exist."""
        return self.interceptor.below(lambda: function(*args))


def _sharing(t: Tensor) -> list[Tensor]:
    """All tensors in the memory of `t`."""
    arrays = [o for o in gc.get_objects() if issubclass(type(o), (Tensor, _C.ndarray)) and _C._is_array(o)]
    found = {id(v): v for v in (o._torch() if _C._is_ndarray(o) else o for o in arrays) if _C._shares_storage(v, t)}
    return list(found.values())


def _strides(t: Tensor) -> list[int]:
    return [step for n, step in zip(t.shape, t.stride()) if n != 1]


def in_layout_of(tangent: Tensor, primal: Tensor, others: Iterable[Tensor] = ()) -> Tensor:
    """A tensor with the values of `tangent`, which has the strides of `primal` and shares no memory with `others`."""
    if parts_of(tangent) is not None:
        return tangent.clone() if any(_C._shares_storage(tangent, o) for o in others) else tangent
    if _strides(tangent) != _strides(primal) and primal.numel() > 1:
        if parts_of(primal) is not None or 0 in _strides(primal):
            return tangent.clone()
        return _torch.empty_strided(primal.shape, primal.stride(), dtype=primal.dtype, device=primal.device).copy_(tangent)
    if tangent._base is not None or any(_C._shares_storage(tangent, o) for o in others):
        return tangent.clone()
    return tangent


def _text(t: Tensor) -> tuple[Tensor, list[str]]:
    """How a dual is printed: as its primal, with a suffix."""
    primal, tangent = parts_of(t)[1]  # type: ignore[index]
    return primal, [f"tangent={tangent}"]


def make_dual(level: DualLevel, primal: Tensor, tangent: Tensor) -> Tensor:
    """A dual with these parts. Its tangent is `tangent` itself, if that has the layout of the primal."""
    if level.parts(tangent) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level 0 is not supported.")
    if level.parts(primal) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported.")
    if primal.shape != tangent.shape:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                           f"Tensor is of size {list(primal.shape)} while the given forward gradient is of size {list(tangent.shape)}.")
    if primal.dtype != tangent.dtype:
        raise RuntimeError(f"Trying to set a forward gradient of dtype {tangent.dtype} for a Tensor of dtype {primal.dtype}.")
    if parts_of(tangent) is None and parts_of(primal) is None and _strides(tangent) != _strides(primal) and primal.numel() > 1:
        tangent = in_layout_of(tangent, primal)
    if parts_of(primal) is None:
        level.interceptor.device = primal.device  # of tensors that operators make beside duals
    return level.dual(primal, tangent)


def unpack(level: DualLevel, value: Tensor) -> tuple[Tensor, Tensor | None]:
    """The primal and the tangent of a tensor; None if it has none."""
    return level.parts(value) or (value, None)


def innermost() -> DualLevel | None:
    return state.levels[-1] if state.levels else None


__all__ = ["DualLevel", "innermost", "make_dual", "state", "unpack"]
