// Tensors that take another size, which no graph may remember.
#include "aten/autograd/variable.h"
#include "aten/dispatch/out.h"
#include "aten/native_functions/attributes.h"

namespace tnp::native {

const Tensor& resize_(const Tensor& self, IntList size) {
  TNP_CHECK(!self.requires_grad(), ErrorKind::Runtime, "cannot resize variables that require grad");
  check_untracked(self, "resize_()");
  resize_memory(self, size, contiguous_strides(size));
  return self;
}

const Tensor& resize_as_(const Tensor& self, const Tensor& the_template) {
  return native::resize_(self, the_template.sizes());
}

}  // namespace tnp::native
