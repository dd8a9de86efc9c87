// Ranges over threads: every index once, for all sizes; errors reach the caller; calls may nest.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {
namespace {

struct Threads {
  explicit Threads(int n) : before(get_num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before;
};

TEST(ParallelFor, EveryIndexOnceAndEnoughAtATime) {
  for (int threads : {1, 2, 3, 8}) {
    Threads set(threads);
    for (int64_t n : {0, 1, 2, 7, 63, 1000, 4096, 100'003}) {
      for (int64_t grain : {0, 1, 3, 64, 1000, 5000}) {
        for (int again = 0; again < 2; ++again) {  // first from the front, then from both ends
          std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
          std::atomic<int64_t> short_pieces{0};
          parallel_for(10, 10 + n, grain, [&](int64_t begin, int64_t end) {
            ASSERT_LT(begin, end);
            if (end - begin < grain && end < 10 + n) ++short_pieces;
            for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i - 10)];
          });
          for (const auto& count : seen) ASSERT_EQ(count, 1) << n << " by " << grain << " on " << threads;
          EXPECT_EQ(short_pieces, 0);
        }
      }
    }
  }
}

TEST(ParallelFor, AnErrorReachesTheCallerAndTheNextCallWorks) {
  Threads set(4);
  for (int64_t bad : {0, 500, 999}) {
    EXPECT_THROW(parallel_for(0, 1000, 10,
                              [&](int64_t begin, int64_t end) {
                                if (begin <= bad && bad < end) throw std::runtime_error("bad");
                              }),
                 std::runtime_error);
    std::atomic<int64_t> sum{0};
    parallel_for(0, 1000, 10, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 1000);
  }
}

TEST(ParallelFor, CallsNestAndSeeTheCallersState) {
  Threads set(4);
  DialectGuard numpy{Dialect(Face::NumPy)};
  std::atomic<int64_t> sum{0}, others{0};
  parallel_for(0, 20, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      parallel_for(0, 100, 7, [&](int64_t from, int64_t to) {
        others += promotion_rules() != PromotionRules::NumPy;
        for (int64_t j = from; j < to; ++j) sum += i * j;
      });
    }
  });
  EXPECT_EQ(sum, 190 * 4950);
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace tnp
