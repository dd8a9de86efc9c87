#include "aten/autograd/formulas_linalg.h"

#include "aten/functions/arithmetic.h"
#include "aten/functions/fft.h"
#include "aten/functions/products.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"

namespace tnp::formulas {

namespace {

Tensor conj_if_complex(const Tensor& t) { return t.is_complex() ? conj(t) : t; }
Tensor transposed(const Tensor& t) { return transpose(t, -2, -1); }

}  // namespace

Tensor adjoint(const Tensor& t) { return conj_if_complex(transposed(t)); }

Tensor matmul_input_grad(const Tensor& grad, const Tensor& input, const Tensor& other) {
  if (other.dim() == 1) {  // the result lacks the axis of columns; every entry of it took a multiple of `other`
    return mul(unsqueeze(grad, -1), conj_if_complex(other));
  }
  Tensor g = input.dim() == 1 ? unsqueeze(grad, -2) : grad;
  Tensor result = matmul(g, adjoint(other));
  return input.dim() == 1 ? squeeze(result, IntList{-2}) : result;
}

Tensor matmul_other_grad(const Tensor& grad, const Tensor& input, const Tensor& other) {
  if (input.dim() == 1) {
    Tensor row = conj_if_complex(input);
    if (other.dim() == 1) return mul(grad, row);
    return mul(unsqueeze(row, -1), unsqueeze(grad, -2));
  }
  Tensor g = other.dim() == 1 ? unsqueeze(grad, -1) : grad;
  Tensor result = matmul(adjoint(input), g);
  return other.dim() == 1 ? squeeze(result, IntList{-1}) : result;
}

// y_k = sum_j x_j w^jk for k <= n/2 only: the gradients of the values left out are zero.
Tensor fft_r2c_grad(const Tensor& grad, int64_t n, int64_t dim, double scale) {
  return real(fft_c2c(fft_resize(grad, dim, n), dim, false, scale));
}

// Every input but the first, and the middle one of an even n, counts twice: for itself and for its conjugate.
Tensor fft_c2r_grad(const Tensor& grad, int64_t dim, double scale) {
  int64_t n = grad.size(dim), half = n / 2 + 1;
  Tensor result = fft_r2c(grad, dim, scale);
  Tensor weight = empty_tensor({half}, to_real(result.dtype()), grad.device());
  fill_with(weight, Scalar(2));
  fill_with(narrow(weight, 0, 0, 1), Scalar(1));
  if (n % 2 == 0) fill_with(narrow(weight, 0, half - 1, 1), Scalar(1));
  DimVector sizes(static_cast<size_t>(grad.dim()), 1);
  sizes[static_cast<size_t>(wrap_dim(dim, grad.dim()))] = half;
  return mul(result, reshape(weight, sizes));
}

}  // namespace tnp::formulas
