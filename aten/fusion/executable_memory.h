// Pages of machine code. They are written first and then become executable and read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aten/core/macros.h"

namespace tnp::fusion {

class TNP_API ExecutableMemory {
 public:
  // data() is null if the system refuses executable pages.
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
