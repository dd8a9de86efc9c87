// Sorting networks for blocks of several vectors. Included by sort_loops.cpp only.
//
// The block is a matrix of `rows` vectors. Batcher's network sorts all columns at once without
// moving lanes. Then runs of 1, 2, 4... neighbouring columns are merged by bitonic networks, whose
// steps within columns move no lanes either. Finally the matrix is transposed, because the sorted
// numbers are in column order.
//
// Sources: Batcher, AFIPS 32 (1968) 307-314; Bramas, Int. J. Adv. Comput. Sci. Appl. 8 (2017)
// 337-344; Wassenberg, Blacher, Giesen and Sanders, Softw. Pract. Exper. 52 (2022) 2684-2699.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "aten/core/macros.h"

namespace tnp::sort_loops::TNP_CPU_CAPABILITY {

namespace {

// Calls body(std::integral_constant<int, i>()) for i = 0, ..., n-1, unrolled.
template <int n, class F>
TNP_INLINE void unrolled(F&& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, i>()), ...);
  }(std::make_integer_sequence<int, n>());
}

struct Comparator {
  int low, high;
};

// Calls comparator(low, high) for each comparator of Batcher's odd-even merge sort of n = 2^k.
template <class F>
constexpr void odd_even_merge_sort(int n, F&& comparator) {
  for (int p = 1; p < n; p *= 2) {
    for (int k = p; k >= 1; k /= 2) {
      for (int j = k % p; j + k < n; j += 2 * k) {
        for (int i = 0; i < k && i + j + k < n; ++i) {
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) comparator(i + j, i + j + k);
        }
      }
    }
  }
}
constexpr int comparators(int n) {
  int count = 0;
  odd_even_merge_sort(n, [&](int, int) { ++count; });
  return count;
}
template <int n>
constexpr std::array<Comparator, static_cast<size_t>(comparators(n))> column_network() {
  std::array<Comparator, static_cast<size_t>(comparators(n))> network{};
  size_t at = 0;
  odd_even_merge_sort(n, [&](int low, int high) { network[at++] = {low, high}; });
  return network;
}

template <class T>
class Network {
  using Vec = Vector<T>;
  using V = typename Vec::V;
  static constexpr int kLanes = Vec::kLanes;

 public:
  static constexpr int64_t kMost = Vec::kMostRows * kLanes;
  static constexpr T kLargest =
      std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();

  // Sorts n <= kMost numbers without NaN. `to` may be `from`.
  static void sort(const T* from, int64_t n, T* to) {
    if (n <= kLanes)
      sort_rows<1>(from, n, to);
    else if (n <= 2 * kLanes)
      sort_rows<2>(from, n, to);
    else if (n <= 4 * kLanes)
      sort_rows<4>(from, n, to);
    else if (n <= 8 * kLanes)
      sort_rows<8>(from, n, to);
    else if (n <= 16 * kLanes)
      sort_rows<16>(from, n, to);
    else if constexpr (Vec::kMostRows > 16)
      sort_rows<32>(from, n, to);
  }

 private:
  // Lane i of the result is lane i ^ step of v.
  template <int step>
  TNP_INLINE static V partners(V v) {
    return [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(v, v, (i ^ step)...);
    }(std::make_integer_sequence<int, kLanes>());
  }
  // A mask of the lanes whose number has the bit `bit`.
  static constexpr unsigned lanes_with(int bit) {
    unsigned mask = 0;
    for (int i = 0; i < kLanes; ++i) mask |= (i & bit ? 1u : 0u) << i;
    return mask;
  }

  static int64_t lanes_of_row(int r, int64_t n) {
    return n <= r * kLanes ? 0 : n >= (r + 1) * kLanes ? kLanes : n - r * kLanes;
  }

  template <int rows>
  __attribute__((noinline)) static void sort_rows(const T* from, int64_t n, T* to) {
    V row[rows];
    const V largest = Vec::fill(kLargest);
    unrolled<rows>([&](auto r) __attribute__((always_inline)) {
      // The first half of the rows is full, because otherwise the caller would have chosen a
      // smaller block.
      if constexpr (r < rows / 2)
        row[r] = Vec::load(from + r * kLanes);
      else
        row[r] = Vec::load_some(from + r * kLanes, lanes_of_row(r, n), largest);
    });
    static constexpr auto network = column_network<rows>();
    unrolled<static_cast<int>(network.size())>(
        [&](auto i) __attribute__((always_inline)) { Vec::exchange(row[network[i].low], row[network[i].high]); });
    merge_columns<1>(row);
    transpose(row);
    unrolled<rows>([&](auto r) __attribute__((always_inline)) {
      if constexpr (r < rows / 2)
        Vec::store(to + r * kLanes, row[r]);
      else
        Vec::store_some(to + r * kLanes, lanes_of_row(r, n), row[r]);
    });
  }

  // Merges sorted runs of `width` columns, until one run has all columns.
  template <int width, int rows>
  TNP_INLINE static void merge_columns(V (&row)[rows]) {
    if constexpr (width < kLanes) {
      constexpr unsigned high = lanes_with(width);
      if constexpr (rows == 1) {
        row[0] = Vec::template exchange_lanes<high>(row[0], partners<2 * width - 1>(row[0]));
      } else {
        // Compares the first number of one run with the last of the next, and so on.
        unrolled<rows / 2>([&](auto r) __attribute__((always_inline)) {
          V &a = row[r], &b = row[rows - 1 - r];
          V low = a, up = partners<2 * width - 1>(b);
          Vec::exchange(low, up);
          a = Vec::template merge<high>(low, up);
          b = partners<2 * width - 1>(Vec::template merge<high>(up, low));
        });
      }
      merge_lanes<width / 2>(row);
      merge_rows<rows / 2>(row);
      merge_columns<2 * width>(row);
    }
  }
  template <int step, int rows>
  TNP_INLINE static void merge_lanes(V (&row)[rows]) {
    if constexpr (step > 0) {
      unrolled<rows>([&](auto r) __attribute__((always_inline)) {
        row[r] = Vec::template exchange_lanes<lanes_with(step)>(row[r], partners<step>(row[r]));
      });
      merge_lanes<step / 2>(row);
    }
  }
  template <int step, int rows>
  TNP_INLINE static void merge_rows(V (&row)[rows]) {
    if constexpr (step > 0) {
      unrolled<rows>([&](auto r) __attribute__((always_inline)) {
        if constexpr ((r & step) == 0) Vec::exchange(row[r], row[r + step]);
      });
      merge_rows<step / 2>(row);
    }
  }

  // Interleaving two rows rotates the bits of an address (row, lane). Repeating this once per bit
  // of the row index exchanges row and lane.
  template <int rows>
  TNP_INLINE static void transpose(V (&row)[rows]) {
    transpose_step<rows / 2>(row);
  }
  template <int step, int rows>
  TNP_INLINE static void transpose_step(V (&row)[rows]) {
    if constexpr (step > 0) {
      unrolled<rows>([&](auto r) __attribute__((always_inline)) {
        if constexpr ((r & step) == 0) {
          const V a = row[r], b = row[r + step];
          row[r] = interleaved<0>(a, b);
          row[r + step] = interleaved<kLanes / 2>(a, b);
        }
      });
      transpose_step<step / 2>(row);
    }
  }
  template <int start>
  TNP_INLINE static V interleaved(V a, V b) {
    return [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(a, b, (start + i / 2 + (i % 2 ? kLanes : 0))...);
    }(std::make_integer_sequence<int, kLanes>());
  }
};

}  // namespace

}  // namespace tnp::sort_loops::TNP_CPU_CAPABILITY
