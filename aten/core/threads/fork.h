// Locks over fork(). The child has the memory of its parent and of its threads only the one that called: a lock that
// another thread held stays locked there for ever.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "aten/core/macros.h"

namespace tnp {

// Nobody forks while `mutex` is held: for locks of static objects that are held for a short time, by threads that wait
// for nothing meanwhile, above all not for the front end's lock, which whoever forks may hold. But for other locks:
// under a recursive one all that are not may be taken, and under one that is not those that were there before it.
TNP_API void hold_at_fork(std::mutex& mutex);
TNP_API void hold_at_fork(std::recursive_mutex& mutex);

// How many forks lie between this process and the first one that loaded the library.
TNP_API uint32_t fork_count();

// A lock that may be held for long: whoever forks does not wait for it, and the child finds it free. What it guards may
// be in the middle of a change there, so that any value must do.
class TNP_API ForkSafeMutex {
 public:
  void lock() {
    renew_after_fork();
    mutex_.lock();
  }
  bool try_lock() {
    renew_after_fork();
    return mutex_.try_lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  void renew_after_fork() {
    if (TNP_UNLIKELY(forks_.load(std::memory_order_acquire) != fork_count())) renew();
  }
  TNP_COLD void renew();

  // Recursive, since what happens under it may run code of the front end's, which may come back.
  std::recursive_mutex mutex_;
  std::atomic<uint32_t> forks_{fork_count()};
};

}  // namespace tnp
