"""Results that become available later: the contents of torch_np.futures."""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """A value, or an exception, that another part of the program sets later.

    Args:
      devices: Devices of the tensors in the value. Values on the CPU need none, and the engine
        synchronises tensors of GPUs itself, so the argument changes no result.
    """

    def __init__(self, *, devices: list[Any] | None = None) -> None:
        self._devices = list(devices or [])
        self._changed = threading.Condition(threading.RLock())
        self._done = False
        self._value: Any = None
        self._exception: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], Any]] = []

    def done(self) -> bool:
        """Whether the value or an exception has been set."""
        return self._done

    def wait(self) -> T:
        """Waits for the value and returns it. Errors: raises the exception that was set."""
        with self._changed:
            self._changed.wait_for(lambda: self._done)
        if self._exception is not None:
            raise self._exception
        return self._value

    def value(self) -> T:
        """Returns the value that has been set.

        Errors: RuntimeError if none has been set; the exception that was set.
        """
        if not self._done:
            raise RuntimeError("Future.value(): the future is not completed; call wait()")
        return self.wait()

    def set_result(self, result: T) -> None:
        """Sets the value, wakes waiting threads and calls the callbacks.

        Args:
          result: The value.

        Errors: RuntimeError if the value or an exception has been set before.
        """
        self._complete(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Sets an exception in place of the value.

        Args:
          result: The exception, which `wait` raises.

        Errors: AssertionError if `result` is not an exception; RuntimeError if the value or an
        exception has been set before.
        """
        assert isinstance(result, Exception), f"{result} is of type {type(result)}, not an Exception."
        self._complete(None, result)

    def _complete(self, value: Any, exception: BaseException | None) -> None:
        with self._changed:
            if self._done:
                raise RuntimeError("Future can only be marked completed once")
            self._value, self._exception, self._done = value, exception, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            callback(self)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """Returns a Future of `callback(self)`, which is called when this Future is completed.

        Args:
          callback: Function of this Future. Its exception becomes that of the result.
        """
        made: Future[S] = Future(devices=self._devices)

        def run(done: Future[T]) -> None:
            try:
                value = callback(done)
            except Exception as exception:
                made.set_exception(exception)
            else:
                made.set_result(value)
        self._when_done(run)
        return made

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Calls `callback(self)` when this Future is completed; at once if it is.

        Args:
          callback: Function of this Future.
        """
        self._when_done(callback)

    def _when_done(self, callback: Callable[[Future[T]], Any]) -> None:
        with self._changed:
            if not self._done:
                self._callbacks.append(callback)
                return
        callback(self)


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """Returns a Future that is completed when all `futures` are, with the list of them as its value.

    Args:
      futures: The futures.
    """
    made: Future[list[Future[Any]]] = Future()
    remaining, lock = len(futures), threading.Lock()

    def one_done(_: Future[Any]) -> None:
        nonlocal remaining
        with lock:
            remaining -= 1
            last = remaining == 0
        if last:
            made.set_result(futures)
    if not futures:
        made.set_result(futures)
    for future in futures:
        future.add_done_callback(one_done)
    return made


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """Waits for all `futures` and returns their values.

    Args:
      futures: The futures.

    Errors: the exception of the first future that has one.
    """
    return [future.wait() for future in collect_all(futures).wait()]
