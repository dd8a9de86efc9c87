// Guard that sets the calling thread's default device for a scope.
#pragma once

#include "aten/core/devices/device.h"

namespace tnp {

// During the guard's lifetime new arrays of this thread are made on `device`, a GPU. A composite
// operator's intermediate arrays are thus on the same device as its arguments.
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
