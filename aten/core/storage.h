// Storage: a block of bytes on a device, its owner, and the version counter that all views of it share.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "aten/core/allocator.h"
#include "aten/core/free_list.h"
#include "aten/core/intrusive_ptr.h"

namespace tnp {

class Storage;
// New, uninitialised memory. A few bytes on the CPU lie in the same block as the Storage itself.
TNP_API intrusive_ptr<Storage> new_storage(size_t bytes, Device device);

class TNP_API Storage final : public RefCounted {
 public:
  // Memory that somebody else owns; `release` is called once, when the last view is gone.
  Storage(void* data, size_t bytes, Device device, std::function<void()> release)
      : block_{data, 0},
        bytes_(bytes),
        release_(std::make_unique<std::function<void()>>(std::move(release))),
        device_(device),
        memory_(Memory::Foreign) {}
  ~Storage() override {
    if (memory_ == Memory::Allocated)
      allocator(device_).free(block_, device_);
    else if (memory_ == Memory::Foreign && *release_)
      (*release_)();
  }

  char* data() const { return static_cast<char*>(block_.data); }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  bool owns_memory() const { return memory_ != Memory::Foreign; }
  // What gives foreign memory back, of which a front end may know the owner; null where the memory is ours.
  const std::function<void()>* release_function() const { return release_.get(); }

  // Counts the in-place changes of the bytes; autograd compares it with what it was when a tensor was saved.
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

 private:
  friend intrusive_ptr<Storage> new_storage(size_t bytes, Device device);
  enum class Memory : uint8_t { Inline, Allocated, Foreign, None };

  Storage(Allocation block, size_t bytes, Device device, Memory memory)
      : block_(block), bytes_(bytes), device_(device), memory_(memory) {}
  void destroy() override;

  Allocation block_;
  size_t bytes_;
  std::unique_ptr<std::function<void()>> release_;
  Device device_;
  uint32_t version_ = 0;
  Memory memory_;
};

}  // namespace tnp
