"""torch_np.cpu: the CPU's memory cache and instruction set.

Freed blocks are kept for later arrays, up to a limit. The functions here inspect and control this
cache.
"""
from torch_np import _C

empty_cache = _C._cpu.empty_cache
get_cpu_capability = _C._cpu.get_cpu_capability
memory_stats = _C._cpu.memory_stats
reset_peak_memory_stats = _C._cpu.reset_peak_memory_stats
set_cache_limit = _C._cpu.set_cache_limit

from torch_np.cpu._streams import *  # noqa: E402,F403

__all__ = [
    "Event", "Stream", "StreamContext", "current_device", "current_stream", "device_count", "empty_cache", "get_capabilities",
    "get_cpu_capability", "is_available", "is_initialized", "memory_stats", "reset_peak_memory_stats", "set_cache_limit", "set_device",
    "stream", "synchronize",
]
