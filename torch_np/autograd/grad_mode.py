"""Gradient modes: context managers and decorators that turn the recording of operations on and off,
for the current thread.
"""
from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable
from typing import Any, Self, TypeVar, overload

from torch_np import _C

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def __getattr__(name: str) -> Any:
    """Classes that packages import from here, and that torch_np.utils, which imports this module, defines."""
    if name in ("_DecoratorContextManager", "_NoParamDecoratorContextManager"):
        from torch_np.utils import _contextlib

        return getattr(_contextlib, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def is_grad_enabled() -> bool:
    """Whether this thread records operations."""
    return _C._is_grad_enabled()


class _Mode:
    """Base class that sets the mode for a block, or for each call of a function. For generator
    functions it sets the mode while they run.
    """

    def __init__(self) -> None:
        self._before: list[bool] = []

    def _enabled(self) -> bool:
        raise NotImplementedError

    def _again(self) -> _Mode:
        return type(self)()

    def __enter__(self) -> None:
        self._before.append(_C._is_grad_enabled())
        _C._set_grad_enabled(self._enabled())

    def __exit__(self, *exc: object) -> None:
        _C._set_grad_enabled(self._before.pop())

    def __call__(self, function: _Decorated) -> _Decorated:
        if inspect.isclass(function):
            warnings.warn("Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or methods. "
                          "To preserve the current behavior of class decoration, you can directly decorate the `__init__` method and nothing else.",
                          FutureWarning, stacklevel=2)
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def in_mode(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)

        return in_mode  # type: ignore[return-value]

    def _wrap_generator(self, function):
        """Wraps a generator function, so that the mode holds inside of it, but not in the code that
        it yields to.
        """

        @functools.wraps(function)
        def in_mode(*args, **kwargs):
            generator = function(*args, **kwargs)
            with self._again():
                try:
                    item = next(generator)
                except StopIteration as stop:
                    return stop.value
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    with self._again():
                        generator.close()
                    raise
                except BaseException as error:  # noqa: BLE001  (the generator must receive any exception thrown into it)
                    with self._again():
                        try:
                            item = generator.throw(error)
                        except StopIteration as stop:
                            return stop.value
                else:
                    with self._again():
                        try:
                            item = generator.send(sent)
                        except StopIteration as stop:
                            return stop.value

        return in_mode


class no_grad(_Mode):
    """Turns recording off: `with no_grad():` or `@no_grad()`."""

    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, function: _Decorated) -> _Decorated: ...  # type: ignore[misc]
    def __new__(cls, function: Any = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(function)  # supports `@no_grad` without parentheses

    def _enabled(self) -> bool:
        return False


class enable_grad(_Mode):
    """Turns recording on, also inside of `no_grad`."""

    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, function: _Decorated) -> _Decorated: ...  # type: ignore[misc]
    def __new__(cls, function: Any = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(function)

    def _enabled(self) -> bool:
        return True


class set_grad_enabled(_Mode):
    """Sets the mode immediately. As a context manager it restores the earlier mode at the end of
    the block.

    Args:
      mode: Whether to record operations.

    Errors: TypeError unless `mode` is a bool.
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'mode' must be bool, not {type(mode).__name__}")
        super().__init__()
        self._mode = mode
        self._outer = _C._is_grad_enabled()
        _C._set_grad_enabled(self._mode)

    def _enabled(self) -> bool:
        return self._mode

    def _again(self) -> _Mode:
        return _Restoring(self._mode)

    def __enter__(self) -> None:
        self._before.append(self._outer)
        _C._set_grad_enabled(self._mode)

    def __call__(self, function: _Decorated) -> _Decorated:
        _C._set_grad_enabled(self._outer)  # as a decorator it sets the mode in calls only
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"set_grad_enabled(mode={self._mode})"


class inference_mode(_Mode):
    """Turns recording off, as `no_grad`, and makes `is_inference_mode_enabled()` True. New tensors in
    the block are inference tensors: outside of it they cannot change in place, require a gradient,
    or be saved for a gradient. `clone()` gives an ordinary tensor there.

    Args:
      mode: If False, operations are recorded, also inside of another `inference_mode`.
    """

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: _Decorated) -> _Decorated: ...  # type: ignore[misc]
    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        if not callable(mode):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)  # supports `@inference_mode` without parentheses

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = bool(mode)
        self._outer: list[bool] = []

    def _enabled(self) -> bool:
        return not self.mode

    def _again(self) -> _Mode:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self._outer.append(is_inference_mode_enabled())
        if self.mode or self._outer[-1]:
            super().__enter__()
        else:
            # outside of inference mode, mode=False changes nothing
            self._before.append(_C._is_grad_enabled())
        _set_inference(self.mode)

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        _set_inference(self._outer.pop())


def _set_inference(mode: bool) -> None:
    _inference.mode = mode
    _C._set_inference(mode)


class _Inference(threading.local):
    mode = False


_inference = _Inference()


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside of `inference_mode`."""
    return _inference.mode


class _Restoring(_Mode):
    def __init__(self, mode: bool) -> None:
        super().__init__()
        self._mode = mode

    def _enabled(self) -> bool:
        return self._mode


class _Threads(threading.local):
    enabled = True


_threads = _Threads()


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` of this thread was set to; True at first."""
    return _threads.enabled


class set_multithreading_enabled:
    """Accepted for compatibility, as a function or context manager; no result depends on it. A
    backward pass runs its nodes on the thread that calls it, one after another.

    Args:
      mode: What `is_multithreading_enabled()` returns.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.prev, _threads.enabled = _threads.enabled, bool(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _threads.enabled = self.prev

    def clone(self) -> set_multithreading_enabled:
        """Another object with the same mode."""
        return type(self)(self.mode)


class enforce_grad_layout_policy:
    """Accepted for compatibility, as a function or context manager; no value depends on it. A leaf
    keeps its first gradient with the strides that backward computed.

    Args:
      enable: Ignored.
    """

    def __init__(self, enable: bool = True) -> None:
        self.enable = enable

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass
