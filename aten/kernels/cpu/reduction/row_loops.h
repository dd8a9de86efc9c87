// Loops over lines of an array for softmax, cross entropy and normalisations, T in { float, double
// }, compiled for each instruction set. They neither allocate nor start threads.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

template <class T>
struct RowLoops {
  // --- softmax, or log-softmax if `logarithm`, of `rows` dense lines of n elements; and the
  // gradient for x from the gradient for the result
  void (*softmax)(const T* x, T* out, int64_t rows, int64_t n, bool logarithm);
  void (*softmax_backward)(const T* grad, const T* out, T* to, int64_t rows, int64_t n, bool logarithm);
  // Softmax and its gradient for `count` adjacent lines, whose n elements have stride `step`.
  void (*softmax_columns)(const T* x, T* out, int64_t n, int64_t step, int64_t count, bool logarithm);
  void (*softmax_columns_backward)(const T* grad, const T* out, T* to, int64_t n, int64_t step, int64_t count,
                                   bool logarithm);
  // log(sum(exp(x))) of each line.
  void (*log_sum_exp)(const T* x, T* out, int64_t rows, int64_t n);
  void (*log_sum_exp_columns)(const T* x, T* out, int64_t n, int64_t step, int64_t count);
  // to = exp(x - lse) factor - shift weight. A null `weight` stands for ones.
  void (*softmax_scaled)(const T* x, T lse, T factor, T shift, const T* weight, T* to, int64_t n);

  // --- sums; partial sums are added in double
  // The mean, and the sum of squared distances from it.
  void (*moments)(const T* x, int64_t n, double* mean, double* squares);
  void (*sum_of_squares)(const T* x, int64_t n, double* sum);
  // The sums of dy and of dy (x - mean).
  void (*gradient_sums)(const T* dy, const T* x, T mean, int64_t n, double* plain, double* by_x);

  // --- a line with scalar parameters: out = x scale + shift; to = dy a + (x - mean) b + c
  void (*affine)(const T* x, T scale, T shift, T* out, int64_t n);
  void (*affine_backward)(const T* dy, const T* x, T mean, T a, T b, T c, T* to, int64_t n);
  // --- a line with a weight and a bias for each element, either of which may be null
  // out = (x - mean) rstd weight + bias
  void (*normalize)(const T* x, T mean, T rstd, const T* weight, const T* bias, T* out, int64_t n);
  // The sums of g = dy weight and of g (x - mean) rstd.
  void (*normalized_sums)(const T* dy, const T* x, T mean, T rstd, const T* weight, int64_t n, double* plain,
                          double* by_x);
  // to = rstd (g - a - (x - mean) rstd b)
  void (*normalize_backward)(const T* dy, const T* x, T mean, T rstd, const T* weight, T a, T b, T* to, int64_t n);
  // weights += dy (x - mean) rstd, biases += dy; either may be null.
  void (*add_parameters)(const T* dy, const T* x, T mean, T rstd, T* weights, T* biases, int64_t n);

  // --- columns of a dense matrix, over `rows` rows of `count` columns, with stride `step`
  void (*column_sums)(const T* x, int64_t rows, int64_t step, int64_t count, T* sums);
  void (*column_squares)(const T* x, const T* mean, int64_t rows, int64_t step, int64_t count, T* sums);
  void (*column_gradient_sums)(const T* dy, const T* x, const T* mean, int64_t rows, int64_t step, int64_t count,
                               T* plain, T* by_x);
  // One row: out = x scale + shift; to = dy a + (x - mean) b + c
  void (*affine_each)(const T* x, const T* scale, const T* shift, T* out, int64_t n);
  void (*affine_each_backward)(const T* dy, const T* x, const T* mean, const T* a, const T* b, const T* c, T* to,
                               int64_t n);
};
struct RowLoopsOfFloats {
  RowLoops<float> floats;
  RowLoops<double> doubles;
};

namespace row_loops {
TNP_DECLARE_LOOPS(RowLoopsOfFloats, loops)
const RowLoopsOfFloats& chosen();
template <class T>
const RowLoops<T>& of() {
  if constexpr (sizeof(T) == 4)
    return chosen().floats;
  else
    return chosen().doubles;
}
}  // namespace row_loops

}  // namespace tnp
