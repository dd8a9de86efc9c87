// Helpers of the derivative formulas of matrix factorisations.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// An argument that is the gradient of an unused result is undefined.
TNP_API Tensor solve_input_backward(const Tensor& grad, const Tensor& input, const Tensor& result);
TNP_API Tensor inv_backward(const Tensor& grad, const Tensor& result);
TNP_API Tensor pinv_backward(const Tensor& grad, const Tensor& input, const Tensor& result);
TNP_API Tensor det_backward(const Tensor& grad, const Tensor& input, const Tensor& result);
TNP_API Tensor slogdet_backward(const Tensor& grad_sign, const Tensor& grad_log, const Tensor& input,
                                const Tensor& sign);
TNP_API Tensor cholesky_backward(const Tensor& grad, const Tensor& result, bool upper);
TNP_API Tensor lu_factor_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots);
TNP_API Tensor solve_triangular_backward(const Tensor& grad, const Tensor& a, const Tensor& result, bool upper,
                                         bool unitriangular);
TNP_API Tensor qr_backward(const Tensor& grad_q, const Tensor& grad_r, int64_t rows, int64_t cols, bool complete,
                           const Tensor& q, const Tensor& r);
TNP_API Tensor svd_backward(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh, const Tensor& u,
                            const Tensor& s, const Tensor& vh);
TNP_API Tensor eigh_backward(const Tensor& grad_w, const Tensor& grad_v, const Tensor& w, const Tensor& v, bool upper);
TNP_API Tensor eig_backward(const Tensor& grad_w, const Tensor& grad_v, const Tensor& w, const Tensor& v);

}  // namespace tnp::formulas
