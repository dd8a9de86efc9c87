"""The CPU as a device with streams, by PyTorch's names. Calls on the CPU end before they return."""
from __future__ import annotations

from typing import Any

from torch_np import _C

__all__ = ["Event", "Stream", "StreamContext", "current_device", "current_stream", "device_count", "get_capabilities", "is_available",
           "is_initialized", "set_device", "stream", "synchronize"]


class Stream:
    """The queue of the CPU's work, which is always empty.

    Args:
      priority: Priority; no work waits.
    """

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Any) -> None:
        """Does nothing: all work has ended.

        Args:
          stream: Stream.
        """

    def record_event(self) -> None:
        """Does nothing: all work has ended."""

    def wait_event(self, event: Any) -> None:
        """Does nothing: all work has ended.

        Args:
          event: Event.
        """

    def synchronize(self) -> None:
        """Does nothing: all work has ended."""


class Event:
    """A point in a stream of the CPU, which has always been reached.

    Args:
      enable_timing: Must be False.

    Errors: NotImplementedError if `enable_timing`.
    """

    def __init__(self, enable_timing: bool = False) -> None:
        if enable_timing:
            raise NotImplementedError("cpu.Event(): enable_timing=True is not implemented; use time.perf_counter()")

    def query(self) -> bool:
        """Returns True: the point has been reached."""
        return True

    def record(self, stream: Any = None) -> None:
        """Does nothing: all work has ended.

        Args:
          stream: Stream.
        """

    def synchronize(self) -> None:
        """Does nothing: all work has ended."""

    def wait(self, stream: Any = None) -> None:
        """Does nothing: all work has ended.

        Args:
          stream: Stream.
        """


_current = Stream()


class StreamContext:
    """Context manager that makes a stream of the CPU the current one.

    Args:
      stream: Stream; None changes nothing.
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        global _current
        self._before = _current
        if self.stream is not None:
            _current = self.stream

    def __exit__(self, *exception: object) -> None:
        global _current
        _current = self._before


def stream(stream: Stream | None) -> StreamContext:
    """Returns a context manager that makes a stream of the CPU the current one.

    Args:
      stream: Stream; None changes nothing.
    """
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """Returns the current stream of the CPU.

    Args:
      device: The CPU.
    """
    return _current


def synchronize(device: Any = None) -> None:
    """Does nothing: calls on the CPU end before they return.

    Args:
      device: The CPU.
    """


def current_device() -> str:
    """Returns 'cpu'."""
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is one CPU.

    Args:
      device: The CPU.
    """


def device_count() -> int:
    """Returns 1."""
    return 1


def is_available() -> bool:
    """Returns True."""
    return True


def is_initialized() -> bool:
    """Returns True."""
    return True


def get_capabilities() -> dict[str, Any]:
    """Returns the instruction set that kernels use, and the number of threads, by name."""
    return {"capability": _C._cpu.get_cpu_capability(), "num_threads": _C.get_num_threads()}
