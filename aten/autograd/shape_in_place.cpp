// In-place shape changes: the tensor becomes a view of its own memory.
#include "aten/native_functions/shape_in_place.h"
#include "aten/autograd/variable.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/shape.h"

namespace tnp::native {

namespace {

// Note [Another shape in place] `make` creates a view of `self`. Then `self` takes over the view's
// shape and its position in the graph: the new grad_fn of `self` is the view's node, which leads to
// the old grad_fn of `self`. Saved references to `self` no longer have the old shape, so the
// version is bumped as for a change of memory.
template <class F>
const Tensor& become(const Tensor& self, F&& make) {
  const bool requires_grad = compute_requires_grad(self);
  check_inplace(self, requires_grad);
  const Tensor view = make(self);
  if (requires_grad) {
    const intrusive_ptr<Node> node = grad_fn_of(view);
    const uint32_t output = autograd_meta(view)->output_nr;
    set_history_of(self, node, output);
    if (self.is_view()) autograd_meta(self)->view_version = autograd_meta(view)->view_version;
  }
  TensorImpl& impl = *self.impl();
  impl.data = view.address();
  impl.sizes = DimVector(view.sizes());
  impl.strides = DimVector(view.strides());
  impl.set_access(view.impl()->access());
  impl.refresh();
  self.bump_version();
  return self;
}

}  // namespace

const Tensor& t_(const Tensor& self) {
  return become(self, [](const Tensor& x) { return tnp::t(x); });
}
const Tensor& transpose_(const Tensor& self, int64_t dim0, int64_t dim1) {
  return become(self, [&](const Tensor& x) { return tnp::transpose(x, dim0, dim1); });
}
const Tensor& swapdims_(const Tensor& self, int64_t dim0, int64_t dim1) {
  return become(self, [&](const Tensor& x) { return tnp::transpose(x, dim0, dim1); });
}
const Tensor& swapaxes_(const Tensor& self, int64_t axis0, int64_t axis1) {
  return become(self, [&](const Tensor& x) { return tnp::transpose(x, axis0, axis1); });
}
const Tensor& squeeze_(const Tensor& self, OptIntList dim) {
  return become(self, [&](const Tensor& x) { return tnp::squeeze(x, dim); });
}
const Tensor& unsqueeze_(const Tensor& self, int64_t dim) {
  return become(self, [&](const Tensor& x) { return tnp::unsqueeze(x, dim); });
}
const Tensor& as_strided_(const Tensor& self, IntList size, IntList stride, std::optional<int64_t> storage_offset) {
  return become(self, [&](const Tensor& x) { return tnp::as_strided(x, size, stride, storage_offset); });
}

}  // namespace tnp::native
