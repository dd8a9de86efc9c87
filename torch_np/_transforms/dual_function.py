"""autograd.Function applied to duals: `jvp` computes the tangents of its results."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch_np
from torch_np import _C
from torch_np._C import FunctionCtx, Tensor
from torch_np._transforms import dual

if TYPE_CHECKING:
    from torch_np._transforms.dual import DualLevel


def level_of(args: tuple[Any, ...]) -> DualLevel | None:
    """The innermost level of which one of the arguments has a tangent."""
    if not dual.state.enabled:
        return None
    for level in reversed(dual.state.levels):
        if any(level.parts(a) is not None for a in args):
            return level
    return None


def apply(level: DualLevel, function: Any, args: tuple[Any, ...]) -> Any:
    """`function.apply(*args)`, where arguments are duals of the level."""
    if not (_C._is_grad_enabled() and any(isinstance(a, Tensor) and a.requires_grad for a in args)):
        return _with_tangents(level, function, args)
    # The tape of the duals records the call; its context must save duals.
    _check_separate_context(function)
    recorded = type(function.__name__, (function,), {"forward": staticmethod(lambda *a: _with_tangents(level, function, a))})
    return _C._function_apply(recorded, args)


def _check_separate_context(function: Any) -> None:
    if function.setup_context is None:
        raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
                           "setup_context staticmethod. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html")


def _captured(function: Any, contexts: list[Any], constant: list[Any]) -> Any:
    """A subclass whose forward notes its context, what it saves for jvp, and results without derivative."""
    def note(ctx: Any) -> None:
        contexts.append((ctx, ctx._saved_for_forward))

    def watch(ctx: Any) -> None:
        mark = ctx.mark_non_differentiable

        def marked(*outputs: Any) -> None:
            constant.extend(outputs)
            mark(*outputs)
        ctx.mark_non_differentiable = marked

    def forward(ctx: Any, *args: Any) -> Any:
        watch(ctx)
        result = function.forward(ctx, *args)
        del ctx.mark_non_differentiable
        note(ctx)
        return result

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        watch(ctx)
        function.setup_context(ctx, inputs, output)
        del ctx.mark_non_differentiable
        note(ctx)
    members = {"forward": forward} if function.setup_context is None else {"setup_context": setup_context}
    return type(function.__name__, (function,), {name: staticmethod(f) for name, f in members.items()})


def _with_tangents(level: DualLevel, function: Any, args: tuple[Any, ...]) -> Any:
    parts = [level.parts(a) for a in args]
    primals = tuple(a if p is None else p[0] for a, p in zip(args, parts))
    contexts: list[Any] = []
    constant: list[Any] = []
    captured = _captured(function, contexts, constant)
    if any(map(_C._is_wrapped, primals)):
        _check_separate_context(function)
        result = level.below(function.apply, *primals)
        own = FunctionCtx()
        own.set_materialize_grads(True)
        level.below(captured.setup_context, own, primals, result)
    else:
        result = level.below(captured.apply, *primals)
    ctx, saved = contexts[0]

    def tangent(value: Any, p: tuple[Tensor, Tensor] | None) -> Tensor | None:
        if p is not None:
            return p[1]
        is_float = isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())
        return torch_np.zeros_like(value) if is_float and ctx._materialize_grads else None
    given = [tangent(a, p) for a, p in zip(primals, parts)]
    ctx._saved_for_forward = saved
    try:
        found = level.below(function.jvp, ctx, *given)
    finally:
        ctx._saved_for_forward = ()
        del ctx._saved_for_forward
    several = isinstance(result, tuple)
    outputs = result if several else (result,)
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(outputs):
        raise RuntimeError(f"{function.__name__}.jvp returned an incorrect number of forward gradients (expected {len(outputs)}, got {len(found)})")
    made = tuple(_output(level, y, None if any(y is c for c in constant) else t, args, primals, given) for y, t in zip(outputs, found))
    return made if several else made[0]


def _output(level: DualLevel, y: Any, tangent: Tensor | None, args: Any, primals: Any, given: list[Tensor | None]) -> Any:
    """A result with its tangent. It may be an argument that was changed in place, or a view of one."""
    if tangent is None or not isinstance(y, Tensor):
        return y
    if tangent.shape != y.shape:
        raise RuntimeError(f"Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. Tensor "
                           f"is of size {list(y.shape)} while the given forward gradient is of size {list(tangent.shape)}.")
    for a, p, t in zip(args, primals, given):
        if not isinstance(p, Tensor) or not _C._shares_storage(p, y):
            continue
        own = level.parts(a)
        if y is p and own is not None:
            if tangent is not own[1]:
                own[1].copy_(tangent)
            return a
        if own is not None and t is not None and _C._shares_storage(tangent, t):
            return level.dual(y, tangent, a)
    return level.with_tangent(y, tangent, [t for t in given if t is not None])
