// The current stream of each device, per thread. It is the default stream at first.
#pragma once

#include "aten/core/devices/device_runtime.h"

namespace tnp::gpu {

StreamHandle current_stream(int device);
void set_current_stream(int device, StreamHandle stream);

// Makes a device current while it lives.
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
