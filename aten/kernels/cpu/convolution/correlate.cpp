// Sliding sums of products of two sequences, for convolve and correlate.
#include "aten/kernels/correlate.h"

#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/products.h"

namespace tnp::native {

namespace {

// Adds the products with `count` (1 or 4) taps from j on to the sums [first, last), which are in
// L1. Where all four taps meet an element of x, their products are added together, so that the
// inner loop is vectorised even for short v. At the ends of x, the taps are added one by one.
template <class T>
void add_taps(const Sliding<T>& s, int64_t first, int64_t last, int64_t j, int64_t count) {
  const int64_t left = s.left, size = s.size;
  auto within = [=](int64_t k) { return std::clamp(k, first, last); };
  // tap q meets an element of x in the sums [left - q, left - q + size)
  const int64_t some_begin = within(left - j - count + 1), some_end = within(left - j + size);
  const int64_t all_begin = within(left - j), all_end = std::max(within(left - j - count + 1 + size), all_begin);
  auto one_by_one = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      for (int64_t q = j; q < j + count; ++q) {
        const int64_t i = k + q - left;
        if (i >= 0 && i < size) s.out[k] += s.v[q] * s.x[i];
      }
    }
  };
  if (all_begin == all_end) return one_by_one(some_begin, some_end);
  one_by_one(some_begin, all_begin);
  T* y = s.out + all_begin;
  const T* x = s.x + (all_begin + j - left);
  const int64_t length = all_end - all_begin;
  if (count == 4) {
    const T a = s.v[j], b = s.v[j + 1], c = s.v[j + 2], d = s.v[j + 3];
#pragma GCC ivdep
    for (int64_t i = 0; i < length; ++i) y[i] += (a * x[i] + b * x[i + 1]) + (c * x[i + 2] + d * x[i + 3]);
  } else {
    const T a = s.v[j];
#pragma GCC ivdep
    for (int64_t i = 0; i < length; ++i) y[i] += a * x[i];
  }
  one_by_one(all_end, some_end);
}

template <class T>
void slide(const Sliding<T>& s) {
  constexpr int64_t kBlock = 1024;
  const int64_t m = s.taps;
  parallel_for(0, s.sums, std::max<int64_t>(kParallelWork / m, 1), [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t last = std::min(first + kBlock, end);
      std::fill(s.out + first, s.out + last, T(0));
      // The taps that meet an element of x in any of these sums. Groups of four begin at multiples
      // of 4 for every block, so that the order of summation is fixed.
      int64_t j = std::max<int64_t>(s.left - last + 1, 0) / 4 * 4;
      const int64_t stop = std::min(m, s.left + s.size - first);
      for (; j < stop && j + 4 <= m; j += 4) add_taps(s, first, last, j, 4);
      for (; j < stop; ++j) add_taps(s, first, last, j, 1);
    }
  });
}

}  // namespace

void correlate_padded_cpu(const Tensor& input, const Tensor& other, int64_t left, int64_t, const Tensor& out) {
  visit_sliding(input, other, left, out, []<class T>(const Sliding<T>& sums) { slide(sums); });
}

}  // namespace tnp::native
