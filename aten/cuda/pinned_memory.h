// Pinned host memory, kept for the next copy. A block that copies still read or write is handed out after they are
// done.
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
  // A copy of the current device has been put into `stream` that uses the memory around `data`, if that is ours.
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
