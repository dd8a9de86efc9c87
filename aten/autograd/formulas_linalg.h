// Helpers of the derivative formulas of matrix products, linear algebra and Fourier transforms.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// --- products
// d(A B) = dA B + A dB, so grad A = G B^H and grad B = A^H G; a 1-d operand has its absent axis put back first.
TNP_API Tensor matmul_input_grad(const Tensor& grad, const Tensor& input, const Tensor& other);
TNP_API Tensor matmul_other_grad(const Tensor& grad, const Tensor& input, const Tensor& other);

}  // namespace tnp::formulas
