"""Rules of forward-mode derivatives: how operators on duals compute results and tangents.

A rule is a function of the level, the call, its arguments, these with primals in the place of duals,
and the tangents by number of argument; it returns what the operator returns. Few operators have rules
of their own. `reverse_twice` computes the tangent of any other from its derivative.
"""
from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._C import Tensor, _torch
from torch_np._transforms.dual import in_place
from torch_np.autograd._run import grad
from torch_np.autograd.grad_mode import enable_grad

if TYPE_CHECKING:
    from torch_np._transforms.dual import DualLevel

Arguments = Sequence[Any]
Tangents = dict[int, Any]
Rule = Callable[["DualLevel", Any, Arguments, list[Any], Tangents], Any]
# Of a pointwise operator with one result: its tangent, from the tangents of its operands (None for
# those without), the result, and the operands. All broadcast.
Formula = Callable[..., "Tensor | None"]

_without_history = _C._without_history
_run = _C._run_operator
NO_CONTEXT = contextlib.nullcontext()


def recording() -> Any:
    """A context in which operators are recorded."""
    return NO_CONTEXT if _C._is_grad_enabled() else enable_grad()


def gradient_of(call: Any, *args: Any, **kwargs: Any) -> Any:
    """`grad(*args, **kwargs)`. The error for a derivative that is not implemented names forward mode and the operator."""
    try:
        return grad(*args, **kwargs)
    except NotImplementedError as error:
        raise NotImplementedError(f"Trying to use forward AD with {call.name} that does not support it: {error} is not implemented") from error


def tensors_in(values: Arguments) -> list[Tensor]:
    return [t for v in values for t in (v if type(v) is list else (v,)) if isinstance(t, Tensor)]


def tangents_in(tangents: Tangents) -> list[Tensor]:
    return [t for v in tangents.values() for t in (v if type(v) is list else (v,)) if t is not None]


def keeps_history(primals: Arguments, tangents: Tangents) -> bool:
    """Whether the results of an operator may be differentiated backward."""
    return _C._is_grad_enabled() and any(t.requires_grad for t in (*tensors_in(primals), *tangents_in(tangents)))


# --- derivatives of derivatives

def reverse_twice(call: Any, primals: list[Any], tangents: Tangents) -> tuple[Any, list[Tensor | None]]:
    """The results of the operator, and their tangents.

    The product of a cotangent u with the Jacobian is linear in u. Its derivative by u, applied to the
    tangents, is the Jacobian times the tangents.
    """
    keeps = keeps_history(primals, tangents)
    has_history = keeps and any(t.requires_grad for t in tensors_in(primals))
    xs: list[Tensor] = []
    ts: list[Tensor] = []

    def leaf(p: Tensor, t: Tensor | None) -> Tensor:
        if t is None:
            return p
        xs.append(_run("alias", [p]) if keeps and p.requires_grad else _without_history(p).requires_grad_())
        ts.append(t)
        return xs[-1]
    with recording():
        given = list(primals)
        for i, t in tangents.items():
            given[i] = [leaf(p, s) for p, s in zip(primals[i], t)] if type(t) is list else leaf(primals[i], t)
        result = call.run(given)
        several = isinstance(result, (tuple, list))
        outputs = list(result) if several else [result]
        found = _products(call, outputs, xs, ts, keeps)
    if not has_history:
        outputs = [_without_history(y) if isinstance(y, Tensor) and y.requires_grad else y for y in outputs]
    return (type(result)(outputs) if several else outputs[0]), found


def _products(call: Any, outputs: list[Any], xs: list[Tensor], ts: list[Tensor], keeps: bool) -> list[Tensor | None]:
    """The tangents of the outputs of a recorded call, for the tangents `ts` of `xs`."""
    tracked = [y for y in outputs if isinstance(y, Tensor) and y.requires_grad]
    if not tracked:
        if any(isinstance(y, Tensor) and (y.is_floating_point() or y.is_complex()) for y in outputs):
            raise NotImplementedError(f"Trying to use forward AD with {call.name} that does not support it because it has not been implemented yet.")
        return [None] * len(outputs)
    us = [cotangent(y) for y in tracked]
    gs = gradient_of(call, tracked, xs, us, create_graph=True, allow_unused=True)
    pairs = [(g, t) for g, t in zip(gs, ts) if g is not None and g.requires_grad]
    if len(pairs) < len([g for g in gs if g is not None]):
        _check_constant(call, tracked, xs, gs)
    if not pairs:
        return [None] * len(outputs)
    found = iter(grad([g for g, _ in pairs], us, [t for _, t in pairs], create_graph=keeps, allow_unused=True))
    return [next(found) if isinstance(y, Tensor) and y.requires_grad else None for y in outputs]


