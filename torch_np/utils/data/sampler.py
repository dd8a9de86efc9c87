"""Samplers: the order in which the samples of a dataset are read.

With a seeded generator they give the same indices as PyTorch, as far as `randperm`, `randint` and
`multinomial` do.
"""
from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from torch_np import Generator

_T_co = TypeVar("_T_co", covariant=True)


def draw_seed(generator: Generator | None = None) -> int:
    """A random 63-bit seed for another generator."""
    import torch_np

    empty: Any = torch_np.empty((), dtype=torch_np.int64)
    if hasattr(empty, "random_"):
        return int(empty.random_(generator=generator))
    return int(torch_np.randint(0, 2**63 - 1, (), generator=generator))


class Sampler(Generic[_T_co]):
    """Base class of samplers, iterables of sample indices. Subclasses define `__iter__`, and
    `__len__` if it is known.
    """

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler[int]):
    """The indices 0, 1, 2, ... in order.

    Args:
      data_source: dataset with a length
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order.

    Args:
      data_source: dataset with a length
      replacement: draw each index independently, instead of permuting all of them
      num_samples: number of indices; by default the length of the dataset
      generator: random generator

    Errors: TypeError or ValueError for invalid options.
    """

    def __init__(self, data_source: Sized, replacement: bool = False, num_samples: int | None = None,
                 generator: Generator | None = None) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source, self.replacement, self._num_samples, self.generator = data_source, replacement, num_samples, generator
        if not isinstance(self.num_samples, int) or self.num_samples < 0:
            raise ValueError(f"num_samples should be a non-negative integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """The number of indices in an iteration."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        import torch_np

        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = torch_np.Generator()
            generator.manual_seed(draw_seed())
        if n == 0:
            return
        if self.replacement:
            for _ in range(self.num_samples // 32):
                yield from torch_np.randint(0, n, (32,), dtype=torch_np.int64, generator=generator).tolist()
            yield from torch_np.randint(0, n, (self.num_samples % 32,), dtype=torch_np.int64, generator=generator).tolist()
        else:
            for _ in range(self.num_samples // n):
                yield from torch_np.randperm(n, generator=generator).tolist()
            yield from torch_np.randperm(n, generator=generator).tolist()[:self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order.

    Args:
      indices: the indices
      generator: random generator
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        import torch_np

        for i in torch_np.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Random indices, each drawn with a probability proportional to its weight.

    Args:
      weights: weight of each index
      num_samples: number of indices
      replacement: whether an index may be drawn more than once
      generator: random generator

    Errors: ValueError for invalid options.
    """

    def __init__(self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None) -> None:
        import torch_np

        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = torch_np.as_tensor(weights, dtype=torch_np.float64)
        if self.weights.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        import torch_np

        drawn: Any = vars(torch_np)["multinomial"](self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Groups the indices of another sampler into lists.

    Args:
      sampler: the sampler
      batch_size: indices in a list
      drop_last: omit a last list that is shorter

    Errors: ValueError for invalid options.
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        n = len(self.sampler)  # type: ignore[arg-type]
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
