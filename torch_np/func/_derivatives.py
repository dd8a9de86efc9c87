"""Derivatives of functions of tensors, by reverse-mode differentiation."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import torch_np
from torch_np import _C
from torch_np.func._argnums import numbers_of
from torch_np._transforms.batching import running
from torch_np.nn import Module
from torch_np.utils._pytree import tree_flatten

__all__ = ["functional_call", "grad", "grad_and_value", "jacrev", "replace_all_batch_norm_modules_", "stack_module_state", "vjp"]


def _mapped(value: Any, fn: Callable[[_C.Tensor], Any]) -> Any:
    """Applies `fn` to the tensors in nested tuples, lists and dicts."""
    if isinstance(value, _C.Tensor):
        return fn(value)
    if isinstance(value, dict):
        return type(value)((key, _mapped(item, fn)) for key, item in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_mapped(item, fn) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_mapped(item, fn) for item in value)
    return value


def _tensors(value: Any) -> list[_C.Tensor]:
    if isinstance(value, _C.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return []
    return [t for item in value for t in ([item] if isinstance(item, _C.Tensor) else _tensors(item))]


_NOTHING_TO_DO = contextlib.nullcontext()


def _recording() -> Any:
    """A context in which operators are recorded. Most callers record already."""
    return _NOTHING_TO_DO if _C._is_grad_enabled() else torch_np.enable_grad()


def _input(x: _C.Tensor) -> _C.Tensor:
    """A tensor to differentiate by, which keeps the history of `x`. Within vmap it is one of the batch."""
    for batch in running()[-1:]:
        x = batch.lift(x)
    return x.view_as(x) if x.requires_grad else _C._without_history(x).requires_grad_()


def _gradients(outputs: Sequence[_C.Tensor], inputs: Any, cotangents: Sequence[_C.Tensor] | None, create_graph: bool) -> Any:
    """Derivatives by the tensors in `inputs`, in the same nesting; zero where a tensor has no effect."""
    flat = _tensors(inputs)
    used = [(o, None if cotangents is None else cotangents[i]) for i, o in enumerate(outputs) if o.requires_grad]
    found: Sequence[Any] = [None] * len(flat)
    if used and flat:
        found = torch_np.autograd.grad([o for o, _ in used], flat, None if cotangents is None else [c for _, c in used],
                                       create_graph=create_graph, retain_graph=True, allow_unused=True)
    given = iter(zip(flat, found))

    def one(_: _C.Tensor) -> _C.Tensor:
        x, gradient = next(given)
        return torch_np.zeros_like(x) if gradient is None else gradient
    return _mapped(inputs, one)


def _arguments(args: tuple[Any, ...], argnums: int | tuple[int, ...]) -> tuple[list[Any], list[int], bool]:
    """The arguments with tensors to differentiate by, and whether an outer derivative needs the history."""
    numbers = numbers_of(argnums, len(args))
    outer = any([t.requires_grad for t in _tensors(args)])
    made = list(args)
    for number in numbers:
        made[number] = _mapped(made[number], _input)
    return made, numbers, outer


def _without_history(value: Any, history: bool) -> Any:
    return value if history else _mapped(value, _C._without_history)


def _keeps_history(recording: bool, outer: bool, output: Any, inputs: Any) -> bool:
    """Whether the results of a transform may be differentiated further: by an argument, or by a tensor that
    the function uses besides its arguments.
    """
    return recording and (outer or _C._depend_on_others(_tensors(output), _tensors(inputs)))


def with_aux(api: str, output: Any, has_aux: bool) -> tuple[Any, Any]:
    """The result and the other data of a function, as `has_aux` says it returns them. Raises RuntimeError for anything else."""
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in tree_flatten(output[1])[0]:
        if not isinstance(leaf, _C.Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
    return output


def check_results(api: str, output: Any) -> None:
    """Raises RuntimeError unless a function returned tensors."""
    leaves = tree_flatten(output)[0]
    if not leaves or leaves == [None]:
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for leaf in leaves:
        if not isinstance(leaf, _C.Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}")


def grad_and_value(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Returns a function that computes a gradient and the value of `func`.

    Args:
      func: Function with a 0-d tensor as its result.
      argnums: Position of the argument to differentiate by, which may be nested tensors; or a tuple of
        positions.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned behind
        the value.

    Errors: RuntimeError if the result is not a 0-d tensor, and for a position that does not exist.
    """
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        recording = torch_np.is_grad_enabled()
        with _recording():
            made, numbers, outer = _arguments(args, argnums)
            output = func(*made, **kwargs)
            output, aux = with_aux("grad_and_value(f)(*args)", output, has_aux)
            if not isinstance(output, _C.Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a tensor, got {type(output)}")
            if output.dim():
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. "
                                   "Maybe you wanted to use the vjp or jacrev APIs instead?")
            wanted = tuple(made[n] for n in numbers)
            history = _keeps_history(recording, outer, output, wanted)
            found = _gradients([output], wanted, None, history)
        result = found[0] if isinstance(argnums, int) else found
        value = _without_history(output, history)
        return _without_history(result, history), (value, _without_history(aux, history)) if has_aux else value
    return wrapped


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Returns a function that computes a gradient of `func`; see `grad_and_value`.

    Args:
      func: Function with a 0-d tensor as its result.
      argnums: Position of the argument to differentiate by, which may be nested tensors; or a tuple of
        positions.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned behind
        the gradient.

    Errors: RuntimeError if the result is not a 0-d tensor, and for a position that does not exist.
    """
    both = grad_and_value(func, argnums, has_aux)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient
    return wrapped


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Returns the result of `func(*primals)` and a function of cotangents of it, with the shapes of the
    result. That function returns a tuple with the product of the cotangents and the Jacobian for each
    primal.

    Args:
      func: Function of the primals.
      primals: Arguments: tensors, or nested tensors.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned last.
    """
    recording, outer = torch_np.is_grad_enabled(), any(t.requires_grad for t in _tensors(primals))
    with _recording():
        made = tuple(_mapped(p, _input) for p in primals)
        output, aux = with_aux("vjp(f, *primals)", func(*made), has_aux)
        check_results("vjp(f, *primals)", output)
    kept = _keeps_history(recording, outer, output, made)

    def pulled(*cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given = _tensors(cotangents[0] if len(cotangents) == 1 else cotangents)
        history = torch_np.is_grad_enabled() and (kept or any(c.requires_grad for c in given))
        found = _gradients(_tensors(output), made, given, history if create_graph is None else create_graph)
        return _without_history(found, history)
    value = _without_history(output, kept)
    return (value, pulled, _without_history(aux, kept)) if has_aux else (value, pulled)


def jacrev(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False, chunk_size: int | None = None,
           _preallocate_and_copy: bool = False) -> Callable[..., Any]:
    """Returns a function that computes the Jacobian of `func`, row by row.

    Args:
      func: Function with a tensor as its result.
      argnums: Position of the argument to differentiate by, a tensor; or a tuple of positions.
      has_aux: Whether `func` returns a pair of its result and of other data, which is returned behind
        the Jacobian.
      chunk_size: Number of rows that PyTorch computes together; it changes no result.

    Shapes: that of the result of `func`, followed by that of the argument. Results and arguments may be
    nested; there is a Jacobian for each pair of tensors.
    Errors: RuntimeError for a position that does not exist.
    """
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        recording = torch_np.is_grad_enabled()
        with _recording():
            made, numbers, outer = _arguments(args, argnums)
            output, aux = with_aux("vjp(f, *primals)", func(*made, **kwargs), has_aux)
            check_results("vjp(f, *primals)", output)
            wanted = tuple(made[n] for n in numbers)
            history = _keeps_history(recording, outer, output, wanted)
            found = _mapped(output, lambda y: _jacobian(y, wanted, isinstance(argnums, int), history))
        return (found, _without_history(aux, history)) if has_aux else found
    return wrapped


def _jacobian(y: _C.Tensor, wanted: tuple[Any, ...], single: bool, create_graph: bool) -> Any:
    """The derivatives of all elements of `y`, in the nesting of `wanted`."""
    flat = _tensors(wanted)
    found: Sequence[_C.Tensor | None] = [None] * len(flat)
    if y.requires_grad and flat:
        n = y.numel()
        units = None if n == 1 and not y.is_complex() else torch_np.eye(n, dtype=y.dtype, device=y.device).reshape((n, *y.shape))
        found = torch_np.autograd.grad(y, flat, units, True, create_graph, allow_unused=True, is_grads_batched=units is not None)
    given = iter(found)

    def one(x: _C.Tensor) -> _C.Tensor:
        part = next(given)
        return x.new_zeros((*y.shape, *x.shape)) if part is None else part.reshape((*y.shape, *x.shape))
    made = _mapped(wanted, one)
    return made[0] if single else made


def linearized(func: Callable[..., Any], primals: tuple[Any, ...]) -> tuple[Any, Callable[..., Any]]:
    """The result, and a function of tangents. The product of a cotangent with the Jacobian is
    linear in it; its derivative by the cotangent, applied to a tangent, is the Jacobian times the tangent.
    """
    recording, outer = torch_np.is_grad_enabled(), any(t.requires_grad for t in _tensors(primals))
    with _recording():
        made = tuple(_mapped(p, _input) for p in primals)
        output = func(*made)
        kept = _keeps_history(recording, outer, output, made)
        results = _tensors(output)
        cotangents = [torch_np.zeros_like(y).requires_grad_() for y in results]
        products = _tensors(_gradients(results, made, cotangents, True))

    def times(*tangents: Any) -> Any:
        given = _tensors(tangents)
        history = torch_np.is_grad_enabled() and (kept or any(t.requires_grad for t in given))
        with _recording():
            used = [(p, t) for p, t in zip(products, given) if p.requires_grad]
            found = _gradients([p for p, _ in used], cotangents, [t for _, t in used], history)
        parts = iter(found)
        return _without_history(_mapped(output, lambda _: next(parts)), history)
    return _without_history(output, kept), times


def functional_call(module: Module, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None, *,
                    tie_weights: bool = True, strict: bool = False) -> Any:
    """Calls a module with other tensors in the places of its parameters and buffers.

    Args:
      module: Module.
      parameter_and_buffer_dicts: Tensors by name, or a sequence of such dicts.
      args: Arguments: a tuple, or one argument.
      kwargs: Keyword arguments.
      tie_weights: Whether a tensor also replaces the other names of the same parameter.
      strict: Whether every parameter and buffer must be given.

    Errors: ValueError for a name in two dicts.
    """
    from torch_np.nn.utils import stateless
    given = parameter_and_buffer_dicts
    if not isinstance(given, dict):
        names = [name for one in given for name in one]
        if len(set(names)) < len(names):
            raise ValueError(f"{[name for name in set(names) if names.count(name) > 1]} appeared in multiple dictionaries; behavior of functional "
                             "call is ambiguous")
        given = {name: value for one in given for name, value in one.items()}
    return stateless.functional_call(module, given, args if args is not None else (), kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the parameters, and the buffers, of several modules as dicts of stacked tensors.

    Args:
      models: Modules of one class and one mode.

    Shapes: those of the parameters behind a dimension of the modules.
    Errors: RuntimeError for no modules, for different classes or modes, and if some tensors of a name
    require gradients.
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(kind: str) -> dict[str, Any]:
        tables = [dict(getattr(m, kind)()) for m in models]
        made = {}
        for name, first in tables[0].items():
            if len({table[name].requires_grad for table in tables}) > 1:
                raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
            together = torch_np.stack([table[name] for table in tables])
            made[name] = together.detach().requires_grad_() if first.requires_grad and first.is_leaf else together
        return made
    return stacked("named_parameters"), stacked("named_buffers")


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Makes the batch normalisations of a module use the statistics of the batch, without running ones;
    returns the module.

    Args:
      root: Module, which changes.
    """
    from torch_np.nn.modules.batchnorm import _BatchNorm
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
