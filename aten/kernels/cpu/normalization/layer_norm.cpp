// Normalisation of dense rows: layer norm (mean and variance) and RMS norm (root of the mean
// square).
#include <algorithm>
#include <cmath>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/nn.h"
#include "aten/kernel_functions/normalization.h"
#include "aten/kernels/cpu/reduction/row_loops.h"
#include "aten/kernels/normalized_rows.h"

namespace tnp {

namespace {

// `weight` and `bias` may be null, which means ones and zeros.
template <class T>
struct LayerNorm {
  int64_t rows, length;
  const T* weight;
  bool centred = true;

  // out = (x - mean) rstd weight + bias. Writes mean (if `centred`) and rstd for each row.
  void forward(const T* x, const T* bias, double eps, T* out, T* mean, T* rstd) const;
  // Computes the gradients. A null result pointer means that this gradient is not needed.
  void backward(const T* grad, const T* x, const T* mean, const T* rstd, T* grad_input, T* grad_weight,
                T* grad_bias) const;
};

template <class T>
void LayerNorm<T>::forward(const T* input, const T* bias, double eps, T* out, T* mean, T* rstd) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const int64_t n = length;
  parallel_for(0, rows, std::max<int64_t>(kParallelWork / std::max<int64_t>(n, 1), 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* x = input + row * n;
      double m = 0, squares = 0;
      if (centred) {
        loops.moments(x, n, &m, &squares);
        mean[row] = static_cast<T>(m);
      } else {
        loops.sum_of_squares(x, n, &squares);
      }
      rstd[row] = static_cast<T>(1 / std::sqrt(squares / static_cast<double>(n) + eps));
      loops.normalize(x, static_cast<T>(m), rstd[row], weight, bias, out + row * n, n);
    }
  });
}

// With h = (x - mean) rstd and g = grad weight: grad_input = rstd (g - mean(g) - h mean(g h)),
// without mean(g) unless `centred`. grad_weight and grad_bias are the sums of grad h and grad over
// the rows. Both are summed for pieces of the rows while they are in the cache, and the pieces are
// added in double. The order does not depend on the number of threads.
template <class T>
void LayerNorm<T>::backward(const T* grad, const T* input, const T* mean, const T* rstd, T* grad_input, T* grad_weight,
                            T* grad_bias) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const int64_t n = length;
  const bool parameters = grad_weight || grad_bias;
  const int64_t piece = std::clamp<int64_t>(rows / 16, 16, 128), pieces = (rows + piece - 1) / piece;
  std::vector<T> sums(parameters ? static_cast<size_t>(pieces * 2 * n) : 0);
  parallel_for(0, pieces, std::max<int64_t>(kParallelWork / std::max<int64_t>(2 * n * piece, 1), 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t row = begin * piece; row < std::min(end * piece, rows); ++row) {
                   const T *dy = grad + row * n, *x = input + row * n, m = mean ? mean[row] : T(0), r = rstd[row];
                   T* own = parameters ? sums.data() + row / piece * 2 * n : nullptr;
                   if (grad_input) {
                     double a, b;
                     loops.normalized_sums(dy, x, m, r, weight, n, &a, &b);
                     loops.normalize_backward(dy, x, m, r, weight, centred ? static_cast<T>(a / double(n)) : T(0),
                                              static_cast<T>(b / double(n)), grad_input + row * n, n);
                   }
                   if (own)
                     loops.add_parameters(dy, x, m, r, grad_weight ? own : nullptr, grad_bias ? own + n : nullptr, n);
                 }
               });
  auto add_up = [&](T* to, int64_t offset) {
    if (!to) return;
    constexpr int64_t kColumns = 64;
    parallel_for(0, (n + kColumns - 1) / kColumns, std::max<int64_t>(kParallelWork / (pieces * kColumns + 1), 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t first = begin * kColumns; first < std::min(end * kColumns, n); first += kColumns) {
                     const int64_t width = std::min(kColumns, n - first);
                     double all[kColumns] = {};
                     for (int64_t k = 0; k < pieces; ++k) {
                       const T* from = sums.data() + k * 2 * n + offset + first;
                       for (int64_t j = 0; j < width; ++j) all[j] += static_cast<double>(from[j]);
                     }
                     for (int64_t j = 0; j < width; ++j) to[first + j] = static_cast<T>(all[j]);
                   }
                 });
  };
  add_up(grad_weight, 0);
  add_up(grad_bias, n);
}

template <class T>
T* pointer(const Tensor& t) {
  return t.defined() ? t.data_ptr<T>() : nullptr;
}

}  // namespace

void native::native_layer_norm_cpu(const Tensor& input, IntList normalized_shape, const Tensor& weight,
                                   const Tensor& bias, double eps, const Tensor& out, const Tensor& mean,
                                   const Tensor& rstd) {
  const NormalizedRows rows(input, normalized_shape);
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    LayerNorm<T>{rows.count, rows.length, pointer<T>(weight)}.forward(
        input.data_ptr<T>(), pointer<T>(bias), eps, out.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>());
  });
}

void native::native_rms_norm_cpu(const Tensor& input, IntList normalized_shape, const Tensor& weight, double eps,
                                 const Tensor& out, const Tensor& rstd) {
  const NormalizedRows rows(input, normalized_shape);
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    LayerNorm<T>{rows.count, rows.length, pointer<T>(weight), false}.forward(
        input.data_ptr<T>(), nullptr, eps, out.data_ptr<T>(), nullptr, rstd.data_ptr<T>());
  });
}

void native::layer_norm_gradients_cpu(const Tensor& grad, const Tensor& input, IntList normalized_shape,
                                      const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                                      std::span<const bool>, const Tensor& grad_input, const Tensor& grad_weight,
                                      const Tensor& grad_bias) {
  const NormalizedRows rows(input, normalized_shape);
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    LayerNorm<T>{rows.count, rows.length, pointer<T>(weight), mean.defined()}.backward(
        grad.data_ptr<T>(), input.data_ptr<T>(), pointer<T>(mean), rstd.data_ptr<T>(), pointer<T>(grad_input),
        pointer<T>(grad_weight), pointer<T>(grad_bias));
  });
}

}  // namespace tnp
