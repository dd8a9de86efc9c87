// Reductions: accuracy, layouts, edge cases. test/python/numpy_face/test_reductions.py compares
// with NumPy on random input.
#include <gtest/gtest.h>

#include <cmath>

#include "aten/core/threads/parallel.h"
#include "aten/functions.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"

namespace tnp {
namespace {

Tensor filled(IntList sizes, double value, ScalarType dtype = ScalarType::Float32) {
  Tensor t = empty_tensor(sizes, dtype);
  fill_with(t, Scalar(value));
  return t;
}
double total(const Tensor& t) { return sum(t, std::nullopt, false, std::nullopt).item().to<double>(); }

TEST(Sum, RoundingGrowsWithLogN) {  // plain left-to-right summation in float32 gives 105891.8 here
  EXPECT_NEAR(total(filled({1 << 20}, 0.1f)), 104857.6015625, 0.25);
  int64_t first[] = {0};
  Tensor columns = sum(filled({1 << 20, 9}, 0.1f), IntList(first), false, std::nullopt);  // added row by row
  EXPECT_NEAR(columns.data_ptr<float>()[8], 104857.6015625, 1.0);
}

TEST(Sum, SixteenBitFloatsAccumulateInFloat32) {
  EXPECT_EQ(total(filled({4096}, 1, ScalarType::Float16)), 4096);  // float16 alone could count to 2048 only
  EXPECT_EQ(total(filled({1024}, 1, ScalarType::BFloat16)), 1024);
}

TEST(Sum, SmallIntegersAreSummedIn64Bits) { EXPECT_EQ(total(filled({1000}, 255, ScalarType::UInt8)), 255000); }

TEST(Sum, DoesNotDependOnTheNumberOfThreads) {
  Tensor x = empty_tensor({300, 3001}, ScalarType::Float32);
  for (int64_t i = 0; i < x.numel(); ++i) x.data_ptr<float>()[i] = std::sin(static_cast<float>(i));
  int before = get_num_threads();
  set_num_threads(1);
  double alone = total(x);
  set_num_threads(4);
  EXPECT_EQ(total(x), alone);
  set_num_threads(before);
}

TEST(Sum, OfRowsDoesNotDependOnTheNumberOfThreads) {
  for (const DimVector& sizes : {DimVector{30000, 7}, DimVector{7000, 31}, DimVector{3, 40000, 9}}) {
    Tensor x = empty_tensor(sizes, ScalarType::Float32);
    for (int64_t i = 0; i < x.numel(); ++i) x.data_ptr<float>()[i] = std::sin(static_cast<float>(i));
    for (int64_t dim = 0; dim < x.dim(); ++dim) {
      auto sums = [&](int threads) {
        set_num_threads(threads);
        Tensor t = sum(x, IntList(&dim, 1), false, std::nullopt);
        return std::vector<float>(t.data_ptr<float>(), t.data_ptr<float>() + t.numel());
      };
      int before = get_num_threads();
      EXPECT_EQ(sums(1), sums(4));
      set_num_threads(before);
    }
  }
}

TEST(Sum, OfShortRowsInSegments) {  // segments of a long reduction end within a short line
  int64_t dims[] = {0, 2};
  Tensor t = sum(filled({30000, 9, 10}, 1), IntList(dims), false, std::nullopt);
  for (int64_t i = 0; i < 9; ++i) EXPECT_EQ(t.data_ptr<float>()[i], 300000);
}

TEST(Sum, OfNothingIsZero) { EXPECT_EQ(total(filled({0, 3}, 1)), 0); }

TEST(Sum, OfNegativeZerosIsNegativeZero) {
  int64_t first[] = {0};
  EXPECT_TRUE(std::signbit(total(filled({40}, -0.0))));
  EXPECT_TRUE(std::signbit(sum(filled({40, 20}, -0.0), IntList(first), false, std::nullopt).data_ptr<float>()[3]));
  EXPECT_FALSE(std::signbit(total(filled({0}, 1))));
}

TEST(Max, OfNothingIsAnError) {
  EXPECT_THROW(amax(filled({0}, 1), std::nullopt, false), Error);
  int64_t last[] = {1};
  EXPECT_EQ(amax(filled({0, 3}, 1), IntList(last), false).numel(), 0);
}

TEST(Max, NanWins) {
  for (int64_t at : {0, 5, 99}) {
    Tensor x = filled({100}, 1);
    x.data_ptr<float>()[at] = NAN;
    EXPECT_TRUE(std::isnan(amax(x, std::nullopt, false).item().to<double>()));
    EXPECT_TRUE(std::isnan(amin(x, std::nullopt, false).item().to<double>()));
    EXPECT_EQ(argmax(x, std::nullopt, false).item().to<int64_t>(), at);
  }
}

TEST(ArgMax, FirstOfEqualOnesInRowMajorOrder) {
  Tensor x = filled({4, 5}, 0);
  Tensor transposed = view_of(x, {5, 4}, {1, 5}, x.data());
  x.data_ptr<float>()[7] = x.data_ptr<float>()[11] = 1;  // (1, 2) and (2, 1); transposed: (2, 1) and (1, 2)
  EXPECT_EQ(argmax(x, std::nullopt, false).item().to<int64_t>(), 7);
  EXPECT_EQ(argmax(transposed, std::nullopt, false).item().to<int64_t>(), 6);
}

TEST(Var, DoesNotCancel) {  // mean of squares minus square of the mean gives 0 or worse here
  Tensor x = filled({1000}, 1e8, ScalarType::Float64);
  for (int64_t i = 0; i < 1000; i += 2) x.data_ptr<double>()[i] += 1;
  EXPECT_NEAR(var(x, std::nullopt, Scalar(0), false).item().to<double>(), 0.25, 1e-9);
}

TEST(Reduce, OutMayBeTheInput) {
  Tensor x = filled({3}, 2);
  ReduceOptions options;
  options.out = view_of(x, {}, {}, x.data());
  EXPECT_EQ(sum(x, std::nullopt, false, std::nullopt, options).item().to<double>(), 6);
  EXPECT_EQ(x.data_ptr<float>()[1], 2);
}

}  // namespace
}  // namespace tnp
