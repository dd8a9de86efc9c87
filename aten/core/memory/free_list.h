// FreeList: a per-thread cache of freed blocks of one size. Being per-thread, it needs no lock or
// atomic operation. A block may be freed on another thread than the one that allocated it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "aten/core/macros.h"
#include "aten/core/threads/thread_object.h"

namespace tnp {

template <size_t kBytes>
class FreeList {
 public:
  static void* take() {
    Blocks& b = blocks_;
    if (TNP_UNLIKELY(b.first == nullptr)) return ::operator new(kBytes);
    --b.count;
    return std::exchange(b.first, b.first->next);
  }
  static void give(void* block) noexcept {
    Blocks& b = blocks_;
    if (TNP_UNLIKELY(b.count >= b.limit) && !open(b)) return ::operator delete(block);
    ++b.count;
    b.first = new (block) Free{b.first};
  }

 private:
  struct Free {
    Free* next;
  };
#ifdef __SANITIZE_ADDRESS__
  static constexpr uint8_t kMax = 0;  // disabled, so that the sanitizer sees the end of every object
#else
  static constexpr uint8_t kMax = 64;
#endif
  // Trivially constructible, so that access needs no initialisation check. The first give() opens
  // the list and registers its release at thread exit. Kept small: Note [Thread-local memory].
  struct Blocks {
    Free* first;
    uint8_t count, limit;
    bool closed;
  };
  static void close() {
    Blocks& b = blocks_;
    b.limit = 0;
    b.closed = true;
    while (b.first) ::operator delete(std::exchange(b.first, b.first->next));
    b.count = 0;
  }
  // Opens the list if it is not open and was never closed. Returns whether there is room for a
  // block.
  TNP_COLD static bool open(Blocks& b) noexcept {
    if (b.limit > 0 || b.closed || kMax == 0) return false;
    if (!at_thread_end(close)) return false;
    b.limit = kMax;
    return true;
  }
  static inline thread_local constinit Blocks blocks_{};
};

}  // namespace tnp
