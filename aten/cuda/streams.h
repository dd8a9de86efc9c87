// The current stream of each device, per thread. Initially, that is the default stream.
#pragma once

#include "aten/core/devices/device_runtime.h"

namespace tnp::gpu {

StreamHandle current_stream(int device);
void set_current_stream(int device, StreamHandle stream);

// RAII scope in which a device is current.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_, device_;
};

}  // namespace tnp::gpu
