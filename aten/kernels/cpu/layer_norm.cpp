#include "aten/kernels/cpu/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "aten/core/parallel.h"

namespace tnp {

namespace {

// The sum of f(0) ... f(n - 1), in independent lanes that the compiler makes vectors of.
template <class F>
double sum_of(int64_t n, F&& f) {
  constexpr int64_t kLanes = 8;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] += f(i + j);
  }
  double total = 0;
  for (; i < n; ++i) total += f(i);
  for (double lane : lanes) total += lane;
  return total;
}

}  // namespace

template <class T>
void LayerNorm<T>::forward(const T* input, const T* bias, double eps, T* out, T* mean, T* rstd) const {
  const int64_t n = length;
  parallel_for(0, rows, std::max<int64_t>(kParallelWork / std::max<int64_t>(n, 1), 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* x = input + row * n;
      T* y = out + row * n;
      const double m = sum_of(n, [&](int64_t i) { return static_cast<double>(x[i]); }) / static_cast<double>(n);
      const double squares = sum_of(n, [&](int64_t i) { return (x[i] - m) * (x[i] - m); });
      const double r = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
      mean[row] = static_cast<T>(m);
      rstd[row] = static_cast<T>(r);
      for (int64_t i = 0; i < n; ++i) {
        const double v = (x[i] - m) * r;
        y[i] = static_cast<T>(v * (weight ? weight[i] : T(1)) + (bias ? bias[i] : T(0)));
      }
    }
  });
}

// With h = (x - mean) rstd and g = grad weight: grad_input = rstd (g - mean(g) - h mean(g h)), a row at a time;
// grad_weight = sum of grad h and grad_bias = sum of grad over the rows, a block of columns at a time, so that the
// order of the sums does not depend on the number of threads.
template <class T>
void LayerNorm<T>::backward(const T* grad, const T* input, const T* mean, const T* rstd, T* grad_input, T* grad_weight,
                            T* grad_bias) const {
  const int64_t n = length;
  if (grad_input) {
    parallel_for(
        0, rows, std::max<int64_t>(kParallelWork / std::max<int64_t>(n, 1), 1), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const T *dy = grad + row * n, *x = input + row * n;
            T* dx = grad_input + row * n;
            const double m = mean[row], r = rstd[row];
            auto g = [&](int64_t i) { return static_cast<double>(dy[i]) * (weight ? weight[i] : T(1)); };
            const double a = sum_of(n, g) / static_cast<double>(n);
            const double b = sum_of(n, [&](int64_t i) { return g(i) * (x[i] - m) * r; }) / static_cast<double>(n);
            for (int64_t i = 0; i < n; ++i) dx[i] = static_cast<T>(r * (g(i) - a - (x[i] - m) * r * b));
          }
        });
  }
  if (!grad_weight && !grad_bias) return;
  constexpr int64_t kColumns = 64;
  const int64_t blocks = (n + kColumns - 1) / kColumns;
  const int64_t work = std::max<int64_t>(rows * kColumns, 1);
  parallel_for(0, blocks, std::max<int64_t>(kParallelWork / work, 1), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kColumns, width = std::min(kColumns, n - first);
      double w[kColumns] = {}, b[kColumns] = {};
      for (int64_t row = 0; row < rows; ++row) {
        const T *dy = grad + row * n + first, *x = input + row * n + first;
        const double m = mean[row], r = rstd[row];
        for (int64_t i = 0; i < width; ++i) {
          w[i] += dy[i] * (x[i] - m) * r;
          b[i] += dy[i];
        }
      }
      for (int64_t i = 0; i < width; ++i) {
        if (grad_weight) grad_weight[first + i] = static_cast<T>(w[i]);
        if (grad_bias) grad_bias[first + i] = static_cast<T>(b[i]);
      }
    }
  });
}

template struct LayerNorm<float>;
template struct LayerNorm<double>;

}  // namespace tnp
