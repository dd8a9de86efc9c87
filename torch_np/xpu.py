"""torch_np.xpu: Intel's GPUs, which are not supported."""
from __future__ import annotations

from torch_np._absent import absent_names

_REASON = "Intel's GPUs are not supported; devices are 'cpu', 'cuda' and 'meta'"


def device_count() -> int:
    """Returns 0: Intel's GPUs are not supported."""
    return 0


def empty_cache() -> None:
    """Does nothing: there is no device with memory."""


def get_arch_list() -> list[str]:
    """Returns an empty list: kernels are not compiled for such devices."""
    return []


def is_available() -> bool:
    """Returns False: Intel's GPUs are not supported."""
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


def is_tf32_supported() -> bool:
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


default_generators: tuple[()] = ()


__all__ = ["default_generators", "device_count", "empty_cache", "get_arch_list", "is_available", "is_bf16_supported",
           "is_current_stream_capturing", "is_initialized", "is_tf32_supported", "manual_seed", "manual_seed_all",
           "seed", "seed_all", *absent_names(
    globals(), _REASON,
    functions="""can_device_access_peer change_current_allocator clock_rate current_device current_stream device_memory_used get_device_capability
        get_device_name get_device_properties get_gencode_flags get_per_process_memory_fraction get_rng_state get_rng_state_all
        get_stream_from_external graph graph_pool_handle init initial_seed list_gpu_processes make_graphed_callables
        max_memory_allocated max_memory_reserved mem_get_info memory_allocated memory_reserved memory_snapshot memory_stats
        memory_stats_as_nested_dict memory_usage power_draw reset_accumulated_memory_stats reset_peak_memory_stats set_device
        set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream streams synchronize temperature use_mem_pool
        utilization""",
    classes="""Event MemPool Stream StreamContext XPUGraph XPUPluggableAllocator device device_of stream""")]
