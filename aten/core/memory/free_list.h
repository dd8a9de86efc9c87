// FreeList: blocks of one size, kept for the next object of that size. One list a thread, so that neither lock nor
// atomic is on the way; a block may be given back on another thread than it was taken on.
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
  static constexpr uint8_t kMax = 0;  // so that the sanitizer sees every object's end
#else
  static constexpr uint8_t kMax = 64;
#endif
  // Trivial, so that reading it costs no check whether it was constructed: the list is opened by the first give(),
  // which also arranges that it is emptied when the thread ends. Small: Note [Thread-local memory].
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
  // Whether there is room after all.
  TNP_COLD static bool open(Blocks& b) noexcept {
    if (b.limit > 0 || b.closed || kMax == 0) return false;
    if (!at_thread_end(close)) return false;
    b.limit = kMax;
    return true;
  }
  static inline thread_local constinit Blocks blocks_{};
};

}  // namespace tnp
