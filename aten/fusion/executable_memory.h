// Machine code in memory that can be executed and not written: it is written first, and its pages change hands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aten/core/macros.h"

namespace tnp::fusion {

class TNP_API ExecutableMemory {
 public:
  // Empty where the system refuses.
  explicit ExecutableMemory(std::span<const uint8_t> code);
  ~ExecutableMemory();
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;
  const void* data() const { return pages_; }
  size_t size() const { return size_; }

 private:
  void* pages_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tnp::fusion
