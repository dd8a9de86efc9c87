"""`checkpoint` and `checkpoint_sequential`."""
from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from torch_np import _C
from torch_np.autograd import Function, no_grad
from torch_np.utils._pytree import tree_flatten, tree_unflatten
from torch_np.utils.checkpoint._determinism import Checks
from torch_np.utils.checkpoint._frame import run
from torch_np.utils.checkpoint._settings import settings

_UNSAID = ("{}: the use_reentrant parameter should be passed explicitly. In a future release, {} use_reentrant=False is recommended, but if "
           "you need to preserve the current default behavior, you can pass use_reentrant=True.")


def noop_context_fn() -> tuple[Any, Any]:
    """Returns two contexts without an effect: the default of `context_fn`."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns if no tensor among the inputs requires a gradient.

    Args:
      inputs: Any objects.
    """
    if not any(t.requires_grad for t in inputs if isinstance(t, _C.Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the inputs, with tensors replaced by leaves that share their memory.

    Args:
      inputs: A tuple of any objects.

    Shapes: unchanged.
    Errors: RuntimeError unless `inputs` is a tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(t.detach().requires_grad_(t.requires_grad) if isinstance(t, _C.Tensor) else t for t in inputs)


class _Unneeded(Function):
    """Results of a reentrant checkpoint that have no graph: their derivative raises."""

    @staticmethod
    def forward(ctx: Any, empty: _C.Tensor, *results: _C.Tensor) -> Any:
        return tuple(t.detach() for t in results)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")


def _with_derivative(result: Any) -> Any:
    """The result of a reentrant checkpoint, whose tensors require a gradient."""
    leaves, spec = tree_flatten(result)
    places = [i for i, t in enumerate(leaves) if isinstance(t, _C.Tensor) and (t.is_floating_point() or t.is_complex())]
    if not places or any(leaves[i].requires_grad for i in places) or not _C._is_grad_enabled():
        return result
    found = _Unneeded.apply(_C._torch.empty(0, requires_grad=True), *(leaves[i] for i in places))
    for i, t in zip(places, found, strict=True):
        leaves[i] = t
    return tree_unflatten(leaves, spec)


class CheckpointFunction:
    """The checkpoint of PyTorch with `use_reentrant=True`, as a class with `apply`."""

    @staticmethod
    def apply(run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        """Returns the results of a function, whose backward pass repeats it. Without an argument
        that requires a gradient, the results require none. If one does and the function records nothing,
        the backward pass raises RuntimeError.

        Args:
          run_function: The function.
          preserve_rng_state: Whether the second computation draws the same random numbers.
          args: Arguments of the function.

        Shapes: those of the function.
        """
        check_backward_validity(args)
        if not any(isinstance(t, _C.Tensor) and t.requires_grad for t in args):
            with no_grad():
                return run_function(*args)
        return _with_derivative(run(run_function, args, {}, keeps_random_state=preserve_rng_state, contexts=noop_context_fn(), checks=Checks(False, False, False)))


def checkpoint(function: Callable[..., Any] | None = None, *args: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True,
               context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn, determinism_check: str = "default", debug: bool = False,
               early_stop: bool = True, respect_saved_tensors_hooks: bool | None = None, **kwargs: Any) -> Any:
    """Returns `function(*args, **kwargs)` without keeping its intermediate tensors: the backward
    pass calls the function again.

    The function must give the same results both times. With `use_reentrant=True` the results
    require a gradient only if an argument does, arguments by keyword are refused, and results are
    not compared. Otherwise both settings are the same here: gradients by `autograd.grad` and second
    derivatives are right with either one.

    Args:
      function: The function; None returns a decorator with the given options.
      args: Arguments of the function.
      use_reentrant: Which of PyTorch's two checkpoints is meant; None is True, and warns.
      preserve_rng_state: Whether the second computation draws the same random numbers.
      context_fn: Function that returns two contexts: of the first and the second computation.
      determinism_check: 'default' compares shape, dtype and device of the tensors that operators save; 'none' only their number.
      debug: Whether the error for different results lists the functions that were called both times.
      early_stop: Whether the second computation ends as soon as all tensors have been computed that backward needs. It always
        runs to its end with `use_reentrant=True`.
      respect_saved_tensors_hooks: False or None.
      kwargs: Arguments of the function by keyword.

    Shapes: those of the function.
    Errors: ValueError for options that `use_reentrant=True` does not have, and for another
    `determinism_check`; NotImplementedError for `respect_saved_tensors_hooks=True`; in the backward
    pass CheckpointError if the second computation saves other tensors, and RuntimeError if an argument
    was changed in place.
    """
    if function is None:
        return lambda f: functools.wraps(f)(functools.partial(
            checkpoint, f, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state, context_fn=context_fn,
            determinism_check=determinism_check, debug=debug, early_stop=early_stop, respect_saved_tensors_hooks=respect_saved_tensors_hooks))
    if use_reentrant is None:
        warnings.warn(_UNSAID.format("torch_np.utils.checkpoint", "calling checkpoint without use_reentrant will raise an exception."), stacklevel=2)
        use_reentrant = True
    if respect_saved_tensors_hooks:
        raise NotImplementedError("checkpoint(): hooks of saved tensors are not called; respect_saved_tensors_hooks must be False or None")
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn`, `debug`, or `respect_saved_tensors_hooks` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    checks = Checks(metadata=determinism_check == "default", stops_early=early_stop and settings.early_stop,
                    debug=debug if settings.debug is None else settings.debug)
    return run(function, args, kwargs, keeps_random_state=preserve_rng_state, contexts=context_fn(), checks=checks)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:  # noqa: A002
    """Calls functions one after the other, each on the result of the last, in segments of which all
    but the last one are checkpoints.

    Args:
      functions: nn.Sequential, or list of functions.
      segments: Number of segments.
      input: Argument of the first function.
      use_reentrant: As for `checkpoint`.
      kwargs: Only `preserve_rng_state`.

    Shapes: those of the functions.
    Errors: ValueError for other keywords.
    """
    if use_reentrant is None:
        warnings.warn(_UNSAID.format("torch_np.utils.checkpoint.checkpoint_sequential", "we will raise an exception if use_reentrant is not passed."),
                      stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size, last = len(steps) // segments, 0

    def segment(begin: int, end: int) -> Callable[[Any], Any]:
        def call(x: Any) -> Any:
            for step in steps[begin:end]:
                x = step(x)
            return x
        return call

    for begin in range(0, size * (segments - 1), size):
        last = begin + size
        input = checkpoint(segment(begin, last), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)  # noqa: A001
    return segment(last, len(steps))(input)
