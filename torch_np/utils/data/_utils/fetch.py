"""torch_np.utils.data._utils.fetch: reads the samples of a batch."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np.utils.data._worker import Fetcher


class _BaseDatasetFetcher:
    """Reads batches from a dataset.

    Args:
      dataset: The dataset.
      auto_collation: Whether indices come as lists, one of each batch.
      collate_fn: Function that combines the samples of a batch.
      drop_last: Whether an incomplete batch of an iterable dataset is left out.
    """

    _iterates = False

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset, self.auto_collation, self.collate_fn, self.drop_last = dataset, auto_collation, collate_fn, drop_last
        self._fetch = Fetcher(dataset, collate_fn, auto_collation, self._iterates, drop_last).start()

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Returns the batch of these indices, or of one index without `auto_collation`.

        Args:
          possibly_batched_index: The indices. An iterable dataset gives as many samples.

        Errors: StopIteration at the end of an iterable dataset.
        """
        return self._fetch(possibly_batched_index)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Reads batches from a dataset that is indexed."""


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Reads batches from a dataset that is iterated over."""

    _iterates = True
