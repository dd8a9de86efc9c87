// Distances of all pairs of rows, and their gradients. The differences of rows are never stored.
#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/distances.h"
#include "aten/kernels/distance.h"

namespace tnp::native {

namespace {

// Accumulates in independent lanes, which compilers vectorise.
template <class T, class D>
T distance_of(const D& distance, int64_t m, const T* a, const T* b) {
  constexpr int64_t kLanes = 8;
  T lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= m; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = distance.combine(lanes[j], distance.term(a[i + j] - b[i + j]));
  }
  T total(0);
  for (; i < m; ++i) total = distance.combine(total, distance.term(a[i] - b[i]));
  for (T lane : lanes) total = distance.combine(total, lane);
  return distance.finish(total);
}

int64_t rows_at_once(int64_t work) { return std::max<int64_t>(kParallelWork / std::max<int64_t>(work, 1), 1); }

}  // namespace

void cdist_cpu(const Tensor& x1, const Tensor& x2, double p, const Tensor& out) {
  const int64_t n = x1.size(1), k = x2.size(1), m = x1.size(2);
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    distance::visit_distance<T>(p, [&](const auto& distance) {
      const T *a = x1.data_ptr<T>(), *b = x2.data_ptr<T>();
      T* to = out.data_ptr<T>();
      parallel_for(0, x1.size(0) * n, rows_at_once(k * m), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const T* others = b + row / n * k * m;
          for (int64_t j = 0; j < k; ++j) to[row * k + j] = distance_of(distance, m, a + row * m, others + j * m);
        }
      });
    });
  });
}

void cdist_backward_cpu(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p, const Tensor& distances,
                        const Tensor& out) {
  const int64_t n = x1.size(1), k = x2.size(1), m = x1.size(2);
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    distance::visit_distance<T>(p, [&](const auto& distance) {
      const T *a = x1.data_ptr<T>(), *b = x2.data_ptr<T>(), *g = grad.data_ptr<T>(), *d = distances.data_ptr<T>();
      T* to = out.data_ptr<T>();
      parallel_for(0, x1.size(0) * n, rows_at_once(k * m), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          T* sum = to + row * m;
          std::fill(sum, sum + m, T(0));
          for (int64_t j = 0; j < k; ++j) {
            const T *x = a + row * m, *y = b + (row / n * k + j) * m;
            const T weight = g[row * k + j], length = d[row * k + j];
            for (int64_t i = 0; i < m; ++i) sum[i] += distance.backward(x[i] - y[i], weight, length);
          }
        }
      });
    });
  });
}

}  // namespace tnp::native
