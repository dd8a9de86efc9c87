"""The class of `torch_np.report()`, which records."""
from __future__ import annotations

import json
import os
import sys
import sysconfig
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from torch_np import _C
from torch_np._report import _page, _table
from torch_np._report._sums import Sums

_FOLDER = str(Path(__file__).parents[1])
_SECONDS = 0.2  # between looks at the number of recorded events
_MOST_EVENTS = 1_000_000  # that are kept; more are summed up


def _libraries() -> list[str]:
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= {p for p in sys.path if os.path.basename(p) in ("site-packages", "dist-packages")}
    return [f"{p}{os.sep}" for p in paths if p] + ["<frozen "]


class Report:
    """Context manager that records calls and sums them up. See `torch_np.report()`.

    Errors: RuntimeError if a profile or a report is being recorded already.
    """

    def __init__(self) -> None:
        self._sums = Sums()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._began = 0.0
        self._lines: list[tuple[str, int, str]] = []
        self._is_running = False

    def __enter__(self) -> Report:
        _C._profiler_start(False)
        _C._profiler_begin_lines([f"{_FOLDER}{os.sep}"], _libraries())
        self._is_running = True
        self._began = time.perf_counter()
        self._sums = Sums()
        self._ended.clear()
        threading.Thread(target=self._keep_small, name="torch_np.report", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._ended.set()
        with self._lock:
            self._sums.seconds = time.perf_counter() - self._began
            self._sums.add(_C._profiler_stop_and_sum_up())
            self._sums.lines = _C._profiler_end_lines()
            self._is_running = False

    def _keep_small(self) -> None:
        while not self._ended.wait(_SECONDS):
            with self._lock:
                if self._is_running and _C._profiler_count() > _MOST_EVENTS:
                    summed = _C._profiler_stop_and_sum_up()
                    _C._profiler_start(False)
                    self._sums.add(summed)

    def data(self) -> dict[str, Any]:
        """Returns the report as dictionaries and lists, as in the JSON file."""
        return self._sums.data()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report to a file: JSON or HTML if the path ends so, otherwise the text.

        Args:
          path: The file.
        """
        suffix = Path(path).suffix.lower()
        made = {".json": lambda: json.dumps(self.data(), indent=1) + "\n", ".html": lambda: _page.page(self.data())}.get(suffix, lambda: f"{self}\n")
        Path(path).write_text(made(), encoding="utf-8")

    def __str__(self) -> str:
        return _table.text(self.data())

    def _repr_html_(self) -> str:
        return _page.body(self.data())
