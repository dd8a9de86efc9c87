"""PyTorch's operators of lists of tensors, `torch_np._foreach_<name>`: each applies an operator to
one tensor of the lists after another.

Operators return a tuple of tensors; those whose name ends in `_` change the tensors and return the
list.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch_np import _C
from torch_np._C import Tensor

_t = _C._torch

_UNARY = ("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma", "log", "log10",
          "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc")
_BINARY = ("clamp_max", "clamp_min", "div", "maximum", "minimum", "mul", "pow")


def _checked(name: str, tensors: Any) -> list[Tensor]:
    if isinstance(tensors, Tensor) or not all(isinstance(t, Tensor) for t in tensors):
        raise TypeError(f"{name}(): argument 'self' must be a tuple or list of Tensors")
    listed = list(tensors)
    if not listed:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return listed


def _spread(name: str, value: Any, count: int) -> list[Any]:
    """One value for each tensor: the items of a list, or the same number or tensor."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise RuntimeError(f"{name}(): tensor lists must have the same number of tensors or scalars, got {count} and {len(value)}")
    return list(value)


def _pair(name: str, compute: Callable[..., Tensor], doc: str, of_lists: int) -> None:
    """Defines `_foreach_<name>` and `_foreach_<name>_`. `compute` takes a tensor, an entry of each
    of `of_lists` further lists, and keywords.
    """
    full = f"_foreach_{name}"

    def results(function: str, self: Any, others: tuple[Any, ...], keywords: dict[str, Any]) -> list[tuple[Tensor, Tensor]]:
        tensors = _checked(function, self)
        lists = [_spread(function, other, len(tensors)) for other in others]
        if len(lists) != of_lists:
            raise TypeError(f"{function}(): expected {of_lists + 1} arguments, got {len(lists) + 1}")
        return [(t, compute(t, *row, **keywords)) for t, *row in zip(tensors, *lists)]

    def out_of_place(self: Sequence[Tensor], *others: Any, **keywords: Any) -> tuple[Tensor, ...]:
        return tuple(value for _, value in results(full, self, others, keywords))

    def in_place(self: Sequence[Tensor], *others: Any, **keywords: Any) -> Sequence[Tensor]:
        for t, value in results(full + "_", self, others, keywords):
            t.copy_(value)
        return self

    for function, suffix in ((out_of_place, ""), (in_place, "_")):
        function.__name__ = function.__qualname__ = full + suffix
        function.__doc__ = doc + (" Changes the tensors, and returns the list." if suffix else " Returns a tuple.")
        globals()[full + suffix] = function
        __all__.append(full + suffix)


__all__ = ["_foreach_clone", "_foreach_copy_", "_foreach_max", "_foreach_mm", "_foreach_norm", "_foreach_powsum", "_foreach_zero_"]


def _clamp_max(t: Tensor, other: Any) -> Tensor:
    return _t.minimum(t, other) if isinstance(other, Tensor) else _t.clamp(t, max=other)


def _clamp_min(t: Tensor, other: Any) -> Tensor:
    return _t.maximum(t, other) if isinstance(other, Tensor) else _t.clamp(t, min=other)


_OF_NUMBERS: dict[str, Callable[..., Tensor]] = {
    "clamp_max": _clamp_max, "clamp_min": _clamp_min, "maximum": _clamp_min, "minimum": _clamp_max}

for _name in _UNARY:
    _pair(_name, getattr(_t, _name), f"`{_name}` of each tensor of a list.", 0)
for _name in _BINARY:
    _pair(_name, _OF_NUMBERS.get(_name) or getattr(_t, _name), f"`{_name}` of each tensor of a list and a number, a tensor, or the entries of a list.", 1)
_pair("add", lambda t, other, alpha=1: _t.add(t, other, alpha=alpha), "`add` of each tensor of a list and a number, a tensor, or the entries of a list.", 1)
_pair("sub", lambda t, other, alpha=1: _t.sub(t, other, alpha=alpha), "`sub` of each tensor of a list and a number, a tensor, or the entries of a list.", 1)


