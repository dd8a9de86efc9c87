#include "aten/dispatch/out.h"

#include "aten/core/device_runtime.h"
#include "aten/core/promotion.h"

namespace tnp {

void check_out(const Tensor& out, IntList sizes, ScalarType dtype, Device device) {
  check_writeable(out, "{out}");
  TNP_CHECK(out.sizes() == sizes, ErrorKind::Shape, "{out} has wrong shape: ", out.sizes(), " instead of ", sizes);
  TNP_CHECK(can_cast(dtype, out.dtype(), Casting::SameKind), ErrorKind::Casting, "Cannot cast output from dtype('",
            dtype, "') to dtype('", out.dtype(), "') with casting rule 'same_kind'");
  if (out.device() != device) raise_devices_differ(device, out.device());
}

}  // namespace tnp
