"""torch_np.mtia: Meta's accelerators, which are not supported."""
from __future__ import annotations

from torch_np._absent import absent_names

_REASON = "Meta's accelerators are not supported; devices are 'cpu', 'cuda' and 'meta'"


def device_count() -> int:
    """Returns 0: Meta's accelerators are not supported."""
    return 0


def empty_cache() -> None:
    """Does nothing: there is no device with memory."""


def is_available() -> bool:
    """Returns False: Meta's accelerators are not supported."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Returns False: there is no device.

    Args:
      including_emulation: Whether slow support counts.
    """
    return False


def is_current_stream_capturing() -> bool:
    """Returns False: there is no device."""
    return False


def is_initialized() -> bool:
    """Returns False: there is no device."""
    return False


def manual_seed(seed: int) -> None:
    """Does nothing: there is no device with a generator.

    Args:
      seed: Number.
    """


def manual_seed_all(seed: int) -> None:
    """Does nothing: there is no device with a generator.

    Args:
      seed: Number.
    """


def seed() -> None:
    """Does nothing: there is no device with a generator."""


def seed_all() -> None:
    """Does nothing: there is no device with a generator."""


__all__ = ["device_count", "empty_cache", "is_available", "is_bf16_supported", "is_current_stream_capturing", "is_initialized",
           "manual_seed", "manual_seed_all", "seed", "seed_all", *absent_names(
    globals(), _REASON,
    functions="""attach_out_of_memory_observer current_device current_stream default_stream get_device_capability get_device_properties get_rng_state
        get_rng_state_all graph graph_pool_handle init initial_seed max_memory_allocated memory_allocated memory_stats
        record_memory_history reset_peak_memory_stats set_device set_rng_state set_rng_state_all set_stream snapshot synchronize""",
    classes="""MTIAGraph device stream""")]
