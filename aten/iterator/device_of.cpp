#include "aten/iterator/device_of.h"

#include "aten/core/devices/device_runtime.h"

namespace tnp {

void check_device(const Tensor& t, Device device) {
  if (device.is_sparse()) raise_no_kernel(device);
  if (t.defined() && !goes_along(t, device)) raise_devices_differ(device, t.device());
}

}  // namespace tnp
