"""autograd.Function applied to duals: `jvp` computes the tangents of its results."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch_np
from torch_np import _C
from torch_np._C import FunctionCtx, Tensor
from torch_np._transforms import dual

if TYPE_CHECKING:
    from torch_np._transforms.dual import DualLevel


_VIEW = "A custom Function's forward is returning a view (or an input as-is)"


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
    if function.setup_context is None:
        return _C._function_apply(_run_on_duals(level, function), args)
    recorded = type(function.__name__, (function,), {"forward": staticmethod(lambda *a: _with_tangents(level, function, a))})
    return _C._function_apply(recorded, args)


def _without_tangents(forward: Any, *args: Any) -> Any:
    """Runs a forward, whose operators compute no tangents."""
    before, dual.state.enabled = dual.state.enabled, False
    try:
        return forward(*args)
    finally:
        dual.state.enabled = before


def _run_on_duals(level: DualLevel, function: Any) -> Any:
    """A subclass whose forward computes primals, while its context saves duals; then results get the tangents of jvp."""
    def forward(ctx: Any, *args: Any) -> Any:
        parts = [level.parts(a) for a in args]
        if any(map(_C._is_wrapped, (p[0] if p else a for a, p in zip(args, parts)))):
            _check_separate_context(function)
        marks = _Marks()
        marks.watch(ctx)
        result = _without_tangents(function.forward, ctx, *args)
        marks.leave(ctx)
        saved = tuple(dual.unpack(level, t)[0] if isinstance(t, Tensor) else t for t in ctx._saved_for_forward)

        def become(y: Any, made: Any) -> Any:
            own = level.parts(made)
            if own is None or made is y:
                return made
            _C._become_wrapped(y, level.number, (_C._split_off(y), own[1]), 0)  # the context may have saved it
            level._follow(y)
            return y
        primals = tuple(a if p is None else p[0] for a, p in zip(args, parts))
        outputs = _results(level, function, ctx, saved, marks, args, primals, parts, result)
        return tuple(map(become, result, outputs)) if isinstance(result, tuple) else become(result, outputs)
    return type(function.__name__, (function,), {"forward": staticmethod(forward)})


class _Marks:
    """Tensors that a forward declares not to be differentiable, and to be changed."""

    def __init__(self) -> None:
        self.constant: list[Any] = []
        self.dirty: list[Any] = []

    def watch(self, ctx: Any) -> None:
        for name, noted in (("mark_non_differentiable", self.constant), ("mark_dirty", self.dirty)):
            def marked(*tensors: Any, mark: Any = getattr(ctx, name), noted: list[Any] = noted) -> None:
                noted.extend(tensors)
                mark(*tensors)
            setattr(ctx, name, marked)

    def leave(self, ctx: Any) -> None:
        for name in ("mark_non_differentiable", "mark_dirty"):
            ctx.__dict__.pop(name, None)


def _is_one_of(value: Any, several: list[Any]) -> bool:
    return any(value is item for item in several)


def _check_separate_context(function: Any) -> None:
    if function.setup_context is None:
        raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
                           "setup_context staticmethod. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html")


def _captured(function: Any, contexts: list[Any], marks: _Marks) -> Any:
    """A subclass whose forward notes its context, what it saves for jvp, and results without derivative."""
    def note(ctx: Any) -> None:
        contexts.append((ctx, ctx._saved_for_forward))

    def forward(ctx: Any, *args: Any) -> Any:
        marks.watch(ctx)
        result = _without_tangents(function.forward, ctx, *args)
        marks.leave(ctx)
        note(ctx)
        return result

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        marks.watch(ctx)
        function.setup_context(ctx, inputs, output)
        marks.leave(ctx)
        note(ctx)
    members = {"forward": forward} if function.setup_context is None else {"setup_context": setup_context}
    return type(function.__name__, (function,), {name: staticmethod(f) for name, f in members.items()})


def _with_tangents(level: DualLevel, function: Any, args: tuple[Any, ...]) -> Any:
    parts = [level.parts(a) for a in args]
    primals = tuple(a if p is None else p[0] for a, p in zip(args, parts))
    contexts: list[Any] = []
    marks = _Marks()
    captured = _captured(function, contexts, marks)
    if any(map(_C._is_wrapped, primals)):
        _check_separate_context(function)
        result = level.below(function.apply, *primals)
        own = FunctionCtx()
        own.set_materialize_grads(True)
        level.below(captured.setup_context, own, primals, result)
    else:
        result = level.below(captured.apply, *primals)
    ctx, saved = contexts[0]
    return _results(level, function, ctx, saved, marks, args, primals, parts, result)


def _results(level: DualLevel, function: Any, ctx: Any, saved: Any, marks: _Marks, args: Any, primals: Any, parts: Any, result: Any) -> Any:
    """The results with the tangents that jvp computes."""
    def tangent(value: Any, p: tuple[Tensor, Tensor] | None) -> Tensor | None:
        if p is not None:
            return p[1]
        return torch_np.zeros_like(value) if _is_differentiable(value) and ctx._materialize_grads else None
    given = [tangent(a, p) for a, p in zip(primals, parts)]
    ctx._saved_for_forward = saved
    try:
        with torch_np.set_grad_enabled(level.interceptor.grad_enabled):
            found = level.below(function.jvp, ctx, *given)
    finally:
        del ctx._saved_for_forward
    several = isinstance(result, tuple)
    outputs = result if several else (result,)
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(outputs):
        raise RuntimeError(f"{function.__name__}.jvp returned an incorrect number of forward gradients (expected {len(outputs)}, got {len(found)})")
    made = []
    for i, (y, t) in enumerate(zip(outputs, found)):
        if t is not None and (not _is_differentiable(y) or _is_one_of(y, marks.constant)):
            raise RuntimeError(f"{function.__name__}.jvp returned a forward gradient at position {i}, but the corresponding forward output is not "
                               "differentiable. You should return None at that position instead.")
        made.append(_output(level, y, t, args, primals, given, marks))
    return tuple(made) if several else made[0]


def _is_differentiable(value: Any) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def _output(level: DualLevel, y: Any, tangent: Tensor | None, args: Any, primals: Any, given: list[Tensor | None], marks: _Marks) -> Any:
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
        if own is None or t is None:
            break
        if _is_one_of(p, marks.dirty) or _is_one_of(a, marks.dirty):
            if tangent is not own[1]:
                raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
                                   "input inplace, then the jvp function must modify the corresponding gradient inplace.")
            return a
        if tangent._base is None:
            raise RuntimeError(f"{_VIEW} but the jvp is not returning a view.")
        if not _C._shares_storage(tangent, t):
            raise RuntimeError(f"{_VIEW} but the jvp is not returning a view of the {'same base as the ' if t._base is not None else ''}given grad input.")
        return level.dual(y, tangent, a)
    return level.with_tangent(y, tangent, [t for t in given if t is not None])
