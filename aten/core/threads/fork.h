// Locks that survive fork(). The child inherits the parent's memory but only the forking thread, so
// a lock that another thread held would stay locked forever.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "aten/core/macros.h"

namespace tnp {

// Registers a mutex that no thread may hold during a fork: fork() waits for it. Meant for locks of
// static objects that are held briefly, by threads that wait for nothing else. In
// particular they must not wait for the front end's lock, which the forking thread may hold. Lock
// order: a thread that holds a registered recursive mutex may lock any registered plain mutex. A
// thread that holds a registered plain mutex may only lock plain ones that were registered before
// it.
TNP_API void hold_at_fork(std::mutex& mutex);
TNP_API void hold_at_fork(std::recursive_mutex& mutex);

// The number of forks between this process and the first one that loaded the library.
TNP_API uint32_t fork_count();

// A mutex that may be held for long. fork() does not wait for it, and it is unlocked in the child.
// The data it guards may be half-changed in the child, so every state must be acceptable.
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

  // Recursive: code that runs under the lock may call the front end, which may lock it again.
  std::recursive_mutex mutex_;
  std::atomic<uint32_t> forks_{fork_count()};
};

}  // namespace tnp
