// Sorting: NaN, signed zeros, ties and both algorithms, below and above the length where radix sort
// takes over.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "aten/functions.h"
#include "aten/kernels/cpu/sorting/radix_sort.h"
#include "aten/kernels/cpu/sorting/sort_loops.h"

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
      t.data_ptr<T>()[i] =
          T(static_cast<float>(r % 4 == 0 ? odd[r / 4 % 6] : static_cast<double>(r / 4 % 2000) / 4 - 250));
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
        // Values without indices are sorted by another algorithm.
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

namespace {

// Each instruction set that was compiled and that this machine supports, with its name.
std::vector<std::pair<const char*, std::span<const SortLoops>>> tables_of_this_machine() {
  std::vector<std::pair<const char*, std::span<const SortLoops>>> tables;
  const auto& variants = sort_loops::variants();
  if (variants.avx2 && cpu_capability() >= CpuCapability::AVX2) tables.emplace_back("avx2", variants.avx2());
  if (variants.avx512 && cpu_capability() >= CpuCapability::AVX512) tables.emplace_back("avx512", variants.avx512());
  return tables;
}

constexpr const char* kPatterns[] = {"random", "ascending",  "descending", "equal",
                                     "few",    "organ pipe", "extremes",   "sawtooth"};

template <class T>
std::vector<T> numbers(const std::string& pattern, int64_t n) {
  std::mt19937_64 generator(static_cast<uint64_t>(n));
  using Limits = std::numeric_limits<T>;
  std::vector<T> v(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t r = generator();
    T& x = v[static_cast<size_t>(i)];
    if (pattern == "ascending")
      x = static_cast<T>(i);
    else if (pattern == "descending")
      x = static_cast<T>(n - i);
    else if (pattern == "equal")
      x = 7;
    else if (pattern == "few")
      x = static_cast<T>(r % 3);
    else if (pattern == "organ pipe")
      x = static_cast<T>(i < n / 2 ? i : n - i);
    else if (pattern == "sawtooth")
      x = static_cast<T>(i % 37);
    else if constexpr (std::is_floating_point_v<T>) {
      const T odd[] = {T(0),
                       -T(0),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       -Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       1};
      x = pattern == "extremes" ? odd[r % 8] : static_cast<T>(static_cast<double>(static_cast<int64_t>(r)) * 1e-10);
    } else {
      x = pattern == "extremes" ? (r % 2 ? Limits::max() : Limits::min()) : static_cast<T>(r);
    }
  }
  return v;
}

// An integer with the same order: negative zero before zero, all NaNs equal and last.
template <class T>
std::vector<typename RadixKey<T>::Bits> keys_of(const std::vector<T>& v) {
  std::vector<typename RadixKey<T>::Bits> keys;
  for (T x : v) keys.push_back(x != x ? ~typename RadixKey<T>::Bits{0} : RadixKey<T>::encode(x));
  return keys;
}

template <class F>
void for_each_vector_type(F&& body) {
  body.template operator()<int32_t>();
  body.template operator()<uint32_t>();
  body.template operator()<float>();
  body.template operator()<int64_t>();
  body.template operator()<uint64_t>();
  body.template operator()<double>();
}

// Every length up to two blocks, and longer than the limit of sorting with a second array.
std::vector<int64_t> lengths() {
  std::vector<int64_t> all;
  for (int64_t n = 0; n <= 600; ++n) all.push_back(n);
  for (int64_t n : {1000, 2047, 2049, 5000, 8191, 8193, 16385, 70'001}) all.push_back(n);
  return all;
}

}  // namespace

TEST(SortLoops, SortEveryPatternAndLengthAndLoseNoZeroOrNan) {
  for (auto [capability, table] : tables_of_this_machine()) {
    for_each_vector_type([&, capability = capability, table = table]<class T>() {
      for (const char* pattern : kPatterns) {
        for (int64_t n : lengths()) {
          std::vector<T> v = numbers<T>(pattern, n);
          auto expected = keys_of(v);
          // Both zeros compare equal, so an array that is already in order must stay unchanged.
          const bool in_order = std::is_sorted(v.begin(), v.end(), SortLess<T>());
          std::sort(expected.begin(), expected.end());
          table[sort_loops::index_of<T>()].sort(v.data(), n, 2 * std::bit_width(static_cast<uint64_t>(n)));
          if (in_order) {
            ASSERT_TRUE(std::is_sorted(v.begin(), v.end(), SortLess<T>()));
            continue;
          }
          ASSERT_EQ(keys_of(v), expected)
              << capability << ' ' << dtype_name(scalar_type_of<T>) << ' ' << pattern << ' ' << n;
        }
      }
    });
  }
}

TEST(SortLoops, SortWhateverThePivots) {  // no or few partitions are allowed, so the fallback must sort, too
  for (auto [capability, table] : tables_of_this_machine()) {
    for_each_vector_type([&, capability = capability, table = table]<class T>() {
      for (int64_t n : {600, 5000, 70'000}) {
        for (int depth : {0, 1, 3}) {
          std::vector<T> v = numbers<T>("random", n);
          auto expected = keys_of(v);
          std::sort(expected.begin(), expected.end());
          table[sort_loops::index_of<T>()].sort(v.data(), n, depth);
          ASSERT_EQ(keys_of(v), expected) << capability << ' ' << n << ' ' << depth;
        }
      }
    });
  }
}

TEST(SortLoops, MoveWhatIsLessToTheFront) {
  for (auto [capability, table] : tables_of_this_machine()) {
    for_each_vector_type([&, capability = capability, table = table]<class T>() {
      for (const char* pattern : {"random", "ascending", "few", "organ pipe", "equal"}) {
        for (int64_t n : lengths()) {
          for (bool or_equal : {false, true}) {
            std::vector<T> v = numbers<T>(pattern, n);
            auto before = keys_of(v);
            const T pivot = n > 0 ? v[static_cast<size_t>(n / 3)] : T(0);
            auto in_front = [&](T x) { return or_equal ? !(pivot < x) : x < pivot; };
            const int64_t front = table[sort_loops::index_of<T>()].move_less(v.data(), n, &pivot, or_equal);
            ASSERT_EQ(front, std::count_if(v.begin(), v.end(), in_front));
            ASSERT_TRUE(std::is_partitioned(v.begin(), v.end(), in_front)) << capability << ' ' << pattern << ' ' << n;
            auto after = keys_of(v);
            std::sort(before.begin(), before.end());
            std::sort(after.begin(), after.end());
            ASSERT_EQ(after, before);
          }
        }
      }
    });
  }
}

TEST(RadixKey, OrdersAsTheNumbersAndComesBack) {
  double numbers[] = {-std::numeric_limits<double>::infinity(), -1e300, -1, -1e-320, -0.0, 0.0, 1e-320, 1, 1e300};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    EXPECT_EQ(std::bit_cast<uint64_t>(RadixKey<double>::decode(RadixKey<double>::encode(numbers[i]))),
              std::bit_cast<uint64_t>(numbers[i]));
    if (i > 0) {
      EXPECT_LT(RadixKey<double>::encode(numbers[i - 1]), RadixKey<double>::encode(numbers[i]));
    }
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
