// Shape functions of indexing with integer arrays: see Note [Index arrays].
#include "aten/core/devices/device_runtime.h"
#include "aten/core/shapes.h"
#include "aten/iterator/overlap.h"
#include "aten/kernels/index_geometry.h"
#include "aten/meta/device_dtypes.h"
#include "aten/meta_functions/indexing.h"
#include "aten/meta_functions/scatter.h"

namespace tnp::meta {

namespace {

// The shape of the elements that the indices select from an array of shape `sizes`. Sets
// `position`, and copies CPU scalar indices to the device.
DimVector chosen(const Outputs& outputs, IntList sizes, OperandList& indices, int64_t& position) {
  const IndexGeometry geometry = index_geometry(sizes, indices, position);
  position = geometry.position;
  if (TNP_UNLIKELY(!outputs.device().is_cpu())) {
    for (size_t i = 0; i < indices.size(); ++i) {
      const Tensor& index = indices[i];
      if (index.defined() && index.device() != outputs.device())
        indices.replace(i, native::dense_copy(index, index.dtype(), outputs.device()));
    }
  }
  return indexed_shape(sizes, geometry);
}

void check_broadcasts(const Tensor& values, IntList shape) {
  TNP_CHECK(broadcasts_to(values.sizes(), shape), ErrorKind::Shape, "shape mismatch: value array of shape ",
            values.sizes(), " could not be broadcast to indexing result of shape ", shape);
}

// Broadcasts `values` to the indexed shape; they must be broadcastable.
void broadcast(Operand& values, IntList shape) {
  if (values->sizes() == shape) return;
  const size_t own = values->sizes().size(), lead = shape.size() - own;
  DimVector strides(shape.size());
  for (size_t d = 0; d < own; ++d) strides[lead + d] = values->sizes()[d] == 1 ? 0 : values->strides()[d];
  values = view_of(values, shape, strides, values->address());
}

}  // namespace

void index(Outputs& outputs, Operand& input, OperandList& indices, int64_t& position, int64_t&) {
  outputs.add(chosen(outputs, input->sizes(), indices, position), input->dtype());
}

void index_backward(Outputs& outputs, Operand& source, DimVector& size, OperandList& indices, int64_t& position) {
  const DimVector shape = chosen(outputs, size, indices, position);
  check_broadcasts(source, shape);
  bring_number(outputs, source);
  broadcast(source, shape);
  outputs.add(size, source->dtype());
}

namespace {

void prepare_put(Outputs& outputs, const Tensor& self, OperandList& indices, Operand& values, int64_t& position) {
  check_writeable(self, "assignment destination");
  if (self.device() != outputs.device()) raise_devices_differ(self.device(), outputs.device());
  const DimVector shape = chosen(outputs, self.sizes(), indices, position);
  check_broadcasts(values, shape);
  // The destination must not alias the indices or the values that are read.
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i].defined() && may_share_memory(indices[i], self))
      indices.replace(i, native::dense_copy(indices[i], indices[i].dtype(), self.device()));
  }
  if (values->dtype() != self.dtype() || values->device() != self.device() || may_share_memory(values, self))
    values = native::dense_copy(values, self.dtype(), self.device());
  broadcast(values, shape);
}

}  // namespace

void put_indexed_(Outputs& outputs, const Tensor& self, OperandList& indices, Operand& values, bool&, int64_t& position,
                  int64_t&) {
  prepare_put(outputs, self, indices, values, position);
}

void reduce_indexed_(Outputs& outputs, const Tensor& self, OperandList& indices, Operand& values,
                     std::string_view reduce, int64_t& position, int64_t&) {
  TNP_CHECK(reduce == "prod" || reduce == "amax" || reduce == "amin", ErrorKind::Value,
            "{reduce} must be 'prod', 'amax' or 'amin', not '", reduce, "'");
  TNP_CHECK(reduce == "prod" || !self.is_complex(), ErrorKind::Dtype, "'", reduce, "' is not defined for ",
            self.dtype());
  prepare_put(outputs, self, indices, values, position);
}

}  // namespace tnp::meta
