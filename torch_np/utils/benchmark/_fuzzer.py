"""`Fuzzer`: random parameters and tensors for measurements."""
from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy

from torch_np._absent import absent_class


class ParameterAlias:
    """The value of another parameter.

    Args:
      alias_to: Name of that parameter.
    """

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A random parameter.

    Args:
      name: Its name.
      minval: Smallest value.
      maxval: Largest value.
      distribution: 'uniform', 'loguniform', or probabilities by value, which sum to 1; a value may
        be a ParameterAlias.
      strict: Whether no other parameter may replace it.

    Errors: ValueError for missing bounds, and probabilities that do not sum to 1.
    """

    def __init__(self, name: str, minval: float | None = None, maxval: float | None = None,
                 distribution: str | dict[Any, float] | None = None, strict: bool = False) -> None:
        self._name, self._minval, self._maxval, self._distribution, self.strict = name, minval, maxval, distribution, strict
        if isinstance(distribution, dict):
            if abs(sum(distribution.values()) - 1) > 1e-6:
                raise ValueError(f"FuzzedParameter(): the probabilities of {name!r} sum to {sum(distribution.values())}, not to 1")
        elif distribution not in ("uniform", "loguniform") or minval is None or maxval is None:
            raise ValueError(f"FuzzedParameter(): {name!r} needs minval, maxval, and a distribution 'uniform' or 'loguniform'")

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self._name

    def sample(self, state: numpy.random.RandomState) -> Any:
        """Returns a value.

        Args:
          state: The generator.
        """
        if isinstance(self._distribution, dict):
            values = list(self._distribution)
            return values[int(state.choice(len(values), p=list(self._distribution.values())))]
        assert self._minval is not None and self._maxval is not None
        whole = isinstance(self._minval, int) and isinstance(self._maxval, int)
        if self._distribution == "loguniform":
            value = 2.0 ** state.uniform(numpy.log2(self._minval), numpy.log2(self._maxval))
            return int(min(max(round(value), self._minval), self._maxval)) if whole else float(value)
        return int(state.randint(int(self._minval), int(self._maxval) + 1)) if whole else float(state.uniform(self._minval, self._maxval))


class FuzzedTensor:
    """A random tensor, whose shape consists of parameters.

    Args:
      name: Its name.
      size: Sizes: numbers and names of parameters.
      steps: Steps of slices along the axes.
      probability_contiguous: Probability of a tensor whose memory is contiguous.
      min_elements: Smallest number of elements.
      max_elements: Largest number of elements.
      max_allocation_bytes: Largest size in bytes.
      dim_parameter: Name of the parameter with the number of axes; None uses all of `size`.
      roll_parameter: Name of the parameter by which sizes are rotated.
      dtype: Dtype of the elements; None is float32.
      cuda: Whether it is on the GPU.
      tensor_constructor: Function of size and dtype that makes the tensor.
    """

    def __init__(self, name: str, size: tuple[str | int, ...], steps: tuple[str | int, ...] | None = None, probability_contiguous: float = 0.5,
                 min_elements: int | None = None, max_elements: int | None = None, max_allocation_bytes: int | None = None,
                 dim_parameter: str | None = None, roll_parameter: str | None = None, dtype: Any = None, cuda: bool = False,
                 tensor_constructor: Callable[..., Any] | None = None) -> None:
        import torch_np

        self._name, self._size, self._steps, self._contiguous = name, size, steps, probability_contiguous
        self._min, self._max, self._bytes = min_elements, max_elements, max_allocation_bytes
        self._dim, self._roll, self._cuda = dim_parameter, roll_parameter, cuda
        self._dtype = torch_np.float32 if dtype is None else dtype
        self._make = tensor_constructor or self.default_tensor_constructor

    @property
    def name(self) -> str:
        """The tensor's name."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size: Sequence[int], dtype: Any, **kwargs: Any) -> Any:
        """Returns a random tensor.

        Args:
          size: Its shape.
          dtype: Its dtype.
          kwargs: Have no effect.
        """
        import torch_np

        if dtype.is_floating_point or dtype.is_complex:
            return torch_np.rand(tuple(size), dtype=dtype, device="cpu")
        return torch_np.randint(0, 2 if dtype == torch_np.bool else 127, tuple(size), device="cpu").to(dtype)

    def _sizes(self, params: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        def resolve(values: tuple[str | int, ...], dim: int) -> tuple[int, ...]:
            found = tuple(int(params.get(v, v)) if isinstance(v, str) else int(v) for v in values)
            if len(found) > dim:
                found = found[:dim]
            if len(found) < dim:
                found += (1,) * (dim - len(found))
            roll = int(params[self._roll]) if self._roll is not None else 0
            return found[roll:] + found[:roll] if roll else found
        dim = int(params[self._dim]) if self._dim is not None else len(self._size)
        size = resolve(self._size, dim)
        steps = resolve(self._steps or (), dim)
        return size, steps, tuple(s * t for s, t in zip(size, steps, strict=True))

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        """Whether the tensor of some parameters has an allowed size.

        Args:
          params: The parameters.
        """
        size, _, allocated = self._sizes(params)
        elements = int(numpy.prod(size, dtype=numpy.float64))
        total = float(numpy.prod(allocated, dtype=numpy.float64)) * self._dtype.itemsize
        return (self._min is None or elements >= self._min) and (self._max is None or elements <= self._max) and (
            self._bytes is None or total <= self._bytes)

    def _tensor(self, params: dict[str, Any], state: numpy.random.RandomState) -> tuple[Any, dict[str, Any]]:
        size, steps, allocated = self._sizes(params)
        dim = len(size)
        raw = self._make(size=allocated, dtype=self._dtype, **params)
        raw = raw.cuda() if self._cuda else raw
        order = numpy.arange(dim)
        if dim > 1 and state.rand() > self._contiguous:
            while dim == raw.dim() and bool((order == numpy.arange(dim)).all()):
                order = state.permutation(dim)
            raw = raw.permute(tuple(order.tolist())).contiguous()
            raw = raw.permute(tuple(numpy.argsort(order).tolist()))
        made = raw[tuple(slice(0, s * t, t) for s, t in zip(size, steps, strict=True))] if dim else raw
        return made, {"numel": made.numel(), "order": order, "steps": steps, "is_contiguous": made.is_contiguous(), "dtype": str(self._dtype)}


class Fuzzer:
    """Draws parameters and tensors.

    Args:
      parameters: The parameters, also in lists.
      tensors: The tensors, also in lists.
      constraints: Functions of the parameters by name; draws for which one is False are dropped.
      seed: Seed of the generator; None is random.

    Errors: ValueError for two parameters or tensors of the same name.
    """

    def __init__(self, parameters: Iterable[Any], tensors: Iterable[Any], constraints: list[Callable[..., bool]] | None = None,
                 seed: int | None = None) -> None:
        def flat(items: Iterable[Any]) -> list[Any]:
            return list(itertools.chain.from_iterable(i if isinstance(i, (list, tuple)) else [i] for i in items))
        self._seed = int(numpy.random.RandomState().randint(0, 2**32 - 1, dtype=numpy.int64)) if seed is None else seed
        self._parameters: list[FuzzedParameter] = flat(parameters)
        self._tensors: list[FuzzedTensor] = flat(tensors)
        self._constraints = constraints or []
        names = [p.name for p in self._parameters] + [t.name for t in self._tensors]
        if len(set(names)) < len(names):
            raise ValueError(f"Fuzzer(): names must differ: {sorted(names)}")
        self._rejections = self._draws = 0

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """Iterates over draws: tensors by name, their properties, and parameters by name.

        Args:
          n: Number of draws.
        """
        state = numpy.random.RandomState(self._seed)
        for _ in range(n):
            params = self._draw(state)
            found = {t.name: t._tensor(params, state) for t in self._tensors}
            yield {k: v[0] for k, v in found.items()}, {k: v[1] for k, v in found.items()}, params

    def _draw(self, state: numpy.random.RandomState) -> dict[str, Any]:
        for _ in range(1000):
            self._draws += 1
            drawn = {p.name: p.sample(state) for p in self._parameters}
            params = {k: functools.reduce(lambda v, _: drawn[v.alias_to] if isinstance(v, ParameterAlias) else v, range(len(drawn)), v)
                      for k, v in drawn.items()}
            if all(c(**params) for c in self._constraints) and all(t.satisfies_constraints(params) for t in self._tensors):
                return params
            self._rejections += 1
        raise ValueError("Fuzzer.take(): 1000 draws in a row do not satisfy the constraints")

    @property
    def rejection_rate(self) -> float:
        """Share of the draws that were dropped."""
        return self._rejections / self._draws if self._draws else 0.0


FuzzedSparseTensor: Any = absent_class("FuzzedSparseTensor", "sparse tensors are not implemented; use FuzzedTensor", "torch_np.utils.benchmark")
