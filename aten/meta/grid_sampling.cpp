// Shape functions of sampling images at grid points.
#include "aten/meta_functions/grid_sampling.h"
#include "aten/iterator/memory_format.h"

namespace tnp::meta {

namespace {

DimVector check(Operand& input, Operand& grid, int64_t interpolation_mode, int64_t padding_mode) {
  TNP_CHECK(is_floating(input->dtype()), ErrorKind::NotImplemented, "not implemented for ", input->dtype());
  TNP_CHECK(input->dtype() == grid->dtype(), ErrorKind::Dtype, "{input} of ", input->dtype(), " and {grid} of ",
            grid->dtype(), " must have the same dtype");
  const IntList in = input->sizes(), places = grid->sizes();
  TNP_CHECK((in.size() == 4 || in.size() == 5) && places.size() == in.size(), ErrorKind::Shape, "{input} of shape ", in,
            " and {grid} of shape ", places, " must both have 4 or both have 5 dimensions");
  TNP_CHECK(in[0] == places[0], ErrorKind::Shape,
            "expected {grid} and {input} to have same batch size, got {input} of shape ", in, " and {grid} of shape ",
            places);
  TNP_CHECK(places.back() == static_cast<int64_t>(in.size()) - 2, ErrorKind::Shape, "{grid} of shape ", places,
            " has a last dimension of ", places.back(), ", not ", static_cast<int64_t>(in.size()) - 2);
  for (size_t d = 2; d < in.size(); ++d)
    TNP_CHECK(in[d] > 0, ErrorKind::Shape, "{input} of shape ", in, " has no pixels");
  TNP_CHECK(interpolation_mode >= 0 && interpolation_mode <= 2 && padding_mode >= 0 && padding_mode <= 2,
            ErrorKind::Runtime, "{interpolation_mode} ", interpolation_mode, " or {padding_mode} ", padding_mode,
            " is not from 0 to 2");
  const ScalarType dtype = compute_type(input->dtype());
  DimVector sizes{in[0], in[1]};
  sizes.append(IntList(places.subspan(1, places.size() - 2)));
  input = to_format(input, dtype, false);
  grid = to_format(grid, dtype, false);
  return sizes;
}

}  // namespace

void grid_sample_nd(Outputs& outputs, Operand& input, Operand& grid, int64_t& interpolation_mode, int64_t& padding_mode,
                    bool&) {
  const ScalarType given = input->dtype();
  const DimVector sizes = check(input, grid, interpolation_mode, padding_mode);
  outputs.add(sizes, given).computed_in(input->dtype());
}

void grid_sample_backward(Outputs& outputs, Operand& grad, Operand& input, Operand& grid, int64_t& interpolation_mode,
                          int64_t& padding_mode, bool&, std::span<const bool> wanted) {
  const ScalarType given = input->dtype();
  const DimVector sizes = check(input, grid, interpolation_mode, padding_mode);
  TNP_CHECK(grad->sizes() == IntList(sizes), ErrorKind::Shape, "{grad_output} of shape ", grad->sizes(),
            " must have the result's shape ", IntList(sizes));
  grad = to_format(grad, input->dtype(), false);
  const Tensor* operands[] = {&*input, &*grid};
  for (size_t i = 0; i < 2; ++i) {
    if (wanted[i])
      outputs.add(operands[i]->sizes(), given).computed_in(input->dtype());
    else
      outputs.add_none();
  }
}

}  // namespace tnp::meta
