"""torch_np.utils.data._utils.fetch: reads the samples of a batch."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _BaseDatasetFetcher:
    """Reads batches from a dataset.

    Args:
      dataset: The dataset.
      auto_collation: Whether indices come as lists, one of each batch.
      collate_fn: Function that combines the samples of a batch.
      drop_last: Whether an incomplete batch of an iterable dataset is left out.
    """

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset, self.auto_collation, self.collate_fn, self.drop_last = dataset, auto_collation, collate_fn, drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Returns a batch. Subclasses define it."""
        raise NotImplementedError


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Reads batches from a dataset that is indexed."""

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Returns the batch of these indices, or of one index without `auto_collation`."""
        if not self.auto_collation:
            return self.collate_fn(self.dataset[possibly_batched_index])
        many = getattr(self.dataset, "__getitems__", None)
        samples = many(possibly_batched_index) if many else [self.dataset[i] for i in possibly_batched_index]
        return self.collate_fn(samples)


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Reads batches from a dataset that is iterated over."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Returns a batch of as many samples as there are indices. Errors: StopIteration at the end."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in possibly_batched_index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or self.drop_last and len(samples) < len(possibly_batched_index):
            raise StopIteration
        return self.collate_fn(samples)
