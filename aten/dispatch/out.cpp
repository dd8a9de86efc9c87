#include "aten/dispatch/out.h"

#include "aten/core/array_bytes.h"
#include "aten/core/device_runtime.h"
#include "aten/core/promotion.h"
#include "aten/core/thread_state.h"
#include "aten/iterator/copy.h"

namespace tnp {

void resize_memory(const Tensor& self, IntList size) {
  const int64_t bytes = bytes_of(size, self.dtype());
  TensorImpl& impl = *self.impl();
  const int64_t offset = impl.data - impl.storage->data();
  if (bytes > 0 && bytes > static_cast<int64_t>(impl.storage->bytes()) - offset) {
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
}

void fit_empty_out(const Tensor& out, IntList size) {
  if (out.numel() == 0 && out.sizes() != size && dialect().face() == Face::Torch) resize_memory(out, size);
}

void check_out(const Tensor& out, IntList sizes, ScalarType dtype, Device device) {
  check_writeable(out, "{out}");
  if (TNP_UNLIKELY(out.numel() == 0)) fit_empty_out(out, sizes);
  TNP_CHECK(out.sizes() == sizes, ErrorKind::Shape, "{out} has wrong shape: ", out.sizes(), " instead of ", sizes);
  TNP_CHECK(can_cast(dtype, out.dtype(), Casting::SameKind), ErrorKind::Casting, "Cannot cast output from dtype('",
            dtype, "') to dtype('", out.dtype(), "') with casting rule 'same_kind'");
  if (out.device() != device) raise_devices_differ(device, out.device());
}

}  // namespace tnp
