"""torch_np.mps: Apple GPUs, which are not supported."""
from __future__ import annotations

from torch_np._absent import absent_names

_REASON = "Apple GPUs are not supported; devices are 'cpu', 'cuda' and 'meta'"


def device_count() -> int:
    """Returns 0: Apple GPUs are not supported."""
    return 0


def empty_cache() -> None:
    """Does nothing: there is no device with memory."""


def is_available() -> bool:
    """Returns False: Apple GPUs are not supported."""
    return False


def manual_seed(seed: int) -> None:
    """Does nothing: there is no device with a generator.

    Args:
      seed: Number.
    """


def seed() -> None:
    """Does nothing: there is no device with a generator."""


__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "seed", *absent_names(
    globals(), _REASON,
    functions="""compile_shader current_allocated_memory current_stream default_stream driver_allocated_memory get_rng_state load_metallib
        recommended_max_memory set_per_process_memory_fraction set_rng_state set_stream synchronize profiler""",
    classes="""Event Stream stream""")]