def cotangent(y: Tensor) -> Tensor:
    """A variable with the shape of `y`."""
    return _torch.zeros_like(_without_history(y)).requires_grad_()


def _check_constant(call: Any, outputs: list[Tensor], xs: list[Tensor], gs: Sequence[Tensor | None]) -> None:
    """Raises if a gradient that does not depend on the cotangents is not 0: there is no second derivative."""
    again = grad(outputs, xs, [_torch.ones_like(y) for y in outputs], retain_graph=True, allow_unused=True)
    for g, one in zip(gs, again):
        if g is not None and not g.requires_grad and one is not None and bool((one != 0).any()):
            raise NotImplementedError(f"Trying to use forward AD with {call.name} that does not support it because it has first derivatives only.")


def general(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """Any operator that is not in place and has no view as its result."""
    if not tangents:
        return call.run(primals)
    result, found = reverse_twice(call, primals, tangents)
    return wrapped(level, result, found, tangents)


def wrapped(level: DualLevel, result: Any, found: Sequence[Tensor | None], tangents: Tangents) -> Any:
    others = tangents_in(tangents)
    if not isinstance(result, (tuple, list)):
        return level.with_tangent(result, found[0], others)
    made: list[Any] = []
    for y, t in zip(result, found):
        made.append(y if t is None else level.with_tangent(y, t, others))
        if t is not None:
            others = [*others, t]
    return type(result)(made)


# --- pointwise operators

def _broadcast(shapes: list[Any]) -> tuple[int, ...]:
    first = tuple(shapes[0])
    if all(shape == first for shape in shapes):
        return first
    columns = itertools.zip_longest(*[reversed(shape) for shape in shapes], fillvalue=1)
    return tuple(next((n for n in column if n != 1), 1) for column in columns)[::-1]


def formula_of_derivative(call: Any, primals: list[Any], tangents: Tangents) -> tuple[Any, list[Tensor | None]]:
    """As reverse_twice, for a pointwise operator. The Jacobian of a real one is diagonal, so it equals its transpose."""
    operands = [primals[i] for i in tangents]
    inputs = [t for t in primals[:-6] if isinstance(t, Tensor)]
    y_shape = _broadcast([t.shape for t in inputs])
    if any(t.is_complex() for t in inputs) or len({t.dtype for t in operands}) > 1 or any(not t.shape for t in operands if y_shape):
        return reverse_twice(call, primals, tangents)
    keeps = keeps_history(primals, tangents)
    has_history = keeps and any(t.requires_grad for t in inputs)
    with recording():
        given = list(primals)
        xs = []
        for i in tangents:
            x = primals[i] if primals[i].shape == y_shape else primals[i].expand(y_shape)
            given[i] = _run("alias", [x]) if keeps and x.requires_grad else _without_history(x).requires_grad_()
            xs.append(given[i])
        y = call.run(given)
        if isinstance(y, tuple):
            return reverse_twice(call, primals, tangents)
        if not y.requires_grad:
            return y, _products(call, [y], [], [], keeps)
        total: Tensor | None = None
        for x, t in zip(xs, tangents.values()):
            t = t if t.shape == y_shape else t.expand(y_shape)
            part = gradient_of(call, y, x, t.to(y.dtype), retain_graph=True, create_graph=keeps, allow_unused=True)[0]
            total = part if total is None else total if part is None else total + part
    return y if has_history else _without_history(y), [total]


def _sum(a: Tensor | None, b: Tensor | None) -> Tensor | None:
    return b if a is None else a if b is None else a + b


def _of_mul(t: Tensor | None, s: Tensor | None, result: Tensor, x: Tensor, y: Tensor) -> Tensor | None:
    return _sum(None if t is None else t * y, None if s is None else x * s)


def _of_div(t: Tensor | None, s: Tensor | None, result: Tensor, x: Tensor, y: Tensor) -> Tensor | None:
    if s is None:
        return None if t is None else t / y
    return -(result * s) / y if t is None else (t - result * s) / y


def _of_where(_: None, t: Tensor | None, s: Tensor | None, result: Tensor, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return _torch.where(condition, 0 if t is None else t, 0 if s is None else s)


FORMULAS: dict[str, Formula] = {
    "add": lambda t, s, result, x, y: _sum(t, s),
    "sub": lambda t, s, result, x, y: t if s is None else -s if t is None else t - s,
    "mul": _of_mul,
    "div": _of_div,
    "neg": lambda t, result, x: -t,
    "square": lambda t, result, x: 2 * x * t,
    "exp": lambda t, result, x: t * result,
    "log": lambda t, result, x: t / x,
    "sin": lambda t, result, x: t * x.cos(),
    "cos": lambda t, result, x: -(t * x.sin()),
    "tanh": lambda t, result, x: t * (1 - result * result),
    "sigmoid": lambda t, result, x: t * (result * (1 - result)),
    "sqrt": lambda t, result, x: t / (2 * result),
    "abs": lambda t, result, x: NotImplemented if x.is_complex() else t * x.sign(),
    "relu": lambda t, result, x: _torch.where(x <= 0, 0, t),
    "where": _of_where,
}


def pointwise_result(call: Any, primals: list[Any], tangents: Tangents) -> tuple[Any, list[Tensor | None]]:
    """The result and the tangent of a pointwise operator whose options are not used."""
    formula = FORMULAS.get(call.name)
    if formula is None:
        return formula_of_derivative(call, primals, tangents)
    y = call.run(primals)
    operands = primals[:-6]
    found = formula(*[tangents.get(i) for i in range(len(operands))], y, *operands)
    return formula_of_derivative(call, primals, tangents) if found is NotImplemented else (y, [found])


def pointwise(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    if args[-6] is not None or args[-5] is not None or args[-4] is not None:
        return in_place.pointwise(level, call, args, primals, tangents)
    if not tangents:
        return call.run(primals)
    y, found = pointwise_result(call, primals, tangents)
    return wrapped(level, y, found, tangents)


def constant(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """A pointwise operator whose result has no derivative."""
    if args[-6] is not None or args[-5] is not None:
        return in_place.pointwise(level, call, args, primals, {i: t for i, t in tangents.items() if i >= len(args) - 6})
    return call.run(primals)


# --- linear operators

def linear(*positions: int, neutral: dict[int, Any] | None = None) -> Rule:
    """The rule of an operator that is linear in the arguments at `positions` together. `neutral`: values of other arguments
    that add a constant.
    """
    def rule(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
        if not tangents:
            return call.run(primals)
        if any(i not in positions for i in tangents):
            return general(level, call, args, primals, tangents)
        y = call.run(primals)
        given = list(primals)
        for i, value in (neutral or {}).items():
            given[i] = value
        for i in positions:
            given[i] = _with_zeros(primals[i], tangents.get(i))
        return wrapped(level, y, [call.run(given)], tangents)
    return rule


def _with_zeros(primal: Any, tangent: Any) -> Any:
    if type(primal) is list:
        return [_torch.zeros_like(p) if t is None else t for p, t in zip(primal, tangent or [None] * len(primal))]
    return primal if primal is None else _torch.zeros_like(primal) if tangent is None else tangent


def bilinear(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """A product of arguments 0 and 1, and perhaps a summand 2."""
    has_summand = len(primals) > 2 and isinstance(primals[2], Tensor)
    if not tangents or any(i > 2 or i == 2 and not has_summand for i in tangents):
        return general(level, call, args, primals, tangents)
    y = call.run(primals)
    total: Tensor | None = tangents.get(2)
    for i in (0, 1):
        if i in tangents:
            given = list(primals)
            given[i] = tangents[i]
            if has_summand:
                given[2] = None
            total = _sum(call.run(given), total)
    return wrapped(level, y, [total], tangents)


def transfer(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """A copy on a device, which may be that of the primal."""
    if not tangents or primals[0].device != primals[1]:
        return linear(0)(level, call, args, primals, tangents)
    return level.dual(primals[0].clone(), tangents[0].clone())


def logcumsumexp(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """The tangent is the sum of t exp(x) up to each element, over the sum of exp(x). It is computed by logarithms, for numerical range."""
    y = call.run(primals)
    if not tangents:
        return y
    (x, dim), t = primals, tangents[0]
    if not x.dim():
        return level.with_tangent(y, t, [t])
    is_empty = y.real == -math.inf

    def weighted(t: Tensor, present: Tensor) -> Tensor:
        logs = _torch.where(present, _torch.where(present, t, 1).log() + x, -math.inf)
        return _torch.where(is_empty, 0, (_torch.logcumsumexp(logs, dim) - _torch.where(is_empty, 0, y)).exp())
    tangent = weighted(t, t != 0) if x.is_complex() else weighted(t, t > 0) - weighted(-t, t < 0)
    return level.with_tangent(y, tangent)


def softmax(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    y = call.run(primals)
    if not tangents:
        return y
    t, dim = tangents[0].to(y.dtype), primals[1]
    return level.with_tangent(y, y * (t - (y * t).sum(dim, True)), [tangents[0]])


def log_softmax(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    y = call.run(primals)
    if not tangents:
        return y
    t, dim = tangents[0].to(y.dtype), primals[1]
    return level.with_tangent(y, t - (y.exp() * t).sum(dim, True), [tangents[0]])


# --- views

def view(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """An operator whose result is a view of its first argument, if the layout allows one."""
    source = primals[0]
    y = call.run(primals)
    if 0 not in tangents or not (y.is_floating_point() or y.is_complex()):
        return y
    if y is source:
        return args[0]
    if call.name == "view.dtype" and y.is_complex() == source.is_complex() and y.dtype != source.dtype:
        raise NotImplementedError("Trying to use forward AD with view.dtype, which has no derivative.")
    t = call.run([tangents[0], *primals[1:]])
    if not _C._shares_storage(y, source):
        return level.with_tangent(y, t, [tangents[0]])
    return level.dual(y, t, args[0], _C._shares_storage(t, tangents[0]))


def as_strided(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """A view whose offset counts from the beginning of the memory, which may differ for the primal and its tangent."""
    if 0 not in tangents:
        return call.run(primals)
    source, size, stride, offset = primals
    ahead = 0 if offset is None else offset - args[0].storage_offset()
    y, t = (part.as_strided(size, stride, part.storage_offset() + ahead) for part in (source, tangents[0]))
    return level.dual(y, t, args[0])


def composed_view(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """A view by a composite operator without a derivative of its own: the tape must see its inner operators."""
    is_taped = any(t.requires_grad for t in tensors_in(args)) and _C._is_grad_enabled()
    return NotImplemented if is_taped else view(level, call, args, primals, tangents)


# --- values

def copy(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> None:
    in_place.write(level, args[0], primals[0], tangents.get(0), primals[1], tangents.get(1))


def fill(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> None:
    primals[0].fill_(primals[1])
    if 0 in tangents:
        in_place.check_linked(args[0])
        tangents[0].zero_()
        _C._bump_version(args[0])


def item(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    return primals[0].item()


def detach(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    return primals[0].detach()


def inner(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """A composite operator: its inner operators have rules."""
    return NotImplemented


def primal(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    """An operator whose results have no derivative."""
    return call.run(primals)


# --- the table

# Composite operators with a derivative of their own; their inner operators may have none.
DIFFERENTIABLE_COMPOSITES = (
    "embedding_backward _dropout max max.dim min min.dim addmm addmv baddbmm slice_backward select_backward diagonal_backward "
    "roll sort median nanmedian mode scatter_reduce vector_norm matrix_exp_stack _pinv_of cdist_by_product poisson binomial").split()
RULES: dict[str, Rule] = {
    "copy_": copy, "fill_": fill, "item": item, "detach": detach, "matmul": bilinear, "linear": bilinear, "where": pointwise,
    **dict.fromkeys(("sum", "mean"), linear(0, neutral={5: None, 8: None})),
    **dict.fromkeys("clone cast reshape_copy cumsum tril triu restride fft_c2c fft_r2c fft_c2r index index_backward im2col col2im scatter_planes gather_planes".split(),
                    linear(0)),
    "join": linear(0), "transfer": transfer, "as_strided": as_strided,
    **dict.fromkeys(DIFFERENTIABLE_COMPOSITES, general), "logcumsumexp": logcumsumexp, "softmax": softmax,
    "log_softmax": log_softmax,
}
CONSTANTS = frozenset("isnan isinf isfinite signbit eq ne lt le gt ge logical_and logical_or logical_xor logical_not bitwise_and bitwise_or "
                      "bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift bitwise_count is_between gcd lcm".split())
# Views with a derivative of their own.
VIEWS = frozenset("view alias permute squeeze_dims unsqueeze expand_dims expand slice select diagonal flip_view as_strided view_as_real view_as_complex unfold".split())
_REFUSED = "resize_ resize_as_".split()


def refused(level: DualLevel, call: Any, args: Arguments, primals: list[Any], tangents: Tangents) -> Any:
    raise NotImplementedError(f"Trying to use forward AD with {call.name} that does not support it.")


def _made_rule(call: Any) -> Rule:
    schema, kind = call.schema, call.kind
    if call.name in _REFUSED:
        return refused
    if kind == "pointwise":
        return constant if call.name in CONSTANTS else pointwise
    if kind == "reduction":
        return general
    arguments, _, results = schema.rpartition("->")
    if "(a!)" in arguments:
        return in_place.other if kind == "kernel" or call.name in in_place.DIFFERENTIABLE_COMPOSITES else inner
    if "Tensor(a)" in results:
        return view if call.name in VIEWS else composed_view
    return inner if kind == "composite" else general


def rule_of(call: Any) -> Rule:
    rule = RULES.get(call.name)
    if rule is None:
        rule = RULES[call.name] = _made_rule(call)
    return rule


__all__ = ["pointwise_result", "reverse_twice", "rule_of"]
