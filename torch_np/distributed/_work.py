"""An operation under way, and which reductions there are."""
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
    """How values of several processes become one. Of bools SUM is the logical or, and PRODUCT the logical and. AVG, of floating and
    complex numbers, divides each of them by the number of processes before it adds."""

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"
    BAND = "band"
    BOR = "bor"
    BXOR = "bxor"


def seconds_of(what: str, timeout: datetime.timedelta | float | None) -> float | None:
    """A time limit in seconds, None for none. Errors: TypeError unless it is a timedelta or a number; ValueError unless it is positive."""
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
    """An operation that was begun with `async_op=True`. Until it is waited for, its tensors must not be read or changed."""

    def __init__(self) -> None:
        self._after: list[Callable[[], object]] = []
        self._done = False

    @abstractmethod
    def _test(self) -> bool:
        """Whether the operation is complete; lets it go on."""

    @abstractmethod
    def _wait(self, timeout: float | None) -> None:
        """Blocks until it is complete. Errors: RuntimeError if that takes longer than `timeout` seconds."""

    def _then(self, after: Callable[[], object] | None) -> None:
        """Lets `after` run when the operation is complete, in the thread that asks."""
        if after is not None:
            self._after.append(after)
            if self._done:
                self._complete()

    def _complete(self) -> None:
        self._done = True
        while self._after:
            self._after.pop(0)()

    def is_completed(self) -> bool:
        """Whether the operation is complete; does not block. An operation of MPI may make its next steps only when somebody asks."""
        if not self._done and self._test():
            self._complete()
        return self._done

    def wait(self, timeout: datetime.timedelta | float | None = None) -> bool:
        """Blocks until the operation is complete, and returns True. On a GPU: lets later work of the current stream wait for it, and returns
        at once. Errors: RuntimeError if it takes longer than `timeout`, a timedelta or seconds, by default that of the process group, and
        if it failed."""
        limit = seconds_of("wait", timeout)
        if not self._done:
            self._wait(limit)
            self._complete()
        return True


class Backend(ABC):
    """What a process group's operations are computed by, for tensors of one kind of device. Tensors are contiguous and detached; ranks are
    those within the group; `what` is the operation as the caller named it. Operations are complete when they return, unless `asynchronous`."""

    name: str

    @abstractmethod
    def all_reduce(self, what: str, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        """`tensor` becomes the reduction of all processes' tensors."""

    @abstractmethod
    def reduce(self, what: str, tensor: Tensor, root: int, op: ReduceOp, asynchronous: bool) -> Work:
        """On `root`, `tensor` becomes the reduction of all processes' tensors; elsewhere it stays."""

    @abstractmethod
    def broadcast(self, what: str, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        """`tensor` becomes that of `root`."""

    @abstractmethod
    def all_gather(self, what: str, output: Tensor, tensor: Tensor, asynchronous: bool) -> Work:
        """`output` becomes all processes' tensors one after the other."""

    @abstractmethod
    def reduce_scatter(self, what: str, output: Tensor, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        """`output` becomes this process's part of the reduction of all processes' tensors."""

    @abstractmethod
    def gather(self, what: str, output: Tensor | None, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        """On `root`, `output` becomes all processes' tensors one after the other."""

    @abstractmethod
    def scatter(self, what: str, output: Tensor, tensor: Tensor | None, root: int, asynchronous: bool) -> Work:
        """`output` becomes this process's part of the tensor of `root`."""

    @abstractmethod
    def send(self, what: str, tensor: Tensor, rank: int, tag: int, asynchronous: bool) -> Work:
        """Sends `tensor` to another process."""

    @abstractmethod
    def receive(self, what: str, tensor: Tensor, rank: int | None, tag: int, asynchronous: bool) -> tuple[Work, Callable[[], int]]:
        """`tensor` becomes what `rank`, or anyone, sends; and, when that is complete, whose it was."""

    @abstractmethod
    def barrier(self, what: str, asynchronous: bool) -> Work:
        """Complete when all processes have called it."""

    @abstractmethod
    def close(self) -> None:
        """Gives back what the backend holds."""
