#include "aten/kernels/cpu/softmax.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "aten/core/parallel.h"
#include "aten/kernel_functions/nn.h"
#include "aten/kernels/cpu/row_loops.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

namespace {

// Lines side by side that one task takes.
constexpr int64_t kColumns = 64;

// rows(first, count) of lines whose elements are next to each other, or columns(first element, count) of others.
template <class Rows, class Columns>
void for_lines(const DenseLines& lines, int64_t cost, Rows&& rows, Columns&& columns) {
  const int64_t n = std::max<int64_t>(lines.n, 1), work = n * cost;
  if (lines.inner == 1) {
    parallel_for(0, lines.outer, std::max<int64_t>(kParallelWork / work, 1),
                 [&](int64_t begin, int64_t end) { rows(begin, end - begin); });
    return;
  }
  const int64_t blocks = (lines.inner + kColumns - 1) / kColumns;
  parallel_for(0, lines.outer * blocks, std::max<int64_t>(kParallelWork / (work * kColumns), 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   const int64_t first = k % blocks * kColumns;
                   columns(k / blocks * lines.n * lines.inner + first, std::min(kColumns, lines.inner - first));
                 }
               });
}

void softmax_along(const Tensor& x, int64_t dim, bool logarithm, const Tensor& out) {
  if (out.numel() == 0) return;
  const DenseLines lines(x.sizes(), dim);
  visit<FloatTypes>(x.dtype(), [&]<class T>() {
    const RowLoops<T>& loops = row_loops::of<T>();
    const T* from = x.data_ptr<T>();
    T* to = out.data_ptr<T>();
    for_lines(
        lines, 2,
        [&](int64_t first, int64_t count) {
          loops.softmax(from + first * lines.n, to + first * lines.n, count, lines.n, logarithm);
        },
        [&](int64_t first, int64_t count) {
          loops.softmax_columns(from + first, to + first, lines.n, lines.inner, count, logarithm);
        });
  });
}

}  // namespace

void native::softmax_cpu(const Tensor& input, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  softmax_along(input, dim, false, out);
}
void native::log_softmax_cpu(const Tensor& input, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  softmax_along(input, dim, true, out);
}

void native::softmax_gradient_cpu(const Tensor& grad, const Tensor& output, int64_t dim, bool logarithm,
                                  const Tensor& out) {
  if (out.numel() == 0) return;
  const DenseLines lines(output.sizes(), dim);
  visit<FloatTypes>(output.dtype(), [&]<class T>() {
    const RowLoops<T>& loops = row_loops::of<T>();
    const T *g = grad.data_ptr<T>(), *from = output.data_ptr<T>();
    T* to = out.data_ptr<T>();
    for_lines(
        lines, 2,
        [&](int64_t first, int64_t count) {
          const int64_t at = first * lines.n;
          loops.softmax_backward(g + at, from + at, to + at, count, lines.n, logarithm);
        },
        [&](int64_t at, int64_t count) {
          loops.softmax_columns_backward(g + at, from + at, to + at, lines.n, lines.inner, count, logarithm);
        });
  });
}

