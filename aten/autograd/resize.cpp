// Tensors that take another size, which no graph may remember.
#include "aten/autograd/variable.h"
#include "aten/iterator/copy.h"
#include "aten/native_functions/attributes.h"

namespace tnp::native {

const Tensor& resize_(const Tensor& self, IntList size) {
  TNP_CHECK(!self.requires_grad(), ErrorKind::Runtime, "cannot resize variables that require grad");
  check_untracked(self, "resize_()");
  const int64_t numel = numel_of(size);
  TensorImpl& impl = *self.impl();
  const int64_t offset = impl.data - impl.storage->data(), bytes = numel * self.itemsize();
  if (numel > 0 && offset + bytes > static_cast<int64_t>(impl.storage->bytes())) {
    const Tensor fresh = empty_tensor(size, self.dtype(), self.device());
    const int64_t kept = (static_cast<int64_t>(impl.storage->bytes()) - offset) / self.itemsize();
    if (kept > 0) {
      const DimVector line{kept}, step{1};
      copy_into(view_of(fresh, line, step, fresh.address()), view_of(self, line, step, self.address()));
    }
    impl.storage = fresh.impl()->storage;
    impl.data = fresh.address();
    impl.base = nullptr;
  }
  impl.sizes = size;
  impl.strides = contiguous_strides(size);
  impl.refresh();
  return self;
}

const Tensor& resize_as_(const Tensor& self, const Tensor& the_template) {
  return native::resize_(self, the_template.sizes());
}

}  // namespace tnp::native
