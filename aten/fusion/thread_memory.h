// Scratch memory of a thread for blockwise computation.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "aten/core/errors/error.h"
#include "aten/core/macros.h"

namespace tnp::fusion {

// A buffer that grows to the largest requested size and is kept until the thread ends.
class ThreadMemory {
 public:
  char* at_least(int64_t bytes) {
    if (TNP_UNLIKELY(bytes > bytes_)) grow(bytes);
    return memory_.get();
  }

 private:
  void grow(int64_t bytes) {
    memory_.reset();
    bytes_ = 0;
    bytes = (bytes + 63) / 64 * 64;
    memory_.reset(static_cast<char*>(std::aligned_alloc(64, static_cast<size_t>(bytes))));
    TNP_CHECK(memory_, ErrorKind::Memory, "no memory for the blocks of a fused expression");
    bytes_ = bytes;
  }
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> memory_;
  int64_t bytes_ = 0;
};

}  // namespace tnp::fusion
