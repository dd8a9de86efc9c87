#include "aten/dispatch/device_of.h"

#include "aten/core/device_runtime.h"

namespace tnp {

void check_device(const Tensor& t, Device device) {
  const bool is_number = t.defined() && t.device().is_cpu() && t.dim() == 0;  // the kernel takes it along
  if (t.defined() && t.device() != device && !is_number) raise_devices_differ(device, t.device());
}

}  // namespace tnp