def _ternary(operator: Callable[..., Tensor], combine: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def compute(t: Tensor, a: Tensor, b: Tensor, value: Any = 1) -> Tensor:
        return t + combine(a, b) * value if isinstance(value, Tensor) else operator(t, a, b, value=value)
    return compute


def _define_ternary(name: str, compute: Callable[..., Tensor]) -> None:
    """Defines an operator (self, tensor1, tensor2, value=1), whose value may be a number, a list of
    numbers, or a tensor of one for each entry.
    """
    _pair(name, compute, f"`{name}` of the tensors of three lists, with one `value` or a list of them.", 3)
    for suffix in ("", "_"):
        inner = globals()[f"_foreach_{name}{suffix}"]

        def outer(self: Any, tensor1: Any, tensor2: Any, value: Any = 1, *, scalars: Any = None, inner: Any = inner) -> Any:
            values = value if scalars is None else scalars
            if isinstance(values, Tensor):
                values = values.tolist() if values.dim() else values.item()
            return inner(self, tensor1, tensor2, values)

        outer.__name__, outer.__qualname__, outer.__doc__ = inner.__name__, inner.__qualname__, inner.__doc__
        globals()[f"_foreach_{name}{suffix}"] = outer


_define_ternary("addcmul", _ternary(_t.addcmul, lambda a, b: a * b))
_define_ternary("addcdiv", _ternary(_t.addcdiv, lambda a, b: a / b))
_pair("lerp", _t.lerp, "`lerp` of the tensors of two lists, with one weight or a list of them.", 2)

for _suffix in ("", "_"):
    _inner = globals()[f"_foreach_lerp{_suffix}"]

    def _lerp(self: Any, tensors1: Any, weights: Any = None, *, weight: Any = None, inner: Any = _inner) -> Any:
        if (weights is None) == (weight is None):
            raise TypeError(f"{inner.__name__}(): expected one argument 'weight', or 'weights' for a list of them")
        return inner(self, tensors1, weight if weights is None else weights)

    _lerp.__name__, _lerp.__qualname__, _lerp.__doc__ = _inner.__name__, _inner.__qualname__, _inner.__doc__
    globals()[f"_foreach_lerp{_suffix}"] = _lerp

_pow = globals()["_foreach_pow"]


def _foreach_pow(self: Any, exponent: Any) -> tuple[Tensor, ...]:
    """`pow` of each tensor of a list, or of a number, and of a number or the entries of a list.
    Returns a tuple.
    """
    if isinstance(self, (int, float, complex)):
        return tuple(_t.pow(self, e) for e in _checked("_foreach_pow", exponent))
    return _pow(self, exponent)


def _foreach_clone(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Copies of the tensors of a list."""
    return tuple(t.clone() for t in _checked("_foreach_clone", self))


def _foreach_copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: bool = False) -> Sequence[Tensor]:
    """Copies the tensors of `src` into those of `self`, and returns `self`."""
    for t, value in zip(_checked("_foreach_copy_", self), _spread("_foreach_copy_", list(src), len(self))):
        t.copy_(value, non_blocking)
    return self


def _foreach_zero_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """Fills the tensors of a list with zeros, and returns the list."""
    for t in _checked("_foreach_zero_", self):
        t.zero_()
    return self


def _foreach_norm(self: Sequence[Tensor], ord: float = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """The vector norms of the tensors of a list."""
    from torch_np import linalg
    return tuple(linalg.vector_norm(t, ord, dtype=dtype) for t in _checked("_foreach_norm", self))


def _foreach_powsum(self: Sequence[Tensor], ord: float = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """The sums of the powers `abs(x) ** ord` of the tensors of a list."""
    return tuple((t if dtype is None else t.to(dtype)).abs().pow(ord).sum() for t in _checked("_foreach_powsum", self))


def _foreach_max(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The largest elements of the tensors of a list."""
    return tuple(t.max() for t in _checked("_foreach_max", self))


def _foreach_mm(self: Sequence[Tensor], mat2: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The products of the matrices of two lists."""
    return tuple(_t.mm(a, b) for a, b in zip(_checked("_foreach_mm", self), _spread("_foreach_mm", list(mat2), len(self))))
