// Memory for storages. One allocator a device type; that of CUDA is its DeviceRuntime's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aten/core/devices/device.h"

namespace tnp {

struct Allocation {
  void* data = nullptr;
  size_t bytes = 0;  // as the allocator gave them: at least what was asked for
};

class TNP_API Allocator {
 public:
  virtual ~Allocator() = default;
  // At least `bytes` bytes, aligned to 64. Raises ErrorKind::Memory with the size asked for.
  virtual Allocation allocate(size_t bytes, Device device) = 0;
  virtual void free(Allocation block, Device device) noexcept = 0;
};

TNP_API Allocator& allocator(Device device);  // raises Runtime if there is no such device

// --- the CPU's allocator, which keeps freed blocks for the next array: see Note [Cached memory] in allocator.cpp
struct MemoryStatistics {
  uint64_t allocated_bytes;       // in blocks that arrays hold now
  uint64_t peak_allocated_bytes;  // the most that this ever was, or since reset_peak_memory_statistics()
  uint64_t cached_bytes;          // in freed blocks, kept
  uint64_t cache_limit;           // the most that are kept
  uint64_t allocations;           // blocks handed out since the start
  uint64_t cache_hits;            // of those, how many came from the cache
};
TNP_API MemoryStatistics cpu_memory_statistics();
TNP_API void reset_peak_memory_statistics();
TNP_API void empty_cpu_cache();                    // gives all kept blocks back to the system
TNP_API void set_cpu_cache_limit(uint64_t bytes);  // 0: nothing is kept

}  // namespace tnp
