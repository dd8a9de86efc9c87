// Shape functions of convolutions and their gradients: checks, and the layouts of kernel operands.
#include "aten/meta_functions/convolution.h"

#include <algorithm>
#include <string>

#include "aten/core/errors/shape_errors.h"
#include "aten/iterator/memory_format.h"

namespace tnp::meta {

namespace {

struct Shape {
  DimVector out;
  bool channels_last;
};

// Raises the error of a kernel that is larger than the padded input.
[[noreturn]] TNP_COLD void raise_too_small(IntList in, IntList weight, const DimVector& padding,
                                           const DimVector& dilation) {
  std::string sizes, kernel;
  for (size_t d = 0; d < padding.size(); ++d) {
    const char* between = d ? " x " : "";
    sizes += between + std::to_string(in[2 + d] + 2 * padding[d]);
    kernel += between + std::to_string(dilation[d] * (weight[2 + d] - 1) + 1);
  }
  TNP_RAISE(ErrorKind::Shape, "Calculated padded input size per channel: (", sizes, "). Kernel size: (", kernel,
            "). Kernel size can't be greater than actual input size");
}

// Checks all arguments, and expands lists to one number per spatial axis.
Shape check(Operand& input, Operand& weight, DimVector& stride, DimVector& padding, DimVector& dilation,
            bool transposed, DimVector& output_padding, int64_t groups) {
  const int64_t n = weight->dim() - 2;
  TNP_CHECK(n >= 1 && n <= 3, ErrorKind::Shape, "{weight} of shape ", weight->sizes(),
            " must have 3 to 5 dimensions: channels, channels, and 1 to 3 of the kernel");
  TNP_CHECK(input->dim() == n + 2, ErrorKind::Shape, "Expected ", n + 2, "-dimensional {input} for ", n + 2,
            "-dimensional {weight} ", AsList{weight->sizes()}, ", but got ", input->dim(),
            "-dimensional input of size ", AsList{input->sizes()}, " instead");
  auto spatial = [&](DimVector& list, const char* name, int64_t least, const char* otherwise) {
    if (list.size() == 1) list = DimVector(static_cast<size_t>(n), list[0]);
    TNP_CHECK(list.size() == static_cast<size_t>(n), ErrorKind::Shape, "{", name, "} ", IntList(list), " must have ", n,
              " numbers");
    for (int64_t v : list)
      TNP_CHECK(v >= least, ErrorKind::Runtime, otherwise, ", but got {", name, "} ", IntList(list));
  };
  spatial(stride, "stride", 1, "non-positive stride is not supported");
  spatial(padding, "padding", 0, "negative padding is not supported");
  spatial(dilation, "dilation", 1, "dilation should be greater than zero");
  if (output_padding.empty()) output_padding = {0};
  spatial(output_padding, "output_padding", 0, "negative output_padding is not supported");
  TNP_CHECK(groups >= 1, ErrorKind::Runtime, "non-positive groups is not supported, but got {groups} ", groups);
  TNP_CHECK(input->dtype() == weight->dtype(), ErrorKind::Dtype, "{input} of ", input->dtype(), " and {weight} of ",
            weight->dtype(), " must have the same dtype");
  TNP_CHECK(!is_complex(input->dtype()) && !is_bool(input->dtype()), ErrorKind::NotImplemented, "not implemented for ",
            input->dtype());
  TNP_CHECK(!transposed || is_floating(input->dtype()) || input->dtype() == ScalarType::Int64,
            ErrorKind::NotImplemented, "not implemented for ", input->dtype());
  const IntList in = input->sizes(), w = weight->sizes();
  TNP_CHECK(w[0] >= groups, ErrorKind::Shape, "Given groups=", groups, ", expected {weight} to be at least ", groups,
            " at dimension 0, but got weight of size ", AsList{w}, " instead");
  TNP_CHECK(w[0] % groups == 0, ErrorKind::Shape, "Given groups=", groups, ", expected {weight} to be divisible by ",
            groups, " at dimension 0, but got weight of size ", AsList{w}, " instead");
  const int64_t channels = transposed ? w[0] : w[1] * groups;
  TNP_CHECK(in[1] == channels, ErrorKind::Shape,
            transposed ? "Given transposed=1" : "Given groups=", transposed ? std::string() : std::to_string(groups),
            ", weight of size ", AsList{w}, ", expected input", AsList{in}, " to have ", channels,
            " channels, but got ", in[1], " channels instead");
  Shape shape;
  shape.out = {in[0], transposed ? w[1] * groups : w[0]};
  for (size_t d = 0; d < static_cast<size_t>(n); ++d) {
    const int64_t k = w[2 + d], size = in[2 + d];
    TNP_CHECK(k > 0, ErrorKind::Shape, "{weight} of shape ", w, " has a kernel of size 0");
    int64_t reach = 0, out = 0, longest = 0;  // longest: of the strides that kernels tell apart
    bool overflow = __builtin_mul_overflow(dilation[d], k - 1, &reach);
    if (transposed) {
      TNP_CHECK(size > 0 && w[1] > 0, ErrorKind::Shape, "{input} of shape ", in, " or {weight} of shape ", w,
                " is empty in other dimensions than the first");
      TNP_CHECK(output_padding[d] < stride[d] || output_padding[d] < dilation[d], ErrorKind::Runtime,
                "{output_padding} ", output_padding[d], " is not smaller than {stride} ", stride[d], " or {dilation} ",
                dilation[d]);
      overflow |= __builtin_mul_overflow(size - 1, stride[d], &out);
      for (const int64_t more : {reach, output_padding[d], int64_t{1}})
        overflow |= __builtin_add_overflow(out, more, &out);
      int64_t twice = 0;
      overflow |= __builtin_mul_overflow(padding[d], int64_t{2}, &twice);
      out -= overflow ? 0 : twice;
      longest = size == 1 ? std::max<int64_t>(out, 1) : stride[d];
    } else {
      int64_t padded = 0;
      overflow |= __builtin_mul_overflow(padding[d], int64_t{2}, &padded);
      overflow |= __builtin_add_overflow(padded, size, &padded);
      if (!overflow && padded <= reach) raise_too_small(in, w, padding, dilation);
      TNP_CHECK(size > 0 || in[0] == 0, ErrorKind::Shape, "{input} of shape ", in,
                " is empty in other dimensions than the first");
      out = overflow ? 0 : (padded - reach - 1) / stride[d] + 1;
      longest = padded;
    }
    TNP_CHECK(!overflow && out > 0, ErrorKind::Shape, "{input} of shape ", in,
              " gives a result that is too small or too large: ", out, " in dimension ", static_cast<int64_t>(2 + d));
    shape.out.push_back(out);
    // Kernels add to them. If there is one position, its stride may be the largest int64; if there
    // is one tap, its dilation may.
    stride[d] = std::min(stride[d], longest);
    if (k == 1) dilation[d] = 1;
  }
  shape.channels_last = prefers_channels_last(input) || prefers_channels_last(weight);
  return shape;
}

void lay_out(Output& output, bool channels_last) {
  if (channels_last) output.strides = channels_last_strides(output.sizes);
}

}  // namespace

void convolution(Outputs& outputs, Operand& input, Operand& weight, Operand& bias, DimVector& stride,
                 DimVector& padding, DimVector& dilation, bool& transposed, DimVector& output_padding,
                 int64_t& groups) {
  const Shape shape = check(input, weight, stride, padding, dilation, transposed, output_padding, groups);
  if (bias->defined()) {
    TNP_CHECK(bias->dim() == 1 && bias->size(0) == shape.out[1], ErrorKind::Shape, "Given weight of size ",
              AsList{weight->sizes()}, ", expected {bias} to be 1-dimensional with ", shape.out[1],
              " elements, but got bias of size ", AsList{bias->sizes()}, " instead");
    TNP_CHECK(bias->dtype() == input->dtype(), ErrorKind::Dtype, "{bias} of ", bias->dtype(),
              " must have {input}'s dtype ", input->dtype());
    bias = to_format(bias, bias->dtype(), false);
  }
  input = to_format(input, input->dtype(), shape.channels_last);
  if (!is_channels_last(weight)) weight = to_format(weight, weight->dtype(), false);
  lay_out(outputs.add(shape.out, input->dtype()), shape.channels_last);
}

void convolution_backward(Outputs& outputs, Operand& grad, Operand& input, Operand& weight, DimVector& stride,
                          DimVector& padding, DimVector& dilation, bool& transposed, DimVector& output_padding,
                          int64_t& groups, std::span<const bool> output_mask) {
  const Shape shape = check(input, weight, stride, padding, dilation, transposed, output_padding, groups);
  TNP_CHECK(grad->sizes() == IntList(shape.out), ErrorKind::Shape, "{grad_output} of shape ", grad->sizes(),
            " must have the result's shape ", IntList(shape.out));
  grad = to_format(grad, input->dtype(), shape.channels_last);
  input = to_format(input, input->dtype(), shape.channels_last);
  if (!is_channels_last(weight)) weight = to_format(weight, weight->dtype(), false);
  if (output_mask[0])
    lay_out(outputs.add(input->sizes(), input->dtype()), shape.channels_last);
  else
    outputs.add_none();
  if (output_mask[1])
    lay_out(outputs.add(weight->sizes(), input->dtype()), prefers_channels_last(weight));
  else
    outputs.add_none();
  if (output_mask[2])
    outputs.add({shape.out[1]}, input->dtype());
  else
    outputs.add_none();
}

}  // namespace tnp::meta
