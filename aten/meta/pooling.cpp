// Shape functions of max pooling with indices. Callers have checked the windows.
#include "aten/meta_functions/pooling.h"
#include "aten/iterator/memory_format.h"

namespace tnp::meta {

namespace {

// Checks that two tensors have the same planes (the first two axes).
void check_planes(const Tensor& input, const Tensor& indices) {
  TNP_CHECK(indices.dtype() == ScalarType::Int64, ErrorKind::Dtype, "{indices} must have dtype int64, got ",
            indices.dtype());
  TNP_CHECK(
      input.dim() >= 2 && indices.dim() >= 2 && input.size(0) == indices.size(0) && input.size(1) == indices.size(1),
      ErrorKind::Shape, "{input} of shape ", input.sizes(), " and {indices} of shape ", indices.sizes(),
      " must have the same planes");
}

}  // namespace

void max_pool_windows(Outputs& outputs, Operand& input, DimVector& output_size, int64_t& kind, DimVector&, DimVector&,
                      DimVector&, DimVector&, Operand& samples) {
  const ScalarType dtype = input->dtype();
  TNP_CHECK(!is_complex(dtype) && !is_bool(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  TNP_CHECK(kind >= 0 && kind <= 2, ErrorKind::Value, "{kind} must be 0, 1 or 2, got ", kind);
  TNP_CHECK(input->sizes().size() == output_size.size() + 2, ErrorKind::Shape, "{input} of shape ", input->sizes(),
            " is not of {output_size} ", IntList(output_size));
  TNP_CHECK(kind == 0 || is_floating(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  // A volume without a batch has been given a batch axis, whose stride says nothing.
  const bool is_one_volume = input->dim() == 5 && input->size(0) == 1;
  const bool last = kind != 2 && (prefers_channels_last(input) ||
                                  (is_one_volume && !input->is_contiguous() && is_channels_last(input)));
  input = to_format(input, dtype, last);
  if (samples->defined()) {
    const int64_t axes = static_cast<int64_t>(output_size.size());
    TNP_CHECK(samples->numel() == input->size(0) * input->size(1) * axes, ErrorKind::Shape,
              "Expect _random_samples of ", axes, " numbers for each plane of {input} of shape ", input->sizes(),
              ", but they have shape ", samples->sizes());
    samples = to_format(samples, ScalarType::Float64, false);
  }
  DimVector sizes{input->size(0), input->size(1)};
  sizes.append(output_size);
  Output& values = outputs.add(sizes, dtype);
  if (last) values.strides = channels_last_strides(sizes);
  Output& indices = outputs.add(sizes, ScalarType::Int64);
  if (last) indices.strides = channels_last_strides(sizes);
}

void scatter_planes(Outputs& outputs, Operand& input, Operand& indices, DimVector& size, bool&) {
  TNP_CHECK(input->sizes() == indices->sizes(), ErrorKind::Shape, "{input} of shape ", input->sizes(),
            " and {indices} of shape ", indices->sizes(), " differ");
  check_planes(input, indices);
  TNP_CHECK(size.size() >= 2 && size[0] == input->size(0) && size[1] == input->size(1), ErrorKind::Shape, "{size} ",
            IntList(size), " is not of the planes of {input} of shape ", input->sizes());
  input = to_format(input, input->dtype(), false);
  indices = to_format(indices, ScalarType::Int64, false);
  outputs.add(size, input->dtype());
}

void gather_planes(Outputs& outputs, Operand& input, Operand& indices) {
  check_planes(input, indices);
  input = to_format(input, input->dtype(), false);
  indices = to_format(indices, ScalarType::Int64, false);
  outputs.add(indices->sizes(), input->dtype());
}

}  // namespace tnp::meta
