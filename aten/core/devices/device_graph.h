// Work of a device that is recorded once and then given to it as a whole, again and again: CUDA's graphs.
#pragma once

#include <memory>

#include "aten/core/containers/function_ref.h"
#include "aten/core/devices/device.h"
#include "aten/core/macros.h"

namespace tnp {

class DeviceGraph {
 public:
  DeviceGraph() = default;
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;
  // Memory that arrays still hold is the allocator's again, after all launches are done.
  virtual ~DeviceGraph() = default;
  // Into the current stream of the device. Launches in several streams do not wait for each other.
  virtual void launch() = 0;
};

class DeviceGraphs {
 public:
  // Calls `work`. What it gives to the current stream of the device is not computed, but becomes the graph; it reads
  // and writes where it does now at each launch. Memory of the device that it takes is nobody else's as long as the
  // graph lives. Null where work raised an Error, or did what no graph holds: it waited, or copied from or to the host.
  virtual std::unique_ptr<DeviceGraph> capture(Device device, function_ref<void()> work) = 0;

 protected:
  ~DeviceGraphs() = default;
};

// Of CUDA, once its library is loaded, or null.
TNP_API DeviceGraphs* device_graphs();
TNP_API void register_device_graphs(DeviceGraphs* graphs);

}  // namespace tnp
