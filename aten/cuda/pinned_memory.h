// Caching allocator of pinned host memory. A block is reused only after all copies that read or
// write it are done.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "aten/core/devices/device_runtime.h"

namespace tnp::gpu {

class PinnedMemory {
 public:
  Allocation allocate(size_t bytes);
  void free(Allocation block) noexcept;
  bool holds(const void* data);
  // Records that a copy of the current device, queued on `stream`, uses the memory around `data`.
  // Does nothing if this allocator does not own that memory.
  void used_by(const void* data, StreamHandle stream);
  void empty_cache();

 private:
  struct Block {
    size_t bytes;
    std::vector<EventHandle> pending;
    bool free = false;
  };
  std::map<const char*, Block>::iterator around(const void* data);
  static bool is_done(Block& block);

  std::mutex mutex_;
  std::map<const char*, Block> blocks_;
};

}  // namespace tnp::gpu
