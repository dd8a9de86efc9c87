#include "aten/core/fork.h"

#include <pthread.h>

#include <new>
#include <vector>

namespace tnp {

namespace {

std::atomic<uint32_t> forks{0};

// Never destroyed: other static objects may go later.
struct Held {
  std::mutex own;  // guards `list` and each ForkSafeMutex::renew()
  struct Lock {
    std::mutex* plain;
    std::recursive_mutex* recursive;
  };
  std::vector<Lock> list;
};
Held& held() {
  static Held* self = new Held;
  return *self;
}

// The last made first: who holds it may take those that were there before.
void before() {
  held().own.lock();
  for (size_t i = held().list.size(); i-- > 0;) {
    const auto& [plain, recursive] = held().list[i];
    plain ? plain->lock() : recursive->lock();
  }
}
void in_parent() {
  for (const auto& [plain, recursive] : held().list) plain ? plain->unlock() : recursive->unlock();
  held().own.unlock();
}
void in_child() {
  for (const auto& [plain, recursive] : held().list) {
    if (plain)
      plain->unlock();
    else
      new (recursive) std::recursive_mutex;  // it knows its owner by a number that this thread has no more
  }
  held().own.unlock();
  forks.fetch_add(1, std::memory_order_release);
}
[[maybe_unused]] const int registered = pthread_atfork(before, in_parent, in_child);

}  // namespace

uint32_t fork_count() { return forks.load(std::memory_order_acquire); }

void hold_at_fork(std::mutex& mutex) {
  std::lock_guard lock(held().own);
  held().list.push_back({&mutex, nullptr});
}
void hold_at_fork(std::recursive_mutex& mutex) {
  std::lock_guard lock(held().own);
  held().list.push_back({nullptr, &mutex});
}

void ForkSafeMutex::renew() {
  std::lock_guard lock(held().own);
  if (forks_.load(std::memory_order_relaxed) == fork_count()) return;
  new (&mutex_) std::recursive_mutex;  // the old one's owner is not in this process
  forks_.store(fork_count(), std::memory_order_release);
}

}  // namespace tnp
