// Storage: a block of bytes on a device, its owner, and the version counter that all views of it share.
#pragma once

#include <cstddef>
#include <functional>

#include "aten/core/allocator.h"
#include "aten/core/intrusive_ptr.h"

namespace tnp {

class TNP_API Storage final : public RefCounted {
 public:
  // New, uninitialised memory.
  Storage(size_t bytes, Device device)
      : block_(allocator(device.type).allocate(bytes, device)), bytes_(bytes), device_(device) {}
  // Memory that somebody else owns; `release` is called once, when the last view is gone.
  Storage(void* data, size_t bytes, Device device, std::function<void()> release)
      : block_{data, 0}, bytes_(bytes), device_(device), release_(std::move(release)), foreign_(true) {}
  ~Storage() override {
    if (!foreign_) allocator(device_.type).free(block_, device_);
    else if (release_) release_();
  }

  char* data() const { return static_cast<char*>(block_.data); }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  bool owns_memory() const { return !foreign_; }

  // Counts the in-place changes of the bytes; autograd compares it with what it was when a tensor was saved.
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

 private:
  Allocation block_;
  size_t bytes_;
  Device device_;
  std::function<void()> release_;
  uint32_t version_ = 0;
  bool foreign_ = false;
};

}  // namespace tnp
