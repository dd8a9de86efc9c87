"""The generators that functions use which are given none: seeds and states."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._C import Generator, Tensor

__all__ = ["default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

default_generator: Generator = _C._default_torch_generator()


def manual_seed(seed: int) -> Generator:
    """Seeds the generators of functions that are given none, the CPU's, which it gives back, and those of all GPUs; the same `seed` gives the
    same numbers, on the CPU PyTorch's. NumPy's face has its own: np.random.seed. Errors: ValueError unless `seed` has 64 bits."""
    _C._manual_seed(int(seed))
    return default_generator


def seed() -> int:
    """Seeds them from the system's entropy; returns the seed."""
    value = default_generator.seed()
    _C._manual_seed(value)
    return value


def initial_seed() -> int:
    """What the CPU's generator was seeded with last."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the CPU's generator, as PyTorch lays it out. Shapes: (5056,). Dtypes: uint8."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Takes on a state that get_rng_state gave, here or in PyTorch.

    Shapes: as `get_rng_state` gave it.
    Errors: TypeError unless it is a uint8 tensor; RuntimeError for what is no such state.
    """
    default_generator.set_state(new_state)
