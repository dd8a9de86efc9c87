"""Derivatives of functions of tensors, by forward-mode differentiation."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch_np
from torch_np import _C
from torch_np._transforms import dual
from torch_np.autograd import forward_ad
from torch_np.func._argnums import numbers_of
from torch_np.func._derivatives import check_results, jacrev, linearized, with_aux
from torch_np.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["hessian", "jacfwd", "jvp", "linearize"]

_JVP = "jvp(f, primals, tangents)"


def _check_tensors(leaves: list[Any], name: str) -> None:
    if not leaves:
        raise RuntimeError(f"{_JVP}: Expected {name} to contain at least one Tensor.")
    for leaf in leaves:
        if not isinstance(leaf, _C.Tensor):
            raise RuntimeError(f"{_JVP}: Expected {name} to contain only Tensors, got unsupported type {type(leaf)}")


def _unpacked(level: dual.DualLevel, value: Any, strict: bool) -> tuple[_C.Tensor, _C.Tensor]:
    primal, tangent = dual.unpack(level, value)
    if tangent is None:
        if strict:
            raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
                               "strict=True.")
        tangent = torch_np.zeros_like(primal)
    return primal, tangent


def _primal(level: dual.DualLevel, value: Any) -> Any:
    return dual.unpack(level, value)[0] if isinstance(value, _C.Tensor) else value


def _pushed(func: Callable[..., Any], args: tuple[Any, ...], numbers: list[int], tangents: tuple[Any, ...], strict: bool, has_aux: bool) -> Any:
    """The result of `func(*args)` and its tangents, for tangents of the arguments with these numbers."""
    leaves, structure = tree_flatten(tuple(args[n] for n in numbers))
    directions, other = tree_flatten(tangents)
    if structure != other:
        raise RuntimeError(f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
                           f"tensors, tangents also must be. Got primals with structure {structure} and tangents with structure {other}")
    _check_tensors(leaves, "primals")
    _check_tensors(directions, "tangents")
    before, dual.state.enabled = dual.state.enabled, True
    try:
        with forward_ad._own_level() as level:
            duals = tree_unflatten([forward_ad.make_dual(p, t) for p, t in zip(leaves, directions)], structure)
            given = list(args)
            for n, value in zip(numbers, duals):
                given[n] = value
            output, aux = with_aux(_JVP, func(*given), has_aux)
            extra, shape = tree_flatten(aux)
            aux = tree_unflatten([_primal(level, v) for v in extra], shape)
            check_results(_JVP, output)
            results, form = tree_flatten(output)
            pairs = [_unpacked(level, v, strict) for v in results]
    finally:
        dual.state.enabled = before
    value, product = tree_unflatten([p for p, _ in pairs], form), tree_unflatten([t for _, t in pairs], form)
    return (value, product, aux) if has_aux else (value, product)


def jvp(func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], *, strict: bool = False, has_aux: bool = False) -> Any:
    """Returns the result of `func(*primals)`, and the product of its Jacobian and the tangents: the
    derivative along one direction. Operators compute it together with their results, so no graph is
    kept.

    Args:
      func: Function of the primals.
      primals: Arguments: tensors, or nested tensors, in a tuple.
      tangents: Tensors with the shapes of the primals, in a tuple.
      strict: Whether a result that does not depend on the primals raises. Otherwise its derivative is 0.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned last.

    Shapes: the product has those of the result.
    Errors: RuntimeError unless both are tuples, of the same shapes and dtypes.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    return _pushed(func, primals, list(range(len(primals))), tangents, strict, has_aux)


def pushed(func: Callable[..., Any], primals: tuple[_C.Tensor, ...], tangents: tuple[_C.Tensor, ...]) -> Any:
    """The tangents of the results of `func(*primals)`."""
    return _pushed(func, primals, list(range(len(primals))), tangents, False, False)[1]


