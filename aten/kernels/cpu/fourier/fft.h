// Transforms of the CPU that work in memory which the caller gives up: nobody else has the tensors that they are given.
#pragma once

#include <utility>

#include "aten/core/tensor.h"

namespace tnp::native {

// y_k = scale * sum_j x_j exp(-+ 2 pi i j k / n), - if `forward`, in place. `x` is complex and has positive strides.
void fft_c2c_inplace_cpu(const Tensor& x, int64_t dim, bool forward, double scale);
// The n real values of an inverse transform whose first n / 2 + 1 inputs are given; `input` is used as workspace.
Tensor fft_c2r_destroying_cpu(const Tensor& input, int64_t n, int64_t dim, double scale);
// The first n / 2 + 1 frequencies along the last axis, of which fft_unfold_half_cpu is to make all n; and the tensor of
// all n that they lie in: undefined where they have one of their own, because columns of rows that begin at multiples
// of a page have few places in the cache.
std::pair<Tensor, Tensor> fft_r2c_to_unfold_cpu(const Tensor& input, double scale);
// All n frequencies along the last axis, of a transform of real numbers over that axis and `dims`, whose first n / 2 +
// 1 are in `half`: the others are the conjugates of those of negative frequency. `all`: see fft_r2c_to_unfold_cpu.
Tensor fft_unfold_half_cpu(const Tensor& half, const Tensor& all, int64_t n, const DimVector& dims);

}  // namespace tnp::native
