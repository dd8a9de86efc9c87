// Helpers of the derivative formulas of matrix products, norms and Fourier transforms.
#pragma once

#include "aten/core/numbers/scalar.h"
#include "aten/core/tensor.h"

namespace tnp::formulas {

// --- products
// grad * conj(factor), which is the gradient of x if the forward operator computed x * factor.
TNP_API Tensor times(const Tensor& grad, const Scalar& factor);
// d(A B) = dA B + A dB, so grad A = G B^H and grad B = A^H G. The missing axis of a 1-d operand is
// restored first.
TNP_API Tensor matmul_input_backward(const Tensor& grad, int64_t input_dim, const Tensor& other);
TNP_API Tensor matmul_other_backward(const Tensor& grad, const Tensor& input, int64_t other_dim);

// --- Fourier transforms: the adjoint of a transform is the unscaled inverse
TNP_API Tensor fft_r2c_backward(const Tensor& grad, int64_t n, int64_t dim, double scale);
TNP_API Tensor fft_c2r_backward(const Tensor& grad, int64_t dim, double scale);

TNP_API Tensor vector_norm_backward(const Tensor& grad, const Tensor& input, double ord, OptIntList dim, bool keepdim,
                                    const Tensor& result);

}  // namespace tnp::formulas
