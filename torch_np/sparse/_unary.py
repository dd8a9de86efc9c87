"""Functions of each element that map zero to zero: they apply to the values."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor, _C
from torch_np._C import _is_sparse
from torch_np.sparse._coalesce import coalesce
from torch_np.sparse._common import alias, assign, with_values
from torch_np.sparse._parts import COO, parts_of
from torch_np.sparse._tensor import implements

# Functions f with f(a + b) = f(a) + f(b), so that repeated indices do not matter.
_LINEAR = ("neg", "negative", "conj_physical")
_OTHERS = """abs absolute arcsin arcsinh arctan arctanh asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf
    log1p nan_to_num rad2deg relu round sgn sign signbit sin sinh sqrt square tan tanh trunc fix""".split()


# Other names, which messages do not use.
_CANONICAL = {"absolute": "abs", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "fix": "trunc", "negative": "neg"}


def write_out(out: Tensor | None, result: Tensor) -> Tensor:
    """The result, or the tensor `out` that gets its parts."""
    if out is None:
        return result
    if not _is_sparse(out):
        raise RuntimeError("out= of a sparse result must be a sparse tensor")
    if parts_of(out).layout != parts_of(result).layout:
        raise RuntimeError("out= must have the layout of the result")
    return assign(out, result)


def on_values(x: Tensor, function: Callable[[Tensor], Tensor], keeps_repeated: bool = False) -> Tensor:
    """A tensor whose values are a function of those of `x`. Elements with the same index are summed
    first unless `keeps_repeated`.
    """
    source = x if keeps_repeated or parts_of(x).layout != COO else coalesce(x)
    return with_values(source, function(parts_of(source).values))


def _function(name: str) -> Callable[..., Tensor]:
    function = getattr(torch_np, name)

    def apply(x: Tensor, *args: Any, out: Tensor | None = None, **kwargs: Any) -> Tensor:
        if not _is_sparse(x):
            raise RuntimeError(f"{name}(): out= of a dense tensor must be dense")
        result = on_values(x, lambda values: function(values, *args, **kwargs), name in _LINEAR)
        if out is not None and name in ("signbit", "isposinf", "isneginf") and out.dtype != torch_np.bool:
            raise RuntimeError(f"{name} does not support non-boolean outputs.")
        return write_out(out, result)
    return apply


def _in_place(name: str) -> Callable[..., Tensor]:
    def apply(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        parts = parts_of(x)
        if parts.layout == COO and not parts.is_coalesced and name not in _LINEAR:
            raise RuntimeError(f"{_CANONICAL.get(name, name)}_ requires coalesced input")
        getattr(parts.values, f"{name}_")(*args, **kwargs)
        return x
    return apply


def _register() -> None:
    for name in (*_LINEAR, *_OTHERS):
        implements(name)(_function(name))
        for space in ("special", "nn.functional"):
            place: Any = torch_np
            for part in space.split("."):
                place = getattr(place, part)
            if hasattr(place, name):
                implements(f"{space}.{name}")(_function(name))
        if hasattr(_C.Tensor, f"{name}_"):
            implements(f"{name}_")(_in_place(name))


_register()
for _operator, _name in (("__neg__", "neg"), ("__abs__", "abs")):
    implements(f"Tensor.{_operator}")(_function(_name))


@implements("positive", "Tensor.__pos__")
def _positive(x: Tensor) -> Tensor:
    if parts_of(x).values.dtype == torch_np.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return x


@implements("conj")
def _conj(x: Tensor) -> Tensor:
    return with_values(x, parts_of(x).values.conj_physical()) if x.is_complex() else x


@implements("angle")
def _angle(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    if parts_of(x).layout == COO:
        raise NotImplementedError("angle(): not implemented for tensors of the layout sparse_coo; to_dense() makes a dense tensor")
    return write_out(out, on_values(x, torch_np.angle))


@implements("pow", "Tensor.__pow__")
def _pow(x: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    if not _is_sparse(x) or isinstance(exponent, Tensor) and (_is_sparse(exponent) or exponent.dim()) or parts_of(x).layout != COO:
        raise NotImplementedError("pow(): for sparse tensors only COO tensors to the power of a number are implemented")
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    if parts_of(x).values.dtype == torch_np.bool:
        raise RuntimeError("result type Long can't be cast to the desired output type Bool")
    return write_out(out, on_values(x, lambda values: torch_np.pow(values, exponent)))


@implements("view_as_real")
def _view_as_real(x: Tensor) -> Tensor:
    values = parts_of(x).values
    if not values.is_complex():
        raise RuntimeError("view_as_real_sparse is only supported for complex sparse tensors")
    from torch_np.sparse._parts import make, size_of

    return make(parts_of(x)._replace(values=torch_np.view_as_real(alias(values))), (*size_of(x), 2))


@implements("view_as_complex")
def _view_as_complex(x: Tensor) -> Tensor:
    from torch_np.sparse._parts import make, size_of

    parts = parts_of(x)
    return make(parts._replace(values=torch_np.view_as_complex(parts.values)), size_of(x)[:-1])
