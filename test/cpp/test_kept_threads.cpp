// Threads that spin while they wait for work: Note [Kept threads] in
// aten/core/threads/kept_threads.h.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "aten/core/threads/kept_threads.h"
#include "aten/core/threads/parallel.h"

using namespace tnp;

namespace {

using Clock = std::chrono::steady_clock;

// Waits until `count` threads wait for this one. Returns false after ten seconds, on an overloaded
// machine.
bool come(int count) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
  while (Clock::now() < end) {
    const KeptThreads again;  // replaces threads that stopped spinning
    if (KeptThreads::waiting() >= count) return true;
    std::this_thread::yield();
  }
  return false;
}

class KeptThreadsTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = get_num_threads();
    set_num_threads(2);
  }
  void TearDown() override { set_num_threads(before_); }

 private:
  int before_ = 1;
};

// Each number once, on any number of threads.
void expect_all(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
  parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
  });
  for (const auto& count : seen) ASSERT_EQ(count.load(), 1);
}

TEST_F(KeptThreadsTest, NobodyWaitsOutsideOfAScope) {
  EXPECT_EQ(KeptThreads::waiting(), 0);
  EXPECT_FALSE(KeptThreads::share(1, [](int) { FAIL(); }, [] { FAIL(); }));
}

TEST_F(KeptThreadsTest, TwoThreadsWorkAtTheSameTime) {
  for (int round = 0; round < 100; ++round) {
    const KeptThreads kept;
    if (!come(1)) GTEST_SKIP() << "no second thread has come";
    std::atomic<bool> here{false}, there{false};
    const bool shared = KeptThreads::share(
        1,
        [&](int i) {
          EXPECT_EQ(i, 1);
          there = true;
          while (!here) std::this_thread::yield();
        },
        [&] {
          here = true;
          const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
          while (!there && Clock::now() < end) std::this_thread::yield();
        });
    EXPECT_TRUE(!shared || there);  // the thread may have just stopped spinning
  }
}

TEST_F(KeptThreadsTest, LoopsAreShared) {
  const KeptThreads kept;
  come(1);
  for (int round = 0; round < 2000; ++round) expect_all(1 + round % 97, 1 + round % 5);
}

TEST_F(KeptThreadsTest, ExceptionsArrive) {
  const KeptThreads kept;
  come(1);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> begun{0};
    EXPECT_THROW(parallel_for(0, 50, 1,
                              [&](int64_t, int64_t) {
                                if (++begun == 3) throw std::runtime_error("in the third");
                              }),
                 std::runtime_error);
  }
  expect_all(100, 1);
}

TEST_F(KeptThreadsTest, TheyLeaveWhenThereIsNothingToDo) {
  const KeptThreads kept;
  if (!come(1)) GTEST_SKIP() << "no second thread has come";
  const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
  while (KeptThreads::waiting() > 0 && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(KeptThreads::waiting(), 0);
  expect_all(100, 1);
}

TEST_F(KeptThreadsTest, SeveralThreadsMayAskForThem) {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([] {
      for (int round = 0; round < 200; ++round) {
        const KeptThreads kept;
        const KeptThreads within;
        expect_all(1 + round % 31, 1);
      }
    });
  for (std::thread& t : all) t.join();
  EXPECT_EQ(KeptThreads::waiting(), 0);
}

TEST_F(KeptThreadsTest, LoopsWithinLoops) {
  const KeptThreads kept;
  come(1);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int64_t> total{0};
    parallel_for(0, 8, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        parallel_for(0, 10, 1, [&](int64_t first, int64_t last) { total += last - first; });
    });
    EXPECT_EQ(total.load(), 80);
  }
}

TEST_F(KeptThreadsTest, TheChildOfAForkHasNone) {
  const KeptThreads kept;
  come(1);
  const pid_t child = fork();
  if (child == 0) {
    bool good = KeptThreads::waiting() == 0;
    std::atomic<int> total{0};
    set_num_threads(1);
    parallel_for(0, 10, 1, [&](int64_t begin, int64_t end) { total += static_cast<int>(end - begin); });
    _exit(good && total == 10 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
