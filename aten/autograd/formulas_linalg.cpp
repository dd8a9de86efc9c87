#include "aten/autograd/formulas_linalg.h"

#include <algorithm>
#include <cmath>

#include "aten/autograd/formulas_pointwise.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/fft.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"

namespace tnp::formulas {

Tensor times(const Tensor& grad, const Scalar& factor) {
  if (!factor.is_complex() && factor.to<double>() == 1) return grad;
  if (!factor.is_complex()) return mul(grad, wrapped_number(factor));
  const auto c = factor.to<Complex<double>>();
  return mul(grad, wrapped_number(Scalar(Complex<double>(c.re, -c.im))));
}

Tensor matmul_input_backward(const Tensor& grad, int64_t input_dim, const Tensor& other) {
  if (other.dim() == 1) {  // the result lacks the column axis, and each row of the gradient is a multiple of `other`
    return mul(unsqueeze(grad, -1), conjugated(other));
  }
  Tensor g = input_dim == 1 ? unsqueeze(grad, -2) : grad;
  Tensor result = matmul(g, adjoint(other));
  return input_dim == 1 ? squeeze(result, IntList{-2}) : result;
}

Tensor matmul_other_backward(const Tensor& grad, const Tensor& input, int64_t other_dim) {
  if (input.dim() == 1) {
    Tensor row = conjugated(input);
    if (other_dim == 1) return mul(grad, row);
    return mul(unsqueeze(row, -1), unsqueeze(grad, -2));
  }
  Tensor g = other_dim == 1 ? unsqueeze(grad, -1) : grad;
  Tensor result = matmul(adjoint(input), g);
  return other_dim == 1 ? squeeze(result, IntList{-1}) : result;
}

// The transform is y_k = sum_j x_j w^jk for k <= n/2. The gradients of the omitted values (k > n/2)
// are zero.
Tensor fft_r2c_backward(const Tensor& grad, int64_t n, int64_t dim, double scale) {
  return real(fft_c2c(fft_resize(grad, dim, n), dim, false, scale));
}

// Each input contributes twice, for itself and for its conjugate. Exceptions are the first input
// and, for even n, the middle one, which contribute once.
Tensor fft_c2r_backward(const Tensor& grad, int64_t dim, double scale) {
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

// The norm is not differentiable at zero. The gradient there is 0, which is one of the
// subgradients.
Tensor vector_norm_backward(const Tensor& grad0, const Tensor& input, double ord, OptIntList dim, bool keepdim,
                            const Tensor& result0) {
  if (ord == 0) return Tensor();
  Tensor grad = grad0, result = result0;
  if (!keepdim && input.dim() > 0) {
    DimVector dims = dim ? wrap_dims(*dim, input.dim()) : DimVector(static_cast<size_t>(input.dim()));
    if (!dim)
      for (size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<int64_t>(i);
    std::sort(dims.begin(), dims.end());
    for (int64_t d : dims) grad = unsqueeze(grad, d), result = unsqueeze(result, d);
  }
  const Tensor zero = wrapped_number(0.0), one = wrapped_number(1.0);
  if (ord == 1) return mul(grad, sign(input));
  Tensor safe = where(eq(result, zero), one, result);  // avoids division by 0 in both derivatives
  if (ord == 2) return mul(input, div(where(eq(result, zero), zero, grad), safe));
  if (std::isinf(ord)) {
    Tensor reached = cast(eq(abs(input), result), result.dtype());
    DimVector dims;
    for (int64_t d = 0; d < input.dim(); ++d)
      if (result.size(d) == 1 && input.size(d) != 1) dims.push_back(d);
    Tensor ties = dims.empty() ? reached : sum(reached, IntList(dims), true, std::nullopt);
    return mul(sign(input), mul(reached, div(grad, ties)));
  }
  Tensor size = abs(input), ratio = div(where(eq(size, zero), one, size), safe);
  Tensor slope = where(eq(size, zero), zero, pow(ratio, wrapped_number(ord - 1)));
  return mul(sign(input), mul(slope, where(eq(result, zero), zero, grad)));
}

}  // namespace tnp::formulas
