"""Worker processes of DataLoader: starting, requests, answers and termination.

Each worker has its own pipes, so that a worker that dies leaves no lock behind.
"""
from __future__ import annotations

import contextlib
import os
import pickle
import secrets
import time
import weakref
from multiprocessing import connection
from typing import Any

from torch_np.utils.data import _sharing, _worker

# The parent's ends of all pipes to workers of this process. Forked processes inherit them.
_parents_ends: weakref.WeakSet[Any] = weakref.WeakSet()


class Workers:
    """`count` worker processes that run `fetcher`."""

    def __init__(self, context: Any, fetcher: _worker.Fetcher, count: int, seed: int, init: Any) -> None:
        self._prefix = f"torch_np_{os.getpid()}_{secrets.token_hex(6)}_"
        self.processes: list[Any] = []
        self._asking: list[Any] = []
        self._answers: list[Any] = []
        self._owner, self._ended = os.getpid(), False
        forked = context.get_start_method() == "fork"
        try:
            for number in range(count):
                requests, asking = context.Pipe(duplex=False)
                answers, results = context.Pipe(duplex=False)
                self._asking.append(asking)
                self._answers.append(answers)
                _parents_ends.update((asking, answers))
                process = context.Process(
                    target=_worker.run, daemon=True,
                    args=(fetcher, requests, results, number, count, seed + number, init, self._prefix, list(_parents_ends) if forked else []))
                process.start()
                self.processes.append(process)
                requests.close()
                results.close()
        except BaseException:
            self.end()
            raise

    def ask(self, number: int, request: tuple[int, int, Any]) -> None:
        """Sends a request to a worker."""
        try:
            self._asking[number].send(request)
        except OSError:
            self._raise_dead(number)

    def answer(self, waited_for: list[int], timeout: float) -> tuple[int, int, int, Any]:
        """Waits for the next answer of one of these workers and returns the worker's index, the
        epoch, the batch's index and the object.

        Errors: RuntimeError if one of the workers dies, or after `timeout` seconds if `timeout` is
        not 0.
        """
        ends = {self._answers[k]: k for k in waited_for}
        sentinels = {self.processes[k].sentinel: k for k in waited_for}
        deadline = time.monotonic() + timeout if timeout > 0 else None
        ready = connection.wait([*ends, *sentinels], None if deadline is None else max(deadline - time.monotonic(), 0))
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
        end: Any
        for end in ready:
            if end in ends and end.poll():  # an answer sent before the worker died is valid
                number = ends[end]
                try:
                    epoch, place = end.recv()
                    return number, epoch, place, pickle.loads(end.recv_bytes())
                except (EOFError, OSError):
                    self._raise_dead(number)
        return self._raise_dead(next(sentinels.get(end, ends.get(end)) for end in ready))

    def _raise_dead(self, number):
        process = self.processes[number]
        process.join(1)
        code = process.exitcode
        how = "" if code is None else f" by signal {-code}" if code < 0 else f" with exit code {code}"
        raise RuntimeError(f"DataLoader worker (pid {process.pid}) exited unexpectedly{how}")

    def end(self) -> None:
        """Ends all processes, and removes their shared-memory files that were never mapped."""
        if os.getpid() != self._owner or self._ended:
            return
        for end in (*self._asking, *self._answers):
            with contextlib.suppress(OSError):
                end.close()
        for process in self.processes:
            process.join(0.5)
            if process.is_alive():
                process.terminate()
                process.join(5)
                if process.is_alive():
                    process.kill()
                    process.join()
        if self.processes and not self._ended:
            _sharing.remove_all(self._prefix)
        self._ended = True
