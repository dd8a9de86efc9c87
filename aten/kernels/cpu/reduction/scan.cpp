// Cumulative sums and products, and the linear recurrence for their gradients.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/parallel.h"
#include "aten/functors/sums.h"
#include "aten/kernel_functions/reductions.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

namespace {

// Calls body(first element of a block of adjacent lines, number of lines in it).
void for_each_block(const DenseLines& lines, function_ref<void(int64_t, int64_t)> body) {
  const auto [outer, n, inner] = lines;
  if (outer * n * inner == 0) return;
  const int64_t grain = std::max<int64_t>(kParallelWork / n, 1);
  parallel_for(0, lines.count(), grain, [&, n = n, inner = inner](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t row = begin / inner, column = begin % inner, count = std::min(inner - column, end - begin);
      body(row * n * inner + column, count);
      begin += count;
    }
  });
}

// out[k] = combine(out[k - 1], in[k]) along lines, one element or one row of adjacent lines at a
// time.
template <class T, class Combine>
void scan(const T* in, T* out, const DenseLines& lines, Combine combine) {
  for_each_block(lines, [&](int64_t first, int64_t count) {
    const T* x = in + first;
    T* y = out + first;
    std::copy_n(x, count, y);
    for (int64_t k = 1; k < lines.n; ++k) {
      x += lines.inner;
      const T* previous = y;
      y += lines.inner;
#pragma GCC ivdep
      for (int64_t j = 0; j < count; ++j) y[j] = combine(previous[j], x[j]);
    }
  });
}

// Note [Running sums]: a sum is scanned in segments of a fixed length on several threads. Each
// segment is scanned separately, then the total of the segments before it is added. Within a
// segment, kChains pieces are scanned in parallel, because the additions of one chain wait for each
// other. So every element is the sum of a few partial sums (kept in float64 for float32). Errors
// grow more slowly than if all elements were added in sequence. A piece starts with the exact end
// value of the piece before, so running sums of numbers of one sign are monotonic.
constexpr int64_t kSegment = 1 << 15, kChains = 4, kLink = 64;

template <class T>
using RunningSum = std::conditional_t<std::is_same_v<T, float>, double, T>;

// y[i] = x[0] + ... + x[i].
template <class T>
void running_sum(const T* x, T* y, int64_t n) {
  using Acc = RunningSum<T>;
  auto add = [](Acc a, Acc b) { return reduction_detail::wrapping_add(a, b); };
  Acc carry(0);
  bool begun = false;  // whether a sum exists: starting with 0 would turn -0 into 0
  int64_t i = 0;
  for (; i + kChains * kLink <= n; i += kChains * kLink) {
    const T *x0 = x + i, *x1 = x0 + kLink, *x2 = x1 + kLink, *x3 = x2 + kLink;
    Acc sums[kChains][kLink], s0(x0[0]), s1(x1[0]), s2(x2[0]), s3(x3[0]);
    sums[0][0] = s0, sums[1][0] = s1, sums[2][0] = s2, sums[3][0] = s3;
    for (int64_t k = 1; k < kLink; ++k) {
      sums[0][k] = s0 = add(s0, static_cast<Acc>(x0[k]));
      sums[1][k] = s1 = add(s1, static_cast<Acc>(x1[k]));
      sums[2][k] = s2 = add(s2, static_cast<Acc>(x2[k]));
      sums[3][k] = s3 = add(s3, static_cast<Acc>(x3[k]));
    }
    for (int64_t c = 0; c < kChains; ++c) {
      T* to = y + i + c * kLink;
      if (begun)
        for (int64_t k = 0; k < kLink; ++k) to[k] = static_cast<T>(add(carry, sums[c][k]));
      else
        for (int64_t k = 0; k < kLink; ++k) to[k] = static_cast<T>(sums[c][k]);
      carry = begun ? add(carry, sums[c][kLink - 1]) : sums[c][kLink - 1];
      begun = true;
    }
  }
  for (; i < n; ++i) {
    carry = begun ? add(carry, static_cast<Acc>(x[i])) : static_cast<Acc>(x[i]);
    y[i] = static_cast<T>(carry);
    begun = true;
  }
}

