// One-dimensional Fourier transforms of all lines of a tensor along one axis.
#pragma once

#include "aten/core/containers/function_ref.h"
#include "aten/core/tensor.h"

namespace tnp {

enum class Fourier : uint8_t { Complex, RealToComplex, ComplexToReal };

// Transforms each line of `in` along `dim` into `out`: y_k = scale * sum_j x_j exp(-+ 2 pi i j k /
// n), with - if `forward`. Real numbers are transformed forward, to the first n / 2 + 1 values, and
// backward from them. ComplexToReal may use `in` as workspace. The tensors have the same sizes
// except along `dim` and any positive strides. `out` may have more elements along `dim` than are
// written. Complex transforms may work in place (out = in).
TNP_API void transform_lines(Fourier kind, bool forward, double scale, int64_t n, const Tensor& in, const Tensor& out,
                             int64_t dim);

// Like transform_lines() above, and calls after(line, count) while `count` just written lines of
// `out` are in the cache. The first of these lines begins at `line`. The distance between them is
// the stride of the fastest axis other than `dim`. `dim` must be the last axis.
void transform_lines(Fourier kind, bool forward, double scale, int64_t n, const Tensor& in, const Tensor& out,
                     int64_t dim, function_ref<void(char* line, int64_t count)> after);

// A new tensor with the sizes of `like`, except n along `dim`.
inline Tensor with_length(const Tensor& like, int64_t dim, int64_t n, ScalarType dtype) {
  DimVector sizes(like.sizes());
  sizes[static_cast<size_t>(dim)] = n;
  return empty_tensor(sizes, dtype, like.device());
}

}  // namespace tnp
