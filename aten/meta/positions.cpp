// Shape functions of conversions between positions and coordinates, and of choose.
#include "aten/meta_functions/positions.h"
#include "aten/core/errors/shape_errors.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/index_mode.h"

namespace tnp::meta {

namespace {

// Broadcasts the tensors in `list` to `shape`, in `dtype`. Broadcast axes have stride 0.
void broadcast_all(OperandList& list, IntList shape, ScalarType dtype) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].dtype() != dtype) list.replace(i, native::dense_copy(list[i], dtype));
    if (list[i].sizes() == shape) continue;
    const Tensor t = list[i];
    const size_t own = t.sizes().size(), lead = shape.size() - own;
    DimVector strides(shape.size());
    for (size_t d = 0; d < own; ++d) strides[lead + d] = t.sizes()[d] == 1 ? 0 : t.strides()[d];
    list.replace(i, view_of(t, shape, strides, t.address()));
  }
}

DimVector common_shape(IntList first, const OperandList& list) {
  DimVector shape = first;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].sizes() != IntList(shape)) shape = broadcast_shapes(shape, list[i].sizes());
  }
  return shape;
}

}  // namespace

void coordinates(Outputs& outputs, Operand& positions, DimVector& shape, bool&) {
  positions = native::to_dense(positions, ScalarType::Int64);
  DimVector sizes;
  sizes.push_back(static_cast<int64_t>(shape.size()));
  for (const int64_t n : positions->sizes()) sizes.push_back(n);
  outputs.add(sizes, ScalarType::Int64);
}

void flat_positions(Outputs& outputs, OperandList& index, DimVector&, DimVector&, bool&) {
  const DimVector sizes = common_shape({}, index);
  broadcast_all(index, sizes, ScalarType::Int64);
  outputs.add(sizes, ScalarType::Int64);
}

void chosen(Outputs& outputs, Operand& input, OperandList& choices, int64_t&) {
  const DimVector sizes = common_shape(input->sizes(), choices);
  broadcast_all(choices, sizes, choices[0].dtype());
  if (input->sizes() == IntList(sizes)) {
    input = native::to_dense(input, ScalarType::Int64);
  } else {
    Tensor wide = empty_tensor(sizes, ScalarType::Int64, input->device());
    if (wide.numel() > 0) copy_into(wide, input);
    input = wide;
  }
  outputs.add(sizes, choices[0].dtype());
}

}  // namespace tnp::meta
