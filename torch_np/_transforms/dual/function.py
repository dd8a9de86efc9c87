"""autograd.Function applied to duals: `jvp` computes the tangents of its results."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._C import FunctionCtx, Tensor, _torch
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
        return _Run(level, function, args).results()
    # The tape of the duals records the call; its context must save duals.
    if function.setup_context is None:
        return _C._function_apply(_with_own_context(level, function), args)
    recorded = type(function.__name__, (function,), {"forward": staticmethod(lambda *a: _Run(level, function, a).results())})
    return _C._function_apply(recorded, args)


def _without_tangents(forward: Any, *args: Any) -> Any:
    """Runs a forward, whose operators compute no tangents."""
    before, dual.state.enabled = dual.state.enabled, False
    try:
        return forward(*args)
    finally:
        dual.state.enabled = before


def _with_own_context(level: DualLevel, function: Any) -> Any:
    """A subclass whose forward runs on primals. Its context then gets what the forward's context has, with duals in the place of
    primals.
    """
    def forward(ctx: Any, *args: Any) -> Any:
        parts = [level.parts(a) for a in args]
        if any(_C._is_wrapped(a if p is None else p[0]) for a, p in zip(args, parts)):
            _check_separate_context(function)
        run = _Run(level, function, args, parts)
        result = run.results()
        outputs, of_primals = (r if isinstance(r, tuple) else (r,) for r in (result, run.result))
        duals = {id(p): d for p, d in (*zip(run.primals, args), *zip(of_primals, outputs)) if isinstance(p, Tensor)}
        vars(ctx).update(vars(run.ctx))
        ctx.set_materialize_grads(run.ctx._materialize_grads)
        ctx.save_for_backward(*(duals.get(id(t), t) for t in run.saved_for_backward))
        ctx.mark_dirty(*(duals.get(id(t), t) for t in run.marks.dirty))
        ctx.mark_non_differentiable(*(t for t in of_primals if _is_one_of(t, run.marks.constant)))
        return result
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


class _Run:
    """A run of forward on the primals of the arguments, and of jvp on their tangents."""

    def __init__(self, level: DualLevel, function: Any, args: tuple[Any, ...], parts: list[Any] | None = None) -> None:
        self.level, self.function, self.args = level, function, args
        self.parts = [level.parts(a) for a in args] if parts is None else parts
        self.primals = tuple(a if p is None else p[0] for a, p in zip(args, self.parts))
        self.marks = _Marks()
        self.ctx: Any = None
        self.saved: tuple[Any, ...] = ()
        self.versions: list[int | None] = []    # of the tangents, before jvp runs
        self.saved_for_backward: tuple[Any, ...] = ()
        captured = self._captured()
        if any(map(_C._is_wrapped, self.primals)):
            _check_separate_context(function)
            self.result = level.below(function.apply, *self.primals)
            own = FunctionCtx()
            own.set_materialize_grads(True)
            level.below(captured.setup_context, own, self.primals, self.result)
        else:
            self.result = level.below(captured.apply, *self.primals)

    def _note(self, ctx: Any) -> None:
        self.marks.leave(ctx)
        self.ctx, self.saved = ctx, ctx._saved_for_forward
        del ctx._saved_for_forward
        self.saved_for_backward = ctx.saved_tensors

    def _captured(self) -> Any:
        """A subclass whose forward notes its context, and what it saves and declares."""
        function = self.function

        def forward(ctx: Any, *args: Any) -> Any:
            self.marks.watch(ctx)
            result = _without_tangents(function.forward, ctx, *args)
            self._note(ctx)
            return result

        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            self.marks.watch(ctx)
            function.setup_context(ctx, inputs, output)
            self._note(ctx)
        members = {"forward": forward} if function.setup_context is None else {"setup_context": setup_context}
        return type(function.__name__, (function,), {name: staticmethod(f) for name, f in members.items()})

    def _tangent(self, value: Any, parts: tuple[Tensor, Tensor] | None) -> Tensor | None:
        """What jvp gets for an argument."""
        if parts is not None:
            return parts[1]
        return _torch.zeros_like(value) if _is_differentiable(value) and self.ctx._materialize_grads else None

    def results(self) -> Any:
        """The results, with the tangents that jvp computes."""
        name, ctx = self.function.__name__, self.ctx
        given = [self._tangent(a, p) for a, p in zip(self.primals, self.parts)]
        self.versions = [None if t is None else t._version for t in given]
        ctx._saved_for_forward = self.saved
        try:
            found = self.level.below(self.function.jvp, ctx, *given)
        finally:
            del ctx._saved_for_forward
        several = isinstance(self.result, tuple)
        outputs = self.result if several else (self.result,)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(outputs):
            raise RuntimeError(f"{name}.jvp returned an incorrect number of forward gradients (expected {len(outputs)}, got {len(found)})")
        made = []
        for i, (y, t) in enumerate(zip(outputs, found)):
            if t is not None and (not _is_differentiable(y) or _is_one_of(y, self.marks.constant)):
                raise RuntimeError(f"{name}.jvp returned a forward gradient at position {i}, but the corresponding forward output is not "
                                   "differentiable. You should return None at that position instead.")
            made.append(self._output(y, t, given))
        return tuple(made) if several else made[0]

    def _output(self, y: Any, tangent: Tensor | None, given: list[Tensor | None]) -> Any:
        """A result with its tangent. It may be an argument that was changed in place, or a view of one."""
        if tangent is None or not isinstance(y, Tensor):
            return y
        if tangent.shape != y.shape:
            raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                               f"Tensor is of size {list(y.shape)} while the given forward gradient is of size {list(tangent.shape)}.")
        for a, p, parts, t, version in zip(self.args, self.primals, self.parts, given, self.versions):
            if not isinstance(p, Tensor) or not _C._shares_storage(p, y):
                continue
            if parts is None or t is None:
                break
            if _is_one_of(p, self.marks.dirty):
                if tangent is not t or t._version == version:
                    raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying "
                                       "an input inplace, then the jvp function must modify the corresponding gradient inplace.")
                _C._bump_version(a)
                return a
            if tangent._base is None:
                raise RuntimeError(f"{_VIEW} but the jvp is not returning a view.")
            if not _C._shares_storage(tangent, t):
                raise RuntimeError(f"{_VIEW} but the jvp is not returning a view of the {'same base as the ' if t._base is not None else ''}given grad "
                                   "input.")
            return self.level.dual(y, tangent, a)
        return self.level.with_tangent(y, tangent, [t for t in given if t is not None])


def _is_differentiable(value: Any) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())
