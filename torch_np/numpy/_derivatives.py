"""Derivatives of functions of arrays, and functions of batches: torch_np.func on this face."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from torch_np import _C

__all__: list[str] = []  # NumPy has none of these names


def _tensor(value: Any) -> Any:
    """An array, or a number, as a Tensor; any other value as it is."""
    if _C._is_ndarray(value):
        return value._torch()
    return _C._numpy.asarray(value)._torch() if isinstance(value, (numpy.generic, numpy.ndarray, float, complex)) else value


def _array(value: Any) -> Any:
    return value._np_compat() if isinstance(value, _C.Tensor) else value


def _converted(value: Any, one: Callable[[Any], Any]) -> Any:
    """Applies `one` to the leaves of nested tuples, lists and dicts."""
    if isinstance(value, dict):
        return {key: _converted(item, one) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_converted(item, one) for item in value))
    if type(value) in (tuple, list):
        return type(value)(_converted(item, one) for item in value)
    return one(value)


def _of_tensors(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function of arrays as a function of tensors."""
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return _converted(func(*_converted(args, _array), **kwargs), _tensor)
    return wrapped


def _of_arrays(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function of tensors as a function of arrays."""
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return _converted(func(*_converted(args, _tensor), **kwargs), lambda v: _of_arrays(v) if callable(v) and not _C._is_array(v) else _array(v))
    return wrapped


def _transformed(name: str, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    import torch_np.func as transforms

    return _of_arrays(getattr(transforms, name)(_of_tensors(func), *args, **kwargs))


def _grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Returns a function that computes the gradient of `func`.

    Args:
      func: Function of arrays with a 0-d result.
      argnums: Position of the argument to differentiate by, which may be nested; or a tuple of positions.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned behind
        the gradient.

    Shapes: that of the argument.
    Errors: RuntimeError if the result is not 0-d, and for a position that does not exist.
    """
    return _transformed("grad", func, argnums, has_aux)


def _value_and_grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Returns a function that computes `func` and its gradient, as a pair.

    Args:
      func: Function of arrays with a 0-d result.
      argnums: Position of the argument to differentiate by, which may be nested; or a tuple of positions.
      has_aux: Whether `func` returns a pair of its result and of other data. The first of the results
        then is that pair.

    Shapes: those of the result and of the argument.
    Errors: RuntimeError if the result is not 0-d, and for a position that does not exist.
    """
    both = _transformed("grad_and_value", func, argnums, has_aux)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return value, gradient
    return wrapped


def _jvp(func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], has_aux: bool = False) -> Any:
    """Returns `func(*primals)`, and its derivative along the tangents: the product of the Jacobian and the
    tangents, in one pass.

    Args:
      func: Function of the primals.
      primals: Arguments: arrays, or nested arrays, in a tuple.
      tangents: Arrays with the shapes of the primals, in a tuple.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned last.

    Shapes: the derivative has those of the result.
    Errors: RuntimeError unless both are tuples, of the same shapes and dtypes.
    """
    import torch_np.func as transforms

    return _converted(transforms.jvp(_of_tensors(func), _converted(primals, _tensor), _converted(tangents, _tensor), has_aux=has_aux), _array)


def _vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Returns `func(*primals)`, and a function of cotangents that returns a tuple with their products with the
    Jacobian, one for each primal.

    Args:
      func: Function of the primals.
      primals: Arguments: arrays, or nested arrays.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned last.

    Shapes: cotangents have the shapes of the result, products those of the primals.
    """
    import torch_np.func as transforms

    return _of_arrays(lambda *tensors: transforms.vjp(_of_tensors(func), *tensors, has_aux=has_aux))(*primals)


def _linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Returns `func(*primals)`, and a function that multiplies tangents by the Jacobian there. `func` runs once.

    Args:
      func: Function of the primals.
      primals: Arguments: arrays, or nested arrays.

    Shapes: tangents have the shapes of the primals, products those of the result.
    Errors: RuntimeError for tangents of other shapes or dtypes.
    """
    import torch_np.func as transforms

    result: tuple[Any, Callable[..., Any]] = _of_arrays(lambda *tensors: transforms.linearize(_of_tensors(func), *tensors))(*primals)
    return result


def _jacobian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, mode: str = "reverse") -> Callable[..., Any]:
    """Returns a function that computes the Jacobian of `func`.

    Args:
      func: Function of arrays.
      argnums: Position of the argument to differentiate by; or a tuple of positions.
      mode: 'reverse' (a pass for each element of the result), or 'forward' (a pass for each element of
        the argument); passes are computed as a batch.

    Shapes: that of the result of `func`, followed by that of the argument.
    Errors: ValueError for another mode; RuntimeError for a position that does not exist.
    """
    if mode not in ("reverse", "forward"):
        raise ValueError(f"mode must be 'reverse' or 'forward', got {mode!r}")
    return _transformed("jacrev" if mode == "reverse" else "jacfwd", func, argnums)


def _hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Returns a function that computes the Hessian of `func`: its second derivatives.

    Args:
      func: Function of arrays.
      argnums: Position of the argument to differentiate by; or a tuple of positions.

    Shapes: that of the result of `func`, followed twice by that of the argument.
    Errors: RuntimeError for a position that does not exist.
    """
    return _transformed("hessian", func, argnums)


def _vmap(func: Callable[..., Any], in_axes: int | tuple[Any, ...] = 0, out_axes: Any = 0, randomness: str = "error", *,
          chunk_size: int | None = None) -> Callable[..., Any]:
    """Returns a function that applies `func` to each sample of a batch. `func` runs once, on arrays without
    the axis of the batch; each of its operators computes all samples.

    Args:
      func: Function of arrays without the axis of the batch.
      in_axes: Axis of the batch in each argument; one number for all, or a tuple, nested as the
        arguments. None passes an argument unchanged.
      out_axes: Axis of the batch in each result; None returns a result that is the same for all samples.
      randomness: 'different' random numbers for each sample, the 'same', or 'error', which refuses them.
      chunk_size: Number of samples that are computed together; None computes all.

    Shapes: arguments and results of `func` with one more axis.
    Errors: ValueError for axes that do not fit; RuntimeError for random numbers if `randomness` is
    'error', for shapes and branches that depend on values, and if an operator writes a batched array into
    one that is not.
    """
    return _transformed("vmap", func, in_axes, out_axes, randomness, chunk_size=chunk_size)
