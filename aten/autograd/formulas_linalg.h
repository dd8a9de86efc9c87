// Helpers of the derivative formulas of matrix products, linear algebra and Fourier transforms.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// --- products
// d(A B) = dA B + A dB, so grad A = G B^H and grad B = A^H G; a 1-d operand has its absent axis put back first.
TNP_API Tensor matmul_input_grad(const Tensor& grad, const Tensor& input, const Tensor& other);
TNP_API Tensor matmul_other_grad(const Tensor& grad, const Tensor& input, const Tensor& other);

// --- Fourier transforms: the adjoint of a transform is the unscaled inverse
TNP_API Tensor fft_r2c_grad(const Tensor& grad, int64_t n, int64_t dim, double scale);
TNP_API Tensor fft_c2r_grad(const Tensor& grad, int64_t dim, double scale);

// --- factorisations. G: gradient; undefined for results that nothing depends on.
TNP_API Tensor adjoint(const Tensor& t);  // conjugate transpose of the last two axes
TNP_API Tensor solve_input_grad(const Tensor& grad, const Tensor& input, const Tensor& result);
TNP_API Tensor inv_grad(const Tensor& grad, const Tensor& result);
TNP_API Tensor det_grad(const Tensor& grad, const Tensor& input, const Tensor& result);
TNP_API Tensor slogdet_grad(const Tensor& grad_sign, const Tensor& grad_log, const Tensor& input, const Tensor& sign);
TNP_API Tensor cholesky_grad(const Tensor& grad, const Tensor& result, bool upper);
TNP_API Tensor qr_grad(const Tensor& grad_q, const Tensor& grad_r, int64_t rows, int64_t cols, bool complete,
                       const Tensor& q, const Tensor& r);
TNP_API Tensor svd_grad(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh, const Tensor& u,
                        const Tensor& s, const Tensor& vh);
TNP_API Tensor eigh_grad(const Tensor& grad_w, const Tensor& grad_v, const Tensor& w, const Tensor& v, bool upper);
TNP_API Tensor eig_grad(const Tensor& grad_w, const Tensor& grad_v, const Tensor& w, const Tensor& v);
TNP_API Tensor vector_norm_grad(const Tensor& grad, const Tensor& input, double ord, OptIntList dim, bool keepdim,
                                const Tensor& result);

}  // namespace tnp::formulas
