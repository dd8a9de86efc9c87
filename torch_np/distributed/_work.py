"""Work, an operation in progress; ReduceOp, the reductions; and Backend, the interface of the
backends.
"""
from __future__ import annotations

import datetime
import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_np import Tensor

__all__ = ["ReduceOp", "Work"]


class ReduceOp(enum.Enum):
    """A reduction over the values of several processes.

    For bools, SUM is the logical or and PRODUCT the logical and. AVG, defined for floating and
    complex numbers, divides each value by the number of processes before the addition.
    """

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"
    BAND = "band"
    BOR = "bor"
    BXOR = "bxor"


ReduceOp.RedOpType = ReduceOp  # type: ignore[attr-defined]  # PyTorch's name of the type of the members

def seconds_of(what: str, timeout: datetime.timedelta | float | None) -> float | None:
    """A time limit in seconds; None for no limit.

    Errors: TypeError unless `timeout` is a timedelta or a number; ValueError unless it is positive.
    """
    if timeout is None:
        return None
    if isinstance(timeout, datetime.timedelta):
        timeout = timeout.total_seconds()
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"{what}(): timeout must be a timedelta or a number of seconds, got {type(timeout).__name__}")
    if not timeout > 0:
        raise ValueError(f"{what}(): timeout must be positive, got {timeout} s")
    return float(timeout)


class Work(ABC):
    """An operation started with `async_op=True`. Its tensors must not be read or changed before
    `wait()` returns.
    """

    def __init__(self) -> None:
        self._after: list[Callable[[], object]] = []
        self._done = False

    @abstractmethod
    def _test(self) -> bool:
        """Whether the operation is complete; the call lets MPI make progress."""

    @abstractmethod
    def _wait(self, timeout: float | None) -> None:
        """Blocks until the operation is complete.

        Errors: RuntimeError if that takes longer than `timeout` seconds.
        """

    def _then(self, after: Callable[[], object] | None) -> None:
        """Registers a callback that runs when the operation is found complete, in the thread that
        waits or tests.
        """
        if after is not None:
            self._after.append(after)
            if self._done:
                self._complete()

    def _complete(self) -> None:
        self._done = True
        while self._after:
            self._after.pop(0)()

    def is_completed(self) -> bool:
        """Whether the operation is complete; does not block. MPI may make progress only during such
        calls.
        """
        if not self._done and self._test():
            self._complete()
        return self._done

    def wait(self, timeout: datetime.timedelta | float | None = None) -> bool:
        """Blocks until the operation is complete, and returns True.

        For a GPU operation, it returns at once and makes the current stream wait.

        Args:
          timeout: timedelta or seconds; by default the timeout of the process group

        Errors: RuntimeError if the operation fails or takes longer than `timeout`.
        """
        limit = seconds_of("wait", timeout)
        if not self._done:
            self._wait(limit)
            self._complete()
        return True


class Backend(ABC):
    """Interface of the communication library for tensors on one kind of device.

    Tensors are contiguous and detached. Ranks are those within the group. `what` is the operation's
    name for error messages. Operations are complete when they return, unless `asynchronous`.
    """

    name: str

    @abstractmethod
    def all_reduce(self, what: str, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        """Replaces `tensor` by the reduction of all processes' tensors."""

    @abstractmethod
    def reduce(self, what: str, tensor: Tensor, root: int, op: ReduceOp, asynchronous: bool) -> Work:
        """Replaces `tensor` on `root` by the reduction of all processes' tensors; elsewhere it is
        unchanged.
        """

    @abstractmethod
    def broadcast(self, what: str, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        """Replaces `tensor` by that of `root`."""

    @abstractmethod
    def all_gather(self, what: str, output: Tensor, tensor: Tensor, asynchronous: bool) -> Work:
        """Fills `output` with the concatenation of all processes' tensors."""

    @abstractmethod
    def reduce_scatter(self, what: str, output: Tensor, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        """Fills `output` with this process's part of the reduction of all processes' tensors."""

    @abstractmethod
    def gather(self, what: str, output: Tensor | None, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        """Fills `output` on `root` with the concatenation of all processes' tensors."""

    @abstractmethod
    def scatter(self, what: str, output: Tensor, tensor: Tensor | None, root: int, asynchronous: bool) -> Work:
        """Fills `output` with this process's part of the tensor of `root`."""

    @abstractmethod
    def send(self, what: str, tensor: Tensor, rank: int, tag: int, asynchronous: bool) -> Work:
        """Sends `tensor` to another process."""

    @abstractmethod
    def receive(self, what: str, tensor: Tensor, rank: int | None, tag: int, asynchronous: bool) -> tuple[Work, Callable[[], int]]:
        """Fills `tensor` with a message from `rank`, or from any process if None.

        Returns the Work and a function that returns the sender's rank once the operation is
        complete.
        """

    @abstractmethod
    def barrier(self, what: str, asynchronous: bool) -> Work:
        """Completes when all processes have called it."""

    @abstractmethod
    def close(self) -> None:
        """Waits for pending operations and releases the backend's resources."""
