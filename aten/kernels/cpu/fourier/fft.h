// In-place Fourier transforms on the CPU. The caller owns the tensors exclusively and gives up
// their contents.
#pragma once

#include <utility>

#include "aten/core/tensor.h"

namespace tnp::native {

// y_k = scale * sum_j x_j exp(-+ 2 pi i j k / n), with - if `forward`, in place. `x` is complex and
// has positive strides.
void fft_c2c_inplace_cpu(const Tensor& x, int64_t dim, bool forward, double scale);
// The n real values of an inverse transform, from the first n / 2 + 1 inputs. `input` is used as
// workspace.
Tensor fft_c2r_destroying_cpu(const Tensor& input, int64_t n, int64_t dim, double scale);
// Returns the first n / 2 + 1 frequencies along the last axis, and the tensor of all n frequencies
// that contains them; fft_unfold_half_cpu fills in the rest. The second tensor is undefined if the
// first has memory of its own. That is the case if the rows would begin at multiples of a page,
// because the columns of such rows conflict in the cache.
std::pair<Tensor, Tensor> fft_r2c_to_unfold_cpu(const Tensor& input, double scale);
// Returns all n frequencies along the last axis of a real transform over that axis and `dims`.
// `half` holds the first n / 2 + 1; the remaining ones are the conjugates at negative frequencies.
// `all` is the second result of fft_r2c_to_unfold_cpu.
Tensor fft_unfold_half_cpu(const Tensor& half, const Tensor& all, int64_t n, const DimVector& dims);

}  // namespace tnp::native