def _check_real(leaves: list[Any], what: str) -> None:
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, _C.Tensor) and leaf.is_complex():
            raise RuntimeError(f"jacfwd: Expected all {what}s to be real but received complex tensor at flattened {what} idx: {i}")


def jacfwd(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable[..., Any]:
    """Returns a function that computes the Jacobian of `func` column by column, by `vmap` of `jvp`. It
    equals that of `jacrev`, and is faster if the result has more elements than the argument.

    Args:
      func: Function with tensors as its result.
      argnums: Position of the argument to differentiate by; or a tuple of positions.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned behind
        the Jacobian.
      randomness: As in `vmap`.

    Shapes: that of the result of `func`, followed by that of the argument.
    Errors: RuntimeError for a position that does not exist, and for complex arguments.
    """
    def wrapped(*args: Any) -> Any:
        _check_real(tree_flatten(args)[0], "input")
        numbers = numbers_of(argnums, len(args))
        leaves, structure = tree_flatten(tuple(args[n] for n in numbers))
        _check_tensors(leaves, "primals")
        sizes = [leaf.numel() for leaf in leaves]

        def push(*directions: Any) -> Any:
            found = _pushed(func, args, numbers, tree_unflatten(list(directions), structure), False, has_aux)
            _check_real(tree_flatten(found[0])[0], "output")
            return found[1:]
        columns = torch_np.func.vmap(push, randomness=randomness)(*directions(leaves, sizes))
        results, form = tree_flatten(columns[0])
        jacobians = [tree_unflatten([part.reshape((*part.shape[:-1], *leaf.shape)) for part, leaf in zip(column.movedim(0, -1).split(sizes, -1), leaves)],
                                    structure) for column in results]
        found = tree_unflatten([j[0] for j in jacobians] if isinstance(argnums, int) else jacobians, form)
        if not has_aux:
            return found
        extra, form = tree_flatten(columns[1])
        return found, tree_unflatten([v[0] for v in extra], form)
    return wrapped


def directions(leaves: Sequence[_C.Tensor], sizes: list[int]) -> list[_C.Tensor]:
    """A basis of the space of all leaves, as a batch of tangents for each of them."""
    total, made, start = sum(sizes), [], 0
    for leaf, size in zip(leaves, sizes):
        unit = torch_np.zeros((total, size), dtype=leaf.dtype, device=leaf.device)
        unit.diagonal(-start).fill_(1)
        made.append(unit.view(total, *leaf.shape))
        start += size
    return made


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Returns the result of `func(*primals)`, and a function that multiplies tangents by its Jacobian there.
    `func` runs once; each product takes a backward pass through its gradient.

    Args:
      func: Function of the primals.
      primals: Arguments: tensors, or nested tensors.

    Shapes: tangents have the shapes of the primals, products those of the result.
    Errors: RuntimeError for tangents of other shapes.
    """
    value, times = linearized(func, primals)
    leaves, structure = tree_flatten(primals)

    def product(*tangents: Any) -> Any:
        given, other = tree_flatten(tangents)
        if other != structure:
            raise RuntimeError(f"Expected the tangents {other} to have the same argspec as the primals {structure}")
        for i, (t, p) in enumerate(zip(given, leaves)):
            for what in ("shape", "device", "dtype"):
                if getattr(t, what) != getattr(p, what):
                    raise RuntimeError(f"tangent:{i} with {what} {getattr(t, what)} in flattened pytree doesn't match the {what} {getattr(p, what)} "
                                       "of the corresponding primal.")
        return times(*tangents)
    return value, product


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Returns a function that computes the Hessian of `func`: the Jacobian, by `jacfwd`, of its Jacobian, by
    `jacrev`.

    Args:
      func: Function with a tensor as its result.
      argnums: Position of the argument to differentiate by; or a tuple of positions.

    Shapes: that of the result of `func`, followed twice by that of the argument.
    Errors: RuntimeError for a position that does not exist.
    """
    return jacfwd(jacrev(func, argnums), argnums)
