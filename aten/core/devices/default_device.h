// The calling thread's default device.
#pragma once

#include "aten/core/devices/device.h"

namespace tnp {

// Sets the device on which this thread creates new arrays, and returns the previous one. The CPU
// means the default device of the process.
TNP_API Device exchange_this_threads_device(Device device);

// During the guard's lifetime this thread creates new arrays on `device`, which must be a GPU. A
// composite operator's intermediate arrays are thus on the same device as its arguments.
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
