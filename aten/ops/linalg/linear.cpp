// The operator bilinear, and the gradients of linear, which are composed of differentiable products
// and sums.
#include "aten/functions/linear.h"

#include "aten/core/containers/dim_vector.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/linear.h"
#include "aten/ops/operators.h"

namespace tnp::native {

std::tuple<Tensor, Tensor, Tensor> linear_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                                   std::span<const bool> output_mask) {
  const bool vector = weight.dim() == 1;
  const int64_t k = input.size(-1), n = vector ? 1 : weight.size(0),
                rows = k == 0 ? grad.numel() / std::max<int64_t>(n, 1) : input.numel() / k;
  const Tensor dy = grad.dim() == 2 && !vector ? grad : tnp::reshape(grad, {rows, n});
  auto conjugate = [](const Tensor& t) { return t.is_complex() ? tnp::conj(t) : t; };
  Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) {
    grad_input = tnp::matmul(dy, conjugate(vector ? tnp::unsqueeze(weight, 0) : weight));
    if (input.dim() != 2) grad_input = tnp::reshape(grad_input, input.sizes());
  }
  if (output_mask[1]) {
    const Tensor x = input.dim() == 2 ? input : tnp::reshape(input, {rows, k});
    grad_weight = tnp::matmul(tnp::transpose(dy, 0, 1), conjugate(x));
    if (vector) grad_weight = tnp::reshape(grad_weight, {k});
  }
  if (output_mask[2])
    grad_bias =
        vector ? tnp::sum(grad, std::nullopt, false, std::nullopt) : tnp::sum(dy, DimVector{0}, false, std::nullopt);
  return {grad_input, grad_weight, grad_bias};
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
  TNP_CHECK(weight.dim() == 3, ErrorKind::Shape, "{weight} must be of shape (out, in1, in2), got ", weight.sizes());
  TNP_CHECK(input1.dim() > 0 && input1.dim() == input2.dim(), ErrorKind::Shape, "{input1} of shape ", input1.sizes(),
            " and {input2} of shape ", input2.sizes(), " must have as many dimensions, at least one");
  for (int64_t d = 0; d + 1 < input1.dim(); ++d) {
    TNP_CHECK(input1.size(d) == input2.size(d), ErrorKind::Shape, "{input1} of shape ", input1.sizes(),
              " and {input2} of shape ", input2.sizes(), " differ before the last dimension");
  }
  const int64_t out = weight.size(0), first = weight.size(1), second = weight.size(2);
  TNP_CHECK(input1.size(-1) == first && input2.size(-1) == second, ErrorKind::Shape, "{input1} and {input2} end in ",
            input1.size(-1), " and ", input2.size(-1), ", but {weight} is of shape ", weight.sizes());
  TNP_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == out), ErrorKind::Shape, "{bias} must be of shape (",
            out, ",)");
  TNP_CHECK(input1.dtype() == weight.dtype() && input2.dtype() == weight.dtype() &&
                (!bias.defined() || bias.dtype() == weight.dtype()),
            ErrorKind::Dtype, "{input1}, {input2}, {weight} and {bias} must be of one dtype");
  int64_t rows = 1;
  DimVector sizes(input1.sizes());
  sizes.back() = out;
  for (size_t d = 0; d + 1 < sizes.size(); ++d) rows *= sizes[d];
  const Tensor w = tnp::reshape(tnp::permute(weight, DimVector{1, 0, 2}), {first, out * second});
  const Tensor half = tnp::reshape(tnp::matmul(tnp::reshape(input1, {rows, first}), w), {rows, out, second});
  Tensor result = tnp::reshape(tnp::matmul(half, tnp::reshape(input2, {rows, second, 1})), sizes);
  return bias.defined() ? result + bias : result;
}

}  // namespace tnp::native
