// The default device of one thread, for a while.
#pragma once

#include "aten/core/devices/device.h"

namespace tnp {

// New arrays of this thread go to `device`, which is a GPU, while it lives: what a composition makes besides its
// arguments lies beside them.
class TNP_API DefaultDeviceGuard {
 public:
  explicit DefaultDeviceGuard(Device device);
  ~DefaultDeviceGuard();
  DefaultDeviceGuard(const DefaultDeviceGuard&) = delete;
  DefaultDeviceGuard& operator=(const DefaultDeviceGuard&) = delete;

 private:
  Device before_;
};

}  // namespace tnp
