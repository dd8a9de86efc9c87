// conv1d, conv2d, conv3d and their transposed variants. Handles inputs without a batch axis,
// padding by name ("same"), and complex tensors, which are convolved as pairs of real tensors. Also
// the second derivatives of convolutions.
#include "aten/functions/convolution.h"

#include "aten/core/errors/shape_errors.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/padding.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/transcendental.h"
#include "aten/native_functions/convolution.h"
#include "aten/ops/operators.h"

namespace tnp {

namespace native {
namespace {

struct Options {
  IntList stride, padding, dilation;
  bool transposed;
  IntList output_padding;
  int64_t groups;
};

Tensor convolved(const Tensor& input, const Tensor& weight, const Tensor& bias, const Options& o) {
  return tnp::convolution(input, weight, bias, o.stride, o.padding, o.dilation, o.transposed, o.output_padding,
                          o.groups);
}

// Computes (a + bi)(c + di), where each product is a convolution of real tensors.
Tensor complex_convolved(const Tensor& input, const Tensor& weight, const Tensor& bias, const Options& o) {
  TNP_CHECK(input.dtype() == weight.dtype() && (!bias.defined() || bias.dtype() == input.dtype()), ErrorKind::Dtype,
            "{input} of ", input.dtype(), " and {weight} of ", weight.dtype(), " must have the same dtype");
  const Tensor a = tnp::real(input), b = tnp::imag(input), c = tnp::real(weight), d = tnp::imag(weight);
  const Tensor none;
  const Tensor real = convolved(a, c, none, o) - convolved(b, d, none, o);
  const Tensor imaginary = convolved(a, d, none, o) + convolved(b, c, none, o);
  Tensor out = tnp::complex(real, imaginary);
  if (!bias.defined()) return out;
  DimVector shape(static_cast<size_t>(out.dim()), 1);
  shape[1] = bias.size(0);
  return out + tnp::reshape(bias, shape);
}

// A convolution over `n` spatial axes.
Tensor convolve(int64_t n, const Tensor& input, const Tensor& weight, const Tensor& bias, const Options& o) {
  TNP_CHECK(weight.dim() == n + 2, ErrorKind::Shape, "{weight} of shape ", weight.sizes(), " does not have ", n + 2,
            " dimensions");
  TNP_CHECK(input.dim() == n + 2 || input.dim() == n + 1, ErrorKind::Shape, "Expected ", n + 1, "D (unbatched) or ",
            n + 2, "D (batched) {input} to ", o.transposed ? "conv_transpose" : "conv", n,
            "d, but got input of size: ", AsList{input.sizes()});
  const bool batched = input.dim() == n + 2;
  const Tensor x = batched ? input : tnp::unsqueeze(input, 0);
  const Tensor y = input.is_complex() ? complex_convolved(x, weight, bias, o) : convolved(x, weight, bias, o);
  return batched ? y : tnp::squeeze(y, IntList{0});
}

Tensor convolve_by_name(int64_t n, const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                        std::string_view padding, IntList dilation, int64_t groups) {
  if (padding == "valid") return convolve(n, input, weight, bias, {stride, {0}, dilation, false, {}, groups});
  TNP_CHECK(padding == "same", ErrorKind::Runtime, "{padding} is '", padding, "', neither 'valid' nor 'same'");
  for (int64_t s : stride)
    TNP_CHECK(s == 1, ErrorKind::Runtime, "{padding}='same' takes a {stride} of 1, not ", stride);
  TNP_CHECK(weight.dim() == n + 2 && (input.dim() == n + 2 || input.dim() == n + 1), ErrorKind::Shape,
            "{input} of shape ", input.sizes(), " and {weight} of shape ", weight.sizes(), " do not fit ", n,
            " spatial dimensions");
  TNP_CHECK(dilation.size() == 1 || dilation.size() == static_cast<size_t>(n), ErrorKind::Shape, "{dilation} ",
            dilation, " must have ", n, " numbers");
  // If the total padding of an axis is odd, the end gets one more.
  DimVector before, after(static_cast<size_t>(2 * n));
  bool uneven = false;
  for (int64_t d = 0; d < n; ++d) {
    const int64_t total =
        (dilation.size() == 1 ? dilation[0] : dilation[static_cast<size_t>(d)]) * (weight.size(2 + d) - 1);
    before.push_back(total / 2);
    after[static_cast<size_t>(2 * (n - 1 - d) + 1)] = total % 2;
    uneven |= total % 2 != 0;
  }
  const Tensor padded = uneven ? tnp::constant_pad_nd(input, after, Scalar(0)) : input;
  return convolve(n, padded, weight, bias, {stride, before, dilation, false, {}, groups});
}

}  // namespace

#define TNP_CONVOLUTION(n)                                                                                          \
  Tensor conv##n##d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, \
                    IntList dilation, int64_t groups) {                                                             \
    return convolve(n, input, weight, bias, {stride, padding, dilation, false, {}, groups});                        \
  }                                                                                                                 \
  Tensor conv##n##d_padding(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,          \
                            std::string_view padding, IntList dilation, int64_t groups) {                           \
    return convolve_by_name(n, input, weight, bias, stride, padding, dilation, groups);                             \
  }                                                                                                                 \
  Tensor conv_transpose##n##d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,        \
                              IntList padding, IntList output_padding, int64_t groups, IntList dilation) {          \
    return convolve(n, input, weight, bias, {stride, padding, dilation, true, output_padding, groups});             \
  }
TNP_CONVOLUTION(1)
TNP_CONVOLUTION(2)
TNP_CONVOLUTION(3)
#undef TNP_CONVOLUTION

// The three results of convolution_backward are bilinear in `grad` and the inputs. Each is
// differentiated by replacing one factor with the incoming gradient.
std::tuple<Tensor, Tensor, Tensor> convolution_double_backward(const Tensor& grad_input, const Tensor& grad_weight,
                                                               const Tensor& grad_bias, const Tensor& grad,
                                                               const Tensor& input, const Tensor& weight,
                                                               IntList stride, IntList padding, IntList dilation,
                                                               bool transposed, IntList output_padding, int64_t groups,
                                                               std::span<const bool> output_mask) {
  const Options o{stride, padding, dilation, transposed, output_padding, groups};
  Tensor to_grad, to_input, to_weight;
  auto add = [](Tensor& sum, const Tensor& t) { sum = sum.defined() ? sum + t : t; };
  auto backward = [&](const Tensor& x, const Tensor& w, std::array<bool, 3> wanted) {
    return tnp::convolution_backward(grad, x, w, stride, padding, dilation, transposed, output_padding, groups, wanted);
  };
  if (output_mask[0]) {
    if (grad_input.defined()) add(to_grad, convolved(grad_input, weight, {}, o));
    if (grad_weight.defined()) add(to_grad, convolved(input, grad_weight, {}, o));
    if (grad_bias.defined()) {
      DimVector shape(static_cast<size_t>(grad.dim()), 1);
      shape[1] = grad.size(1);
      add(to_grad, tnp::broadcast_to(tnp::reshape(grad_bias, shape), grad.sizes()));
    }
  }
  if (output_mask[1] && grad_weight.defined())
    to_input = std::get<0>(backward(input, grad_weight, {true, false, false}));
  if (output_mask[2] && grad_input.defined())
    to_weight = std::get<1>(backward(grad_input, weight, {false, true, false}));
  return {to_grad, to_input, to_weight};
}

}  // namespace native

}  // namespace tnp
