"""torch_np.utils._contextlib: contexts as decorators of functions and generators."""
from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["F", "context_decorator"]


def _in_pieces(make: Callable[[], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The generator function that enters the context whenever the generator runs."""
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        try:
            with make():
                answer = generator.send(None)
            while True:
                try:
                    request = yield answer
                except GeneratorExit:
                    with make():
                        generator.close()
                    raise
                except BaseException:  # thrown into the generator, which may handle it
                    with make():
                        answer = generator.throw(sys.exception() or RuntimeError())
                else:
                    with make():
                        answer = generator.send(request)
        except StopIteration as end:
            return end.value
    return wrapper


def context_decorator(ctx: Any, func: F) -> F:
    """Returns a function that runs another one within a context. The code of a generator runs in
    the context, and the code between its items does not.

    Args:
      ctx: The context, or a function that makes one for each call.
      func: The function, generator function or coroutine function.

    Errors: RuntimeError for an object that is both a context and a function; TypeError for a class.
    """
    if callable(ctx) and hasattr(ctx, "__enter__"):
        raise RuntimeError(f"Passed in {ctx} is both callable and also a valid context manager (has __enter__), making it ambiguous which "
                           "interface to use.  If you intended to pass a context manager factory, rewrite your call as "
                           "context_decorator(lambda: ctx()); if you intended to pass a context manager directly, rewrite your call as "
                           "context_decorator(lambda: ctx)")
    make = ctx if callable(ctx) else lambda: ctx
    if inspect.isclass(func):
        raise TypeError("Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods should have the context "
                        "manager applied; additionally, decorating a class at definition-site will prevent use of the identifier as a "
                        "conventional type.")
    if inspect.isgeneratorfunction(func):
        return _in_pieces(make, func)  # type: ignore[return-value]

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with make():
            return func(*args, **kwargs)

    if inspect.iscoroutinefunction(func):
        @functools.wraps(func)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            with make():
                return await func(*args, **kwargs)
        return waiting  # type: ignore[return-value]
    return wrapper  # type: ignore[return-value]


class _DecoratorContextManager:
    """Base class of contexts that are decorators, too. `clone` makes the context of each call."""

    def __call__(self, orig_func: F) -> F:
        return context_decorator(self.clone, orig_func)

    def __enter__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.__enter__() is not defined")

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}.__exit__() is not defined")

    def clone(self) -> Any:
        """A new context of the same class; classes with arguments override it."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """Base class of contexts without arguments, which decorate with and without parentheses."""

    def __new__(cls, orig_func: Any = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
