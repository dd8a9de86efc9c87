"""The main function of DataLoader's worker processes, and their messages to the parent process."""
from __future__ import annotations

import pickle
import queue
import random
import threading
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import connection
from typing import Any

from torch_np.utils.data import _sharing
from torch_np.utils.data._utils import worker as _description
from torch_np.utils.data._utils.worker import WorkerInfo as WorkerInfo, get_worker_info as get_worker_info


@dataclass(frozen=True)
class Failure:
    """An exception in a worker: its class, if it can be pickled, and its text with the traceback.
    """

    kind: type[BaseException] | None
    text: str
    where: str

    @staticmethod
    def of(error: BaseException, where: str) -> Failure:
        """The Failure that describes `error`."""
        kind: type[BaseException] | None = type(error)
        try:
            pickle.loads(pickle.dumps(kind))
        except Exception:  # noqa: BLE001  (the class cannot be pickled)
            kind = None
        return Failure(kind, "".join(traceback.format_exception(error)), where)

    def reraise(self) -> None:
        """Raises the exception in the parent process, with the worker's traceback in its text."""
        name = self.kind.__name__ if self.kind else self.text.rstrip().rpartition("\n")[2].partition(":")[0]
        message = f"Caught {name} {self.where}.\nOriginal {self.text}"
        if self.kind is not None and issubclass(self.kind, StopIteration):
            raise RuntimeError(message)  # a StopIteration would silently end the iteration
        if self.kind is KeyError:
            raise KeyError(_Plain(message))
        try:
            error: BaseException = self.kind(message) if self.kind else RuntimeError(message)
        except Exception:  # noqa: BLE001  (the class takes other arguments than a message)
            error = RuntimeError(message)
        raise error


class _Plain(str):
    """A message that KeyError prints with its line breaks."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Exhausted:
    """Marks that a worker's iterable dataset has no more samples."""


@dataclass(frozen=True)
class Fetcher:
    """Creates batches of a dataset."""

    dataset: Any
    collate: Callable[[Any], Any]
    batched: bool
    iterable: bool
    drop_last: bool

    def start(self) -> Callable[[Any], Any]:
        """A function that returns the batch for some indices, or raises StopIteration."""
        if not self.iterable:
            return self._by_number
        samples = iter(self.dataset)

        def following(numbers):
            if not self.batched:
                return self.collate(next(samples))
            batch = [sample for _, sample in zip(numbers, samples)]
            if not batch or self.drop_last and len(batch) < len(numbers):
                raise StopIteration
            return self.collate(batch)
        return following

    def _by_number(self, numbers):
        if not self.batched:
            return self.collate(self.dataset[numbers])
        get = getattr(self.dataset, "__getitems__", None)
        return self.collate(get(numbers) if callable(get) else [self.dataset[i] for i in numbers])


def _seed(seed, number):
    import numpy

    import torch_np

    random.seed(seed)
    numpy.random.seed(_description._generate_state(seed - number, number))
    torch_np.manual_seed(seed)


def _read_requests(requests, parent, into):
    """Reads requests as they arrive, so that the parent never blocks. Passes on None when the
    parent process has exited.
    """
    try:
        while True:
            ready = connection.wait([requests, parent] if parent is not None else [requests])
            if requests in ready:
                into.put(requests.recv())
            else:
                break
    except (EOFError, OSError):
        pass
    into.put(None)


def run(fetcher: Fetcher, requests: connection.Connection, results: connection.Connection, number: int, count: int, seed: int,
        init: Callable[[int], None] | None, prefix: str, not_ours: Iterable[connection.Connection]) -> None:
    """Main function of a worker process.

    A request is (epoch, batch index, sample indices). An answer is (epoch, batch index), followed
    by the pickled batch, Failure or Exhausted.
    """
    import multiprocessing

    import torch_np

    for end in not_ours:
        end.close()  # otherwise the pipes would stay open when the parent exits
    torch_np.set_num_threads(1)
    _sharing.use_prefix(prefix)
    _description._worker_info = WorkerInfo(number, count, seed, fetcher.dataset)
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    parent = multiprocessing.parent_process()
    threading.Thread(target=_read_requests, args=(requests, parent.sentinel if parent else None, asked), daemon=True).start()
    where = f"in DataLoader worker process {number}"
    failed: Failure | None = None
    try:
        _seed(seed, number)
        if init is not None:
            init(number)
    except Exception as error:  # noqa: BLE001  (the parent raises it)
        failed = Failure.of(error, where)
    epoch, fetch = None, None
    while (request := asked.get()) is not None:
        place, numbers = request[1:]
        answer: Any = None
        try:
            if failed is None and (fetch is None or request[0] != epoch):
                epoch, fetch = request[0], fetcher.start()
            answer = fetch(numbers) if failed is None else failed  # type: ignore[misc]
            data = _sharing.dumps(answer)
        except StopIteration as error:
            data = pickle.dumps(Exhausted() if fetcher.iterable else Failure.of(error, where))
        except Exception as error:  # noqa: BLE001
            data = pickle.dumps(Failure.of(error, where))
        try:
            results.send((request[0], place))
            results.send_bytes(data)
        except OSError:  # the parent process has exited
            break
        answer = None
    if parent is not None and not parent.is_alive():
        _sharing.remove_all(prefix)