template <class T>
void running_sums(const T* in, T* out, const DenseLines& lines) {
  const int64_t n = lines.n, segments = (n + kSegment - 1) / kSegment;
  if (lines.outer > 8 || segments < 4) {
    return for_each_block(lines, [&](int64_t first, int64_t) { running_sum(in + first, out + first, n); });
  }
  using Acc = RunningSum<T>;
  std::vector<Acc> carries(static_cast<size_t>(segments));
  for (int64_t line = 0; line < lines.outer; ++line) {
    const T* x = in + line * n;
    T* y = out + line * n;
    parallel_for(0, segments, 1, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s)
        running_sum(x + s * kSegment, y + s * kSegment, std::min(kSegment, n - s * kSegment));
    });
    carries[1] = static_cast<Acc>(y[kSegment - 1]);
    for (int64_t s = 2; s < segments; ++s) {
      carries[static_cast<size_t>(s)] =
          reduction_detail::wrapping_add(carries[static_cast<size_t>(s - 1)], static_cast<Acc>(y[s * kSegment - 1]));
    }
    parallel_for(1, segments, 4, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) {
        const Acc before = carries[static_cast<size_t>(s)];
        T* to = y + s * kSegment;
        const int64_t length = std::min(kSegment, n - s * kSegment);
        auto join = [=](T* at) { *at = static_cast<T>(reduction_detail::wrapping_add(before, static_cast<Acc>(*at))); };
        int64_t i = 0;
        for (; i + kLink <= length; i += kLink)
          for (int64_t k = 0; k < kLink; ++k) join(to + i + k);
        for (; i < length; ++i) join(to + i);
      }
    });
  }
}

template <template <class> class F>
void running(const Tensor& input, int64_t dim, const Tensor& out) {
  const DenseLines lines(out.sizes(), dim);
  const FloatingPointWatch watch("accumulate");
  visit<WideTypes>(out.dtype(), [&]<class T>() {
    const T* x = input.data_ptr<T>();
    T* y = out.data_ptr<T>();
    if constexpr (std::is_same_v<F<T>, Sum<T>>) {
      if (lines.inner == 1) return running_sums(x, y, lines);
    }
    scan(x, y, lines, [](T a, T b) { return static_cast<T>(F<T>::combine(a, b)); });
  });
}

}  // namespace

void native::cumsum_cpu(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType>, const Tensor& out) {
  running<Sum>(input, *dim, out);  // NOLINT(bugprone-unchecked-optional-access): the shape function sets it
}

void native::cumprod_cpu(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType>,
                         const Tensor& out) {
  running<Prod>(input, *dim, out);  // NOLINT(bugprone-unchecked-optional-access): the shape function sets it
}

void native::linear_recurrence_cpu(const Tensor& decay, const Tensor& input, int64_t dim, bool reverse,
                                   const Tensor& out) {
  const DenseLines lines(input.sizes(), dim);
  visit<InexactTypes>(out.dtype(), [&]<class T>() {
    for_each_block(lines, [&](int64_t first, int64_t count) {
      int64_t step = reverse ? -lines.inner : lines.inner;
      int64_t at = reverse ? first + (lines.n - 1) * lines.inner : first;
      const T *factor = decay.data_ptr<T>() + at, *x = input.data_ptr<T>() + at;
      T* y = out.data_ptr<T>() + at;
      std::copy_n(x, count, y);
      for (int64_t k = 1; k < lines.n; ++k) {
        const T* previous = y;
        factor += step, x += step, y += step;
#pragma GCC ivdep
        for (int64_t j = 0; j < count; ++j) y[j] = factor[j] * previous[j] + x[j];
      }
    });
  });
}

}  // namespace tnp
