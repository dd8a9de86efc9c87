// Sorting: NaN, signed zeros, ties and both algorithms, on either side of the length where radix sort takes over.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "aten/functions.h"
#include "aten/kernels/cpu/radix_sort.h"
#include "aten/kernels/cpu/sort.h"

using namespace tnp;

namespace {

// Multiples of 1/4 with many ties, both zeros, infinities and NaN of both signs.
Tensor awkward_numbers(int64_t n, ScalarType dtype) {
  std::mt19937 generator(static_cast<unsigned>(n));
  Tensor t = empty_tensor({n}, dtype);
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double odd[] = {0.0, -0.0, inf, -inf, nan, -nan};
  visit<FloatingTypes>(dtype, [&]<class T>() {
    for (int64_t i = 0; i < n; ++i) {
      auto r = generator();
      t.data_ptr<T>()[i] = T(static_cast<float>(r % 4 == 0 ? odd[r / 4 % 6] : static_cast<double>(r / 4 % 2000) / 4 - 250));
    }
  });
  return t;
}

}  // namespace

TEST(Sort, OrdersFloatsWithNanLastAndKeepsTies) {
  for (ScalarType dtype : {ScalarType::Float16, ScalarType::BFloat16, ScalarType::Float32, ScalarType::Float64}) {
    for (int64_t n : {int64_t{1}, int64_t{100}, kRadixSortMinimum - 1, kRadixSortMinimum, 5 * kRadixSortMinimum}) {
      for (bool descending : {false, true}) {
        Tensor t = awkward_numbers(n, dtype);
        auto [values, indices] = sort(t, 0, descending);
        // Sorting values alone is another algorithm.
        Tensor alone = sort_values(t);
        if (descending) alone = flip(alone, {0});
        visit<FloatingTypes>(dtype, [&]<class T>() {
          SortLess<T> less;
          const T *v = values.data_ptr<T>(), *a = alone.data_ptr<T>();
          const int64_t* index = indices.data_ptr<int64_t>();
          for (int64_t i = 0; i < n; ++i) {
            EXPECT_FALSE(less(v[i], a[i]) || less(a[i], v[i]));
            if (i == 0) continue;
            EXPECT_FALSE(descending ? less(v[i - 1], v[i]) : less(v[i], v[i - 1]));
            bool tie = !less(v[i - 1], v[i]) && !less(v[i], v[i - 1]);
            EXPECT_TRUE(!tie || index[i - 1] < index[i]) << dtype_name(dtype) << ' ' << n << ' ' << i;
          }
        });
      }
    }
  }
}

TEST(RadixKey, OrdersAsTheNumbersAndComesBack) {
  double numbers[] = {-std::numeric_limits<double>::infinity(), -1e300, -1, -1e-320, -0.0, 0.0, 1e-320, 1, 1e300};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    EXPECT_EQ(std::bit_cast<uint64_t>(RadixKey<double>::decode(RadixKey<double>::encode(numbers[i]))), std::bit_cast<uint64_t>(numbers[i]));
    if (i > 0) { EXPECT_LT(RadixKey<double>::encode(numbers[i - 1]), RadixKey<double>::encode(numbers[i])); }
  }
  for (int v = -128; v < 127; ++v) {
    auto a = static_cast<int8_t>(v), b = static_cast<int8_t>(v + 1);
    EXPECT_LT(RadixKey<int8_t>::encode(a), RadixKey<int8_t>::encode(b));
    EXPECT_EQ(RadixKey<int8_t>::decode(RadixKey<int8_t>::encode(a)), a);
  }
}

TEST(PermuteLines, RefusesIndicesOutOfBounds) {
  Tensor t = zeros({3}, ScalarType::Float32), indices = full({3}, Scalar(3), ScalarType::Int64);
  EXPECT_THROW(permute_lines(t, indices, 0), Error);
}
