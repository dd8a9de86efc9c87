"""Seeds and states of the default random generators."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._C import Generator, Tensor

__all__ = ["default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

default_generator: Generator = _C._default_torch_generator()


def manual_seed(seed: int) -> Generator:
    """Seeds the default generators of the CPU and of all GPUs, and returns the CPU's. On the CPU
    the numbers are those of PyTorch for the same seed. NumPy's face has a generator of its own
    (np.random.seed).

    Args:
      seed: A number of 64 bits.

    Errors: ValueError unless `seed` fits into 64 bits.
    """
    _C._manual_seed(int(seed))
    return default_generator


def seed() -> int:
    """Seeds the default generators of the CPU and of all GPUs from the system's entropy. Returns
    the seed.
    """
    value = default_generator.seed()
    _C._manual_seed(value)
    return value


def initial_seed() -> int:
    """Returns the last seed of the CPU's default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Returns the state of the CPU's default generator, in PyTorch's layout. Shapes: (5056,).
    Dtypes: uint8.
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Sets the state of the CPU's default generator.

    Args:
      new_state: A state that get_rng_state returned, here or in PyTorch.

    Shapes: `new_state` (5056,).
    Errors: TypeError unless the state is a uint8 tensor; RuntimeError if the state is invalid.
    """
    default_generator.set_state(new_state)
