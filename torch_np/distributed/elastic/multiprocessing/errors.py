"""torch_np.distributed.elastic.multiprocessing.errors: the error of a process, in a file for its launcher."""
from __future__ import annotations

import functools
import json
import os
import time
import traceback
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

__all__ = ["ChildFailedError", "record"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class ChildFailedError(Exception):
    """A process of a job failed.

    Args:
      name: Name of the job.
      failures: Descriptions of failures by rank.
    """

    def __init__(self, name: str, failures: dict[int, Any]) -> None:
        super().__init__(f"{name} FAILED: {failures}")
        self.name, self.failures = name, failures


def _write(error: BaseException, path: str) -> None:
    message = {"message": f"{type(error).__name__}: {error}", "extraInfo": {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"message": message}, file)


def record(fn: Callable[_P, _T], error_handler: Any = None) -> Callable[_P, _T]:
    """Returns a function that calls `fn`, and writes an exception to the file that the environment variable
    TORCHELASTIC_ERROR_FILE names, if it is set, before it raises the exception.

    Args:
      fn: The main function of a program.
      error_handler: Object whose `record_exception(error)` is called instead; None writes the file.
    """
    @functools.wraps(fn)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return fn(*args, **kwargs)
        except SystemExit:
            raise
        except BaseException as error:
            path = os.environ.get("TORCHELASTIC_ERROR_FILE")
            if error_handler is not None:
                error_handler.record_exception(error)
            elif path:
                _write(error, path)
            raise
    return wrapper
