#include "aten/autograd/formulas_shape.h"

#include <algorithm>

#include "aten/autograd/view.h"
#include "aten/core/new_wrapped.h"

#include "aten/functions/shape.h"

namespace tnp::formulas {

Tensor permute_backward(const Tensor& grad, IntList dims) {
  DimVector inverse(dims.size());
  auto ndim = static_cast<int64_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    inverse[static_cast<size_t>(dims[i] < 0 ? dims[i] + ndim : dims[i])] = static_cast<int64_t>(i);
  return tnp::permute(grad, inverse);
}

Tensor roll_backward(const Tensor& grad, IntList shifts, OptIntList dims) {
  DimVector back, rest;  // -INT64_MIN is INT64_MAX and 1
  for (const int64_t s : shifts) {
    back.push_back(s == INT64_MIN ? INT64_MAX : -s);
    rest.push_back(s == INT64_MIN ? 1 : 0);
  }
  const Tensor out = tnp::roll(grad, back, dims);
  return std::ranges::count(shifts, INT64_MIN) > 0 ? tnp::roll(out, rest, dims) : out;
}

Tensor with_leading_axes(const Tensor& grad, IntList sizes) {
  if (static_cast<int64_t>(sizes.size()) <= grad.dim()) return grad;
  DimVector with(sizes);
  for (size_t d = 0, lead = sizes.size() - static_cast<size_t>(grad.dim()); d < sizes.size(); ++d)
    with[d] = d < lead ? 1 : grad.size(static_cast<int64_t>(d - lead));
  return tnp::reshape(grad, with);
}

std::vector<Tensor> cat_backward(const Tensor& grad, TensorList tensors, int64_t dim) {
  std::vector<Tensor> out;
  int64_t start = 0, axis = dim < 0 ? dim + grad.dim() : dim;
  for (const Tensor& t : tensors) {
    // torch_np: cat() accepts an empty 1-d tensor at any position in the list and skips it.
    if (t.dim() != grad.dim()) {
      out.emplace_back();
      continue;
    }
    out.push_back(tnp::slice(grad, axis, start, t.size(axis), 1));
    start += t.size(axis);
  }
  return out;
}

Tensor as_strided_backward(const Tensor& grad, const Tensor& input, IntList size, IntList stride,
                           std::optional<int64_t> storage_offset) {
  // storage_offset counts from the start of the storage; view offsets count from the first element
  // of `input`.
  int64_t offset = storage_offset ? *storage_offset - innermost_part(input).storage_offset() : 0;
  DimVector view_stride(stride);
  TNP_CHECK(
      !may_overlap(input.sizes(), input.strides()), ErrorKind::NotImplemented,
      "the gradient of as_strided() of a tensor whose elements share memory is not implemented; clone() it first");
  TNP_CHECK(grad.sizes() == size, ErrorKind::Internal, "a gradient has another shape than its tensor");
  return tnp::restride(grad, view_stride, offset, input.sizes(), input.strides(), 0);
}

}  // namespace tnp::formulas
