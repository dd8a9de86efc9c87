// Distribution of lines over blocks and threads of a GPU: each element is reduced once and changed
// once, for any number and layout of lines, with and without cuts.
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <vector>

#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/reduction/line_kernel.h"
#include "aten/kernels/cuda/reduction/moments.h"

namespace tnp::gpu {
namespace {

// Counts the operations on each element and each line.
struct Visits {
  static constexpr int kPiece = 4;
  struct Line {
    int64_t index;
  };
  struct Element {
    int64_t place;
  };
  struct State {
    int64_t count, sum;
  };
  using Result = State;
  int64_t n;
  int64_t *changed, *finished;
  State* states;

  Line line(int64_t index) const { return {index}; }
  Element load(const Line& line, int64_t i) const { return {line.index * n + i}; }
  static State identity() { return {0, 0}; }
  State reduce(const Line& line, const Element (&piece)[kPiece], int count) const {
    State s{count, 0};
    for (int j = 0; j < count; ++j) s.sum += piece[j].place - line.index * n;
    return s;
  }
  static State combine(const State& a, const State& b) { return {a.count + b.count, a.sum + b.sum}; }
  Result finish(const Line& line, const State& state, bool writes) const {
    if (writes) ++finished[line.index], states[line.index] = state;
    return state;
  }
  void apply(const Line& line, int64_t i, const Element& e, const Result& result) const {
    if (e.place == line.index * n + i && result.count == n) ++changed[e.place];
  }
};

TEST(CudaLines, EachElementIsReducedOnceAndChangedOnce) {
  for (const auto& [lines, n] : {std::pair<int64_t, int64_t>{1, 0},
                                 {1, 1},
                                 {5, 3},
                                 {300, 7},
                                 {3, 1000},
                                 {9, 1025},
                                 {2, 40000},
                                 {70, 513},
                                 {1000, 33},
                                 {1, 200000}}) {
    for (bool side_by_side : {true, false}) {
      for (bool backwards : {false, true}) {
        const LineShape shape = line_shape(lines, n, Visits::kPiece, side_by_side);
        ASSERT_TRUE(std::has_single_bit(shape.lanes) && shape.lanes <= kLineThreads);
        std::vector<int64_t> changed(static_cast<size_t>(lines * n)), finished(static_cast<size_t>(lines));
        std::vector<Visits::State> states(finished.size()), parts(finished.size() * shape.segments);
        using Kernel = LineKernel<Visits>;
        Kernel kernel{
            {n, changed.data(), finished.data(), states.data()}, lines, n, shape, Kernel::Stage::Whole, parts.data()};
        auto run = [&](Kernel::Stage stage) {
          kernel.stage = stage;
          emulate(emulated(kernel), static_cast<uint32_t>(shape.blocks(lines)), backwards);
        };
        if (shape.segments == 1) {
          run(Kernel::Stage::Whole);
        } else {
          run(Kernel::Stage::Segments);
          run(Kernel::Stage::Rest);
        }
        for (int64_t c : changed) ASSERT_EQ(c, 1) << lines << " lines of " << n;
        for (size_t k = 0; k < finished.size(); ++k) {
          ASSERT_EQ(finished[k], 1);
          ASSERT_EQ(states[k].count, n);
          ASSERT_EQ(states[k].sum, n * (n - 1) / 2);
        }
      }
    }
  }
}

TEST(CudaLines, FewLongLinesAreCutAndManyAreNot) {
  EXPECT_GT(line_shape(1, 1 << 20, 8, true).segments, 1u);
  EXPECT_GT(line_shape(3, 1 << 20, 8, false).segments, 1u);
  EXPECT_EQ(line_shape(1 << 16, 1000, 8, true).segments, 1u);
  EXPECT_EQ(line_shape(1, 1000, 8, true).segments, 1u);
}

TEST(CudaLines, NeighboursInMemoryAreReadByNeighbours) {
  EXPECT_EQ(line_shape(100, 1000, 8, true).lanes, 128u);
  EXPECT_GE(line_shape(100, 40, 8, true).lanes, 32u);
  EXPECT_LE(line_shape(100, 1000, 8, false).lanes, kLineThreads / 32);
  EXPECT_EQ(line_shape(1, 1000, 8, false).lanes, 128u);
}

TEST(CudaMoments, PiecesOfALargeMeanKeepTheirVariance) {
  const int n = 4096;
  Moments<float> all = Moments<float>::none();
  double mean = 0, squares = 0;
  auto x = [](int i) { return 1e5f + static_cast<float>(i % 7) * 0.25f; };
  for (int i = 0; i < n; ++i) mean += x(i) / n;
  for (int i = 0; i < n; ++i) squares += (x(i) - mean) * (x(i) - mean);
  for (int i = 0; i < n; i += 8)
    all = Moments<float>::combine(all, Moments<float>::of<8>(8, [&](int j) { return x(i + j); }));
  EXPECT_EQ(all.count, n);
  EXPECT_NEAR(all.mean, mean, 0.05);
  EXPECT_NEAR(all.squares, squares, squares * 1e-2);  // a plain sum of squares, 1e10 each, would lose all of its digits
}

TEST(CudaDivision, DividesNumbersOfEverySize) {
  for (int64_t d : {int64_t{1}, int64_t{3}, int64_t{1000003}, (int64_t{1} << 31) - 1, int64_t{1} << 31,
                    (int64_t{1} << 31) + 1, int64_t{1} << 40}) {
    const Division division(d);
    for (int64_t n :
         {int64_t{0}, d - 1, d, d + 1, 5 * d + 2, (int64_t{1} << 31) - 1, int64_t{1} << 31, int64_t{1} << 45})
      ASSERT_EQ(division.quotient(n), n / d) << n << " / " << d;
  }
}

}  // namespace
}  // namespace tnp::gpu
