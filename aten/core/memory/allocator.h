// Memory allocators of storages, one per device type. CUDA's belongs to its DeviceRuntime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aten/core/devices/device.h"

namespace tnp {

struct Allocation {
  void* data = nullptr;
  size_t bytes = 0;  // allocated size, at least the requested size
};

class TNP_API Allocator {
 public:
  virtual ~Allocator() = default;
  // Allocates at least `bytes` bytes, aligned to 64. Raises ErrorKind::Memory with the requested
  // size.
  virtual Allocation allocate(size_t bytes, Device device) = 0;
  virtual void free(Allocation block, Device device) noexcept = 0;
};

TNP_API Allocator& allocator(Device device);  // raises Runtime if there is no such device

// --- the CPU's caching allocator: see Note [Cached memory] in allocator.cpp
struct MemoryStatistics {
  uint64_t allocated_bytes;  // in blocks that arrays use now
  // maximum of allocated_bytes since the start or since reset_peak_memory_statistics()
  uint64_t peak_allocated_bytes;
  uint64_t cached_bytes;  // in freed blocks that the cache keeps
  uint64_t cache_limit;   // upper bound of cached_bytes
  uint64_t allocations;   // blocks handed out since the start
  uint64_t cache_hits;    // the part of `allocations` served from the cache
};
TNP_API MemoryStatistics cpu_memory_statistics();
TNP_API void reset_peak_memory_statistics();
TNP_API void empty_cpu_cache();                    // returns all cached blocks to the system
TNP_API void set_cpu_cache_limit(uint64_t bytes);  // 0 disables the cache

}  // namespace tnp