template <class T>
double CrossEntropy<T>::forward(T* loss, T* lse) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const int64_t count = outer * inner;
  for (int64_t i = 0; i < count; ++i)
    TNP_CHECK(target[i] == ignore_index || (target[i] >= 0 && target[i] < n), ErrorKind::Index, "Target ", target[i],
              " is out of bounds: there are ", n, " classes");
  const double all = weight ? std::accumulate(weight, weight + n, 0.0) : static_cast<double>(n);
  auto one = [&](int64_t o, int64_t i) {
    const int64_t at = o * inner + i, t = target[at];
    if (t == ignore_index) {
      loss[at] = 0;
      return;
    }
    const T* x = input + o * n * inner + i;
    double l = (1 - smoothing) * (weight ? weight[t] : T(1)) * static_cast<double>(lse[at] - x[t * inner]);
    if (smoothing != 0) {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(x[k * inner]) * (weight ? weight[k] : T(1));
      l += smoothing / static_cast<double>(n) * (static_cast<double>(lse[at]) * all - sum);
    }
    loss[at] = static_cast<T>(l);
  };
  const DenseLines lines(IntList{outer, n, inner}, 1);
  for_lines(
      lines, 1,
      [&](int64_t first, int64_t rows) {
        loops.log_sum_exp(input + first * n, lse + first, rows, n);
        for (int64_t k = first; k < first + rows; ++k) one(k, 0);
      },
      [&](int64_t first, int64_t columns) {
        const int64_t o = first / (n * inner), i = first % (n * inner);
        loops.log_sum_exp_columns(input + first, lse + o * inner + i, n, inner, columns);
        for (int64_t k = i; k < i + columns; ++k) one(o, k);
      });
  double total = 0;
  for (int64_t i = 0; i < count; ++i)
    if (target[i] != ignore_index) total += weight ? weight[target[i]] : T(1);
  return total;
}

template <class T>
void CrossEntropy<T>::backward(const T* grad, int64_t grad_step, double factor, const T* lse, T* to) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const double all = weight ? std::accumulate(weight, weight + n, 0.0) : static_cast<double>(n);
  const double share = smoothing / static_cast<double>(n);
  // dx = g ((1 - s) w_t + s / n sum(w)) softmax(x) - g s / n w - g (1 - s) w_t at the target.
  auto parts = [&](int64_t at) {
    const int64_t t = target[at];
    const double g = t == ignore_index ? 0 : static_cast<double>(grad[at * grad_step]) * factor;
    const double own = t == ignore_index ? 0 : g * (1 - smoothing) * (weight ? weight[t] : T(1));
    return std::array<double, 3>{own + g * share * all, g * share, own};
  };
  const DenseLines lines(IntList{outer, n, inner}, 1);
  for_lines(
      lines, 1,
      [&](int64_t first, int64_t rows) {
        for (int64_t at = first; at < first + rows; ++at) {
          const auto [all_of, shift, own] = parts(at);
          T* row = to + at * n;
          if (all_of == 0) {  // also of infinite inputs
            std::fill_n(row, n, T(0));
            continue;
          }
          loops.softmax_scaled(input + at * n, lse[at], static_cast<T>(all_of), static_cast<T>(shift), weight, row, n);
          row[target[at]] -= static_cast<T>(own);
        }
      },
      [&](int64_t first, int64_t columns) {
        const int64_t o = first / (n * inner), i = first % (n * inner);
        std::array<T, kColumns> x, zeros{}, factors, shifts, owns;
        for (int64_t k = 0; k < columns; ++k) {
          const auto [all_of, shift, own] = parts(o * inner + i + k);
          factors[k] = static_cast<T>(all_of), shifts[k] = static_cast<T>(shift), owns[k] = static_cast<T>(own);
        }
        const T* sums = lse + o * inner + i;
        for (int64_t c = 0; c < n; ++c) {
          const T* from = input + first + c * inner;
          T* row = to + first + c * inner;
          for (int64_t k = 0; k < columns; ++k) x[k] = from[k] - sums[k];
          loops.softmax_scaled(x.data(), T(0), T(1), T(0), nullptr, x.data(), columns);
          const T w = weight ? weight[c] : T(1);
          for (int64_t k = 0; k < columns; ++k) {
            const T v = factors[k] == T(0) ? zeros[k] : x[k] * factors[k];
            row[k] = v - shifts[k] * w;
          }
        }
        for (int64_t k = 0; k < columns; ++k) {
          const int64_t t = target[o * inner + i + k];
          if (t != ignore_index) to[first + t * inner + k] -= owns[k];
        }
      });
}

template struct CrossEntropy<float>;
template struct CrossEntropy<double>;

}  // namespace tnp
