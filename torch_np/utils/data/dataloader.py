"""DataLoader: reads batches of a dataset in this process, or in worker processes ahead of their
use.
"""
from __future__ import annotations

import itertools
import multiprocessing
import os
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.context import BaseContext
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from torch_np.utils.data import _worker
from torch_np.utils.data._utils import fetch as _fetch
from torch_np.utils.data._utils.collate import default_collate as default_collate, default_convert as default_convert
from torch_np.utils.data._utils.pin_memory import pin_memory as _pinned
from torch_np.utils.data._worker import get_worker_info as get_worker_info
from torch_np.utils.data._processes import Workers
from torch_np.utils.data.dataset import Dataset, IterableDataset
from torch_np.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, draw_seed

if TYPE_CHECKING:
    from torch_np import Generator

_T_co = TypeVar("_T_co", covariant=True)
_collate_fn_t = Callable[[list[_T_co]], Any]  # PyTorch's names of types
_worker_init_fn_t = Callable[[int], None]
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _Endless(Sampler[None]):
    """The sampler of iterable datasets, whose samples have no index."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class _DatasetKind:
    """PyTorch's numbers of the two kinds of datasets."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind: int, dataset: Any, auto_collation: bool, collate_fn: Any, drop_last: bool) -> Any:
        """An object whose `fetch(indices)` is a batch."""
        fetcher = _fetch._IterableDatasetFetcher if kind == _DatasetKind.Iterable else _fetch._MapDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class DataLoader(Generic[_T_co]):
    """Iterates over batches of a dataset.

    Example: `for batch in DataLoader(dataset, batch_size=32, shuffle=True)`.

    Worker processes pass tensors in shared memory. An exception in a worker is raised in this
    process, with the worker's traceback in its text.

    Args:
      dataset: Dataset or IterableDataset
      batch_size: samples in a batch; None yields single samples
      shuffle: read the samples in random order
      sampler: iterable of indices that defines the order
      batch_sampler: iterable of lists of indices, one for each batch
      num_workers: number of worker processes; 0 reads in this process
      collate_fn: function that makes a batch of a list of samples; `default_collate` by default
      pin_memory: copy tensors to pinned memory, if there is a GPU
      drop_last: omit a last batch that is shorter
      timeout: seconds to wait for a worker before raising; 0 waits forever
      worker_init_fn: function called in each worker with the worker's index
      multiprocessing_context: multiprocessing context, or a start method's name
      generator: random generator for the order and the workers' seeds
      prefetch_factor: batches that each worker reads ahead, 2 by default
      persistent_workers: keep the workers until the loader is freed, instead of one iteration
      pin_memory_device: a CUDA device that will read the pinned memory; empty for any
      in_order: yield batches in the sampler's order; otherwise as they become ready

    Errors: ValueError for contradictory options, and for a `pin_memory_device` that is not a CUDA
    device; TypeError for a dataset without a length; RuntimeError, during iteration, if a worker
    dies or exceeds `timeout`.
    """

    def __init__(self, dataset: Dataset[_T_co], batch_size: int | None = 1, shuffle: bool | None = None,
                 sampler: Sampler[Any] | Iterable[Any] | None = None, batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
                 num_workers: int = 0, collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False, drop_last: bool = False,
                 timeout: float = 0, worker_init_fn: Callable[[int], None] | None = None, multiprocessing_context: Any = None,
                 generator: Generator | None = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False,
                 pin_memory_device: str = "", in_order: bool = True) -> None:
        iterable = isinstance(dataset, IterableDataset)
        self._check_device(pin_memory_device)
        self._check(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        if iterable and (shuffle or sampler is not None or batch_sampler is not None):
            what = "shuffle" if shuffle else "sampler" if sampler is not None else "batch_sampler"
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {what} option, but got {what}={locals()[what]}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = _Endless() if iterable else RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)  # type: ignore[arg-type]
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)  # type: ignore[arg-type]
        self.dataset, self.batch_size, self.sampler, self.batch_sampler, self.drop_last = dataset, batch_size, sampler, batch_sampler, drop_last
        self.num_workers, self.pin_memory, self.timeout, self.worker_init_fn = num_workers, pin_memory, timeout, worker_init_fn
        self.generator, self.persistent_workers, self.in_order, self.pin_memory_device = generator, persistent_workers, in_order, pin_memory_device
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.multiprocessing_context = multiprocessing_context
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.collate_fn = collate_fn
        self._iterator: _MultiProcessingDataLoaderIter | None = None
        self._IterableDataset_len_called: int | None = None  # the length of an iterable dataset, once it was asked for
        self._ready = True

    @staticmethod
    def _check_device(pin_memory_device):
        import torch_np

        if pin_memory_device and torch_np.device(pin_memory_device).type != "cuda":
            raise ValueError(f"pin_memory_device option should be empty or a CUDA device, such as 'cuda' or 'cuda:0', but got "
                             f"pin_memory_device={pin_memory_device!r}")

    @staticmethod
    def _check(num_workers, timeout, prefetch_factor, persistent_workers, context):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing. let num_workers > 0 to enable "
                             "multiprocessing, otherwise set prefetch_factor to None.")
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if context is not None and num_workers == 0:
            raise ValueError(f"multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers={num_workers}")
        if isinstance(context, str) and context not in multiprocessing.get_all_start_methods():
            raise ValueError(f"multiprocessing_context option should specify a valid start method in "
                             f"{multiprocessing.get_all_start_methods()!r}, but got multiprocessing_context={context!r}")
        if not isinstance(context, (str, BaseContext, type(None))):
            raise TypeError("multiprocessing_context option should be a valid context object or a string specifying the start method, but got "
                            f"multiprocessing_context={context}")
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or num_workers
        if num_workers > available:
            warnings.warn(f"This DataLoader will create {num_workers} worker processes in total. Our suggested max number of worker in current "
                          f"system is {available}, which is smaller than what this DataLoader is going to create. Please be aware that excessive "
                          "worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential "
                          "slowness/freeze if necessary.", stacklevel=3)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and self.__dict__.get("_ready"):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def _get_iterator(self) -> Any:
        """A new iterator of the batches."""
        return _SingleProcessDataLoaderIter(self) if self.num_workers == 0 else _MultiProcessingDataLoaderIter(self)

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers == 0 or not self.persistent_workers:
            return self._get_iterator()
        if self._iterator is None or self._iterator.ended:
            self._iterator = self._get_iterator()
        else:
            draw_seed(self.generator)
            self._iterator._reset(self)
        return self._iterator

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is not None:
            length = length // self.batch_size if self.drop_last else -(-length // self.batch_size)
        self._IterableDataset_len_called = length
        return length

    @property
    def _auto_collation(self) -> bool:
        """Whether samples are made into batches."""
        return self.batch_sampler is not None

    def _count(self, batches: int) -> None:
        """Warns if an iterable dataset has more batches than its length says."""
        if self._IterableDataset_len_called is not None and batches > self._IterableDataset_len_called:
            more = ("For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica at each "
                    "worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
                    if self.num_workers > 0 else "")
            warnings.warn(f"Length of IterableDataset {self.dataset} was reported to be {self._IterableDataset_len_called} (when accessing len(dataloader)), but "
                          f"{batches} samples have been fetched. {more}", stacklevel=4)

    @property
    def _dataset_kind(self) -> int:
        """Whether samples are indexed or iterated over."""
        return _DatasetKind.Iterable if isinstance(self.dataset, IterableDataset) else _DatasetKind.Map

    @property
    def _index_sampler(self) -> Any:
        """The indices of samples, or lists of those of batches."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler


class _BaseDataLoaderIter(Iterator[Any]):
    """The base class of the iterators of a DataLoader, or of an object that has the attributes of one."""

    _loader: Any

    def __init__(self, loader: Any) -> None:
        # These names are PyTorch's: packages read and change them.
        self._loader, self._dataset, self._index_sampler, self._num_workers = loader, loader.dataset, loader._index_sampler, loader.num_workers
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = draw_seed(loader.generator)
        self._num_yielded = 0

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        """Begins an epoch."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0

    def _next_index(self) -> Any:
        """The indices of the next batch."""
        return next(self._sampler_iter)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self._loader)

    def _fetcher(self):
        loader = self._loader
        return _worker.Fetcher(loader.dataset, loader.collate_fn, loader._auto_collation, loader._dataset_kind == _DatasetKind.Iterable,
                               loader.drop_last)

    def _finished(self, batch, count):
        """A batch after `count` batches of this epoch, itself among them."""
        if isinstance(self._loader, DataLoader):
            self._loader._count(count)
        if self._loader.pin_memory:
            import torch_np

            if torch_np.cuda.is_available():
                return _pinned(batch)
        return batch


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Iterator that reads in this process."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._fetch = self._fetcher().start()

    def __next__(self) -> Any:
        batch = self._fetch(self._next_index())
        self._num_yielded += 1
        return self._finished(batch, self._num_yielded)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Iterator that reads in worker processes.

    Requests are assigned to the workers in turn. Each has an index (`place`), which defines the
    order of the batches.
    """

    def __init__(self, loader: DataLoader[Any]) -> None:
        context = loader.multiprocessing_context
        context = multiprocessing.get_context(context) if context is None or isinstance(context, str) else context
        super().__init__(loader)
        self._epoch, self.ended = -1, False
        self._pool = Workers(context, self._fetcher(), loader.num_workers, self._base_seed, loader.worker_init_fn)
        self._finalizer = weakref.finalize(self, Workers.end, self._pool)
        self._reset(loader, first_iter=True)

    @property
    def _workers(self) -> list[Any]:
        """The processes."""
        return self._pool.processes

    def __del__(self) -> None:
        if "_finalizer" in self.__dict__:
            self._finalizer()

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        """Begins an epoch; late answers from earlier epochs are dropped."""
        super()._reset(loader, first_iter)
        self._epoch += 1
        # Whether the dataset of each worker has more samples.
        self._open = [True] * self._loader.num_workers
        # Indices of the next request and of the next batch.
        self._place = self._next = 0
        self._turn = 0
        self._asked: dict[int, int] = {}                     # batch index -> worker index
        self._done: dict[int, Any] = {}                      # batch index -> batch that arrived early
        # Initial requests: `prefetch_factor` for each worker, at least one.
        for _ in range(max(self._loader.prefetch_factor or 0, 1) * self._loader.num_workers):
            self._ask()

    def _ask(self):
        workers = self._loader.num_workers
        for k in range(workers):
            number = (self._turn + k) % workers
            if self._open[number]:
                break
        else:
            return
        try:
            numbers = self._next_index()
        except StopIteration:
            return
        self._turn = number + 1
        self._asked[self._place] = number
        self._pool.ask(number, (self._epoch, self._place, numbers))
        self._place += 1

    def __next__(self) -> Any:
        if self.ended:
            raise StopIteration
        try:
            found = self._following()
            if not isinstance(found, _worker.Exhausted):
                self._ask()
        except BaseException:
            self._end()
            raise
        if isinstance(found, _worker.Exhausted):
            if not self._loader.persistent_workers:
                self._end()
            raise StopIteration
        if isinstance(found, _worker.Failure):
            found.reraise()
        self._num_yielded += 1
        return self._finished(found, self._num_yielded)

    def _following(self):
        """The next batch or Failure; Exhausted at the end."""
        while self._asked or self._done:
            place = self._next if self._loader.in_order else next(iter(self._done), self._next)
            if place in self._done:
                found = self._done.pop(place)
                if place == self._next:
                    self._next += 1
                if not isinstance(found, _worker.Exhausted):
                    return found
                continue
            if self._loader.in_order and place not in self._asked:
                self._next += 1
                continue
            waited_for = [self._asked[place]] if self._loader.in_order else sorted(set(self._asked.values()))
            number, epoch, at, found = self._pool.answer(waited_for, self._loader.timeout)
            if epoch != self._epoch:
                continue
            del self._asked[at]
            if isinstance(found, _worker.Exhausted) and self._open[number]:
                self._open[number] = False
                self._ask()  # requests a batch from another worker instead
            self._done[at] = found
        return _worker.Exhausted()

    def _end(self):
        self.ended = True
        self._finalizer()
