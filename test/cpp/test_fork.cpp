// Locks across fork() (aten/core/threads/fork.h).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "aten/core/threads/fork.h"

namespace tnp {
namespace {

// A mutex that forks hold. It lives as long as the process.
template <class Mutex>
Mutex& held_at_fork() {
  auto* const mutex = new Mutex;
  hold_at_fork(*mutex);
  return *mutex;
}

int status_of_child(bool (*is_fine)()) {
  const pid_t child = fork();
  if (child == 0) _exit(is_fine() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

std::recursive_mutex* outer;

TEST(Fork, LocksAreFreeInTheChild) {
  outer = &held_at_fork<std::recursive_mutex>();
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    while (!is_over) const std::lock_guard lock(*outer);
  });
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(status_of_child([] {
                const std::lock_guard lock(*outer);
                return true;
              }),
              0);
  }
  is_over = true;
  other.join();
}

// Caches add such locks when they are first used under another lock.
TEST(Fork, LocksMayBeAddedUnderOthersWhileSomebodyForks) {
  outer = &held_at_fork<std::recursive_mutex>();
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    for (int i = 0; i < 200 && !is_over; ++i) {
      const std::lock_guard lock(*outer);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const std::lock_guard inner(held_at_fork<std::mutex>());
    }
  });
  for (int i = 0; i < 50; ++i) ASSERT_EQ(status_of_child([] { return true; }), 0);
  is_over = true;
  other.join();
}

TEST(Fork, AForkSafeLockIsFreeInTheChildWhoeverHeldIt) {
  static ForkSafeMutex mutex;
  std::atomic<int> state{0};
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    state = 1;
    while (state != 2) std::this_thread::yield();
  });
  while (state != 1) std::this_thread::yield();
  EXPECT_EQ(status_of_child([] { return mutex.try_lock(); }), 0);
  state = 2;
  other.join();
}

}  // namespace
}  // namespace tnp
