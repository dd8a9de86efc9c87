"""Datasets: what has samples by number, or one after the other."""
from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from torch_np import Generator, Tensor

_T_co = TypeVar("_T_co", covariant=True)


class Dataset(Generic[_T_co]):
    """Samples by number. Subclasses have `__getitem__`, most of them `__len__`, and, where several samples are faster read at once,
    `__getitems__`, which takes a list of numbers and gives a list of samples."""

    def __getitem__(self, index: Any) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Samples one after the other: subclasses have `__iter__`. In worker processes each has a copy, which asks `get_worker_info` for what
    is its part."""

    def __add__(self, other: Dataset[Any]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Rows of tensors of the same length. Shapes: (n, ...) each; a sample (...) of each. Errors: AssertionError for other lengths."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].shape[0] != t.shape[0] for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


class StackDataset(Dataset[Any]):
    """Samples of several datasets of one length, side by side: a tuple of them, or, of datasets by keyword, a dictionary.

    Errors: ValueError without a dataset, for both kinds at once, or for other lengths."""

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are "
                             "given." if args else "At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        lengths = {len(d) for d in (args or kwargs.values())}  # type: ignore[arg-type]
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {k: d[index] for k, d in self.datasets.items()}
        return tuple(d[index] for d in self.datasets)

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """The samples of several numbers."""
        def of(dataset):
            get = getattr(dataset, "__getitems__", None)
            items = get(indices) if callable(get) else [dataset[i] for i in indices]
            if len(items) != len(indices):
                raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
            return items
        if isinstance(self.datasets, dict):
            columns = {k: of(d) for k, d in self.datasets.items()}
            return [{k: c[i] for k, c in columns.items()} for i in range(len(indices))]
        return list(zip(*(of(d) for d in self.datasets)))

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[_T_co]):
    """Datasets one after the other. Errors: AssertionError without one, or for an IterableDataset."""

    def __init__(self, datasets: Iterable[Dataset[_T_co]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: Any) -> _T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        if which == len(self.datasets):
            raise IndexError(f"index {idx} is out of range for {len(self)} samples")
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Iterable datasets one after the other, as they are asked. Errors: AssertionError for another kind of dataset."""

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        super().__init__()
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self) -> int:
        return sum(len(d) for d in self.datasets)  # type: ignore[arg-type,misc]


class Subset(Dataset[_T_co]):
    """The samples of `dataset` with the numbers `indices`."""

    def __init__(self, dataset: Dataset[_T_co], indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: Any) -> Any:
        return self.dataset[[self.indices[i] for i in idx]] if isinstance(idx, list) else self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[_T_co]:
        """The samples of several numbers."""
        get = getattr(self.dataset, "__getitems__", None)
        numbers = [self.indices[i] for i in indices]
        return get(numbers) if callable(get) else [self.dataset[i] for i in numbers]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Dataset[_T_co], lengths: Sequence[int | float], generator: Generator | None = None) -> list[Subset[_T_co]]:
    """Subsets of `dataset` that have no sample in common, of `lengths`, or of shares that sum to 1; what the shares leave over is dealt to
    the subsets in turn. Errors: ValueError if the lengths do not sum to that of `dataset`, or a share is not between 0 and 1."""
    import torch_np

    count = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for i, share in enumerate(lengths):
            if share < 0 or share > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        sizes = [math.floor(count * share) for share in lengths]
        for i in range(count - sum(sizes)):
            sizes[i % len(sizes)] += 1
    else:
        sizes = [int(n) for n in lengths]
    if sum(sizes) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = torch_np.randperm(count, generator=generator).tolist()
    return [Subset(dataset, order[end - n:end]) for end, n in zip(itertools.accumulate(sizes), sizes)]


class functional_datapipe:
    """There are no data pipes here: NotImplementedError."""

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        raise NotImplementedError("torch_np.utils.data has no data pipes; write an IterableDataset")
