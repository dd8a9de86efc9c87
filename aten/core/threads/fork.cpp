#include "aten/core/threads/fork.h"

#include <pthread.h>

#include <new>

namespace tnp {

namespace {

std::atomic<uint32_t> forks{0};

// One lock that is held at a fork. Never destroyed: static objects may go in any order.
struct Held {
  std::mutex* plain;
  std::recursive_mutex* recursive;
  Held* before;
  void lock() const { plain ? plain->lock() : recursive->lock(); }
  void unlock() const { plain ? plain->unlock() : recursive->unlock(); }
};
std::atomic<Held*> last_held{nullptr};

// Guards additions to the list, and each ForkSafeMutex::renew(). Threads come here with other locks that they hold, so
// that who holds this one waits for no other.
std::mutex& own() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// Recursive ones, then the others, the last made first.
void before() {
  while (true) {
    Held* const newest = last_held.load(std::memory_order_acquire);
    for (const Held* h = newest; h; h = h->before)
      if (h->recursive) h->lock();
    for (const Held* h = newest; h; h = h->before)
      if (h->plain) h->lock();
    own().lock();
    if (last_held.load(std::memory_order_relaxed) == newest) return;
    own().unlock();  // one was added meanwhile
    for (const Held* h = newest; h; h = h->before) h->unlock();
  }
}
void in_parent() {
  for (const Held* h = last_held.load(std::memory_order_relaxed); h; h = h->before) h->unlock();
  own().unlock();
}
void in_child() {
  for (const Held* h = last_held.load(std::memory_order_relaxed); h; h = h->before) {
    if (h->plain)
      h->unlock();
    else
      new (h->recursive) std::recursive_mutex;  // it knows its owner by a number that this thread has no more
  }
  own().unlock();
  forks.fetch_add(1, std::memory_order_release);
}
[[maybe_unused]] const int registered = pthread_atfork(before, in_parent, in_child);

void hold(Held lock) {
  const std::lock_guard guard(own());
  lock.before = last_held.load(std::memory_order_relaxed);
  last_held.store(new Held(lock), std::memory_order_release);
}

}  // namespace

uint32_t fork_count() { return forks.load(std::memory_order_acquire); }

void hold_at_fork(std::mutex& mutex) { hold({&mutex, nullptr, nullptr}); }
void hold_at_fork(std::recursive_mutex& mutex) { hold({nullptr, &mutex, nullptr}); }

void ForkSafeMutex::renew() {
  const std::lock_guard lock(own());
  if (forks_.load(std::memory_order_relaxed) == fork_count()) return;
  new (&mutex_) std::recursive_mutex;  // the old one's owner is not in this process
  forks_.store(fork_count(), std::memory_order_release);
}

}  // namespace tnp
