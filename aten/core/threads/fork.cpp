#include "aten/core/threads/fork.h"

#include <pthread.h>

#include <new>

namespace tnp {

namespace {

std::atomic<uint32_t> forks{0};

// One lock that is held during a fork. Never destroyed: the destruction order of static objects is
// undefined.
struct Held {
  std::mutex* plain;
  std::recursive_mutex* recursive;
  Held* before;
  void lock() const { plain ? plain->lock() : recursive->lock(); }
  void unlock() const { plain ? plain->unlock() : recursive->unlock(); }
};
std::atomic<Held*> last_held{nullptr};

// Guards additions to the list, and each ForkSafeMutex::renew(). Threads may hold other locks when
// they lock it, so its holder must not wait for any other lock.
std::mutex& own() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// Locks the recursive mutexes first, then the plain ones; within each group the newest first.
void before() {
  while (true) {
    Held* const newest = last_held.load(std::memory_order_acquire);
    for (const Held* h = newest; h; h = h->before)
      if (h->recursive) h->lock();
    for (const Held* h = newest; h; h = h->before)
      if (h->plain) h->lock();
    own().lock();
    if (last_held.load(std::memory_order_relaxed) == newest) return;
    own().unlock();  // another thread registered a lock in the meantime
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
      // the mutex stores its owner's thread id, which is different in the child
      new (h->recursive) std::recursive_mutex;
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
