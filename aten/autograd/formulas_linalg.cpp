#include "aten/autograd/formulas_linalg.h"

#include "aten/functions.h"

namespace tnp::formulas {

namespace {

Tensor conj_if_complex(const Tensor& t) { return t.is_complex() ? conj(t) : t; }
Tensor transposed(const Tensor& t) { return transpose(t, -2, -1); }
Tensor adjoint(const Tensor& t) { return conj_if_complex(transposed(t)); }

}  // namespace

Tensor matmul_input_grad(const Tensor& grad, const Tensor& input, const Tensor& other) {
  if (other.dim() == 1) {  // the result lacks the axis of columns; every entry of it took a multiple of `other`
    return mul(unsqueeze(grad, -1), conj_if_complex(other));
  }
  Tensor g = input.dim() == 1 ? unsqueeze(grad, -2) : grad;
  Tensor result = matmul(g, adjoint(other));
  return input.dim() == 1 ? squeeze(result, -2) : result;
}

Tensor matmul_other_grad(const Tensor& grad, const Tensor& input, const Tensor& other) {
  if (input.dim() == 1) {
    Tensor row = conj_if_complex(input);
    if (other.dim() == 1) return mul(grad, row);
    return mul(unsqueeze(row, -1), unsqueeze(grad, -2));
  }
  Tensor g = other.dim() == 1 ? unsqueeze(grad, -1) : grad;
  Tensor result = matmul(adjoint(input), g);
  return other.dim() == 1 ? squeeze(result, -1) : result;
}

}  // namespace tnp::formulas
