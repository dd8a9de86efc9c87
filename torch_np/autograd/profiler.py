"""PyTorch's older names of the profiler. `torch_np.profiler` is the profiler itself."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_np._absent import absent_class, absent_function

if TYPE_CHECKING:
    from torch_np.profiler import (
        Averages as EventList, Event as FunctionEvent, profile as profile, record_function as record_function,
    )

__all__ = ["EnforceUnique", "EventList", "FunctionEvent", "KinetoStepTracker", "MemRecordsAcc", "emit_itt", "emit_nvtx", "load_nvprof",
           "parse_nvprof_trace", "profile", "record_function"]

# Names that torch_np.profiler has: the profiler is above autograd in the order of imports.
_OF_THE_PROFILER = {"profile": "profile", "record_function": "record_function", "EventList": "Averages", "FunctionEvent": "Event"}


def __getattr__(name: str) -> Any:
    if name not in _OF_THE_PROFILER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from torch_np import profiler
    value = profile_class() if name == "profile" else getattr(profiler, _OF_THE_PROFILER[name])
    globals()[name] = value
    return value


def profile_class() -> Any:
    """Returns the class `profile` with PyTorch's older options."""
    from torch_np.profiler import profile as recorded

    class profile(recorded):  # noqa: N801  (PyTorch's name)
        """Records the operators of all threads within a `with` statement, as
        `torch_np.profiler.profile` does.

        Args:
          enabled: whether to record
          use_cuda: must be False: times of GPU kernels are not recorded
          profile_memory: record the bytes that arrays allocate and free, too
          options: record_shapes, with_stack, with_flops and with_modules must be False; the others
            choose among PyTorch's ways of recording and have no effect

        Errors: NotImplementedError for options that are not recorded; RuntimeError if any thread is
        already recording a profile.
        """

        def __init__(self, enabled: bool = True, *, use_cuda: bool = False, profile_memory: bool = False, **options: Any) -> None:
            super().__init__(profile_memory=profile_memory)
            self.enabled = enabled
            asked = [name for name in ("record_shapes", "with_stack", "with_flops", "with_modules") if options.get(name)]
            asked += ["use_cuda"] if use_cuda else []
            if asked:
                raise NotImplementedError(f"profile(): {', '.join(asked)}: only the names, times and memory of operators are recorded")

        def __enter__(self) -> Any:
            return super().__enter__() if self.enabled else self

    profile.__module__, profile.__qualname__ = __name__, "profile"
    return profile


class EnforceUnique:
    """Raises RuntimeError if a key is seen twice."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Notes a key.

        Args:
          key: The parts of the key.

        Errors: RuntimeError if it was noted before.
        """
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """Counts the steps of several programs; the current step is the largest count."""

    _current_step = 0
    _steps: dict[str, int] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Starts a count at the current step.

        Args:
          requester: Name of the count.
        """
        cls._steps[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Removes a count, and returns whether there was one.

        Args:
          requester: Name of the count.
        """
        return cls._steps.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Adds one to a count, and returns the current step.

        Args:
          requester: Name of the count.
        """
        if requester not in cls._steps:
            cls.init_step_count(requester)
        cls._steps[requester] += 1
        cls._current_step = max(cls._current_step, *cls._steps.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """The current step."""
        return cls._current_step


_NO_TRACES = "traces of other profilers are not written or read; use torch_np.profiler.profile and export_chrome_trace"
MemRecordsAcc = absent_class("MemRecordsAcc", "records of Kineto are not read; use torch_np.profiler.profile(profile_memory=True)", __name__)
emit_itt = absent_class("emit_itt", _NO_TRACES, __name__)
emit_nvtx = absent_class("emit_nvtx", _NO_TRACES, __name__)
load_nvprof = absent_function("load_nvprof", _NO_TRACES, __name__)
parse_nvprof_trace = absent_function("parse_nvprof_trace", _NO_TRACES, __name__)
