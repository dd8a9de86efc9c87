// Interface to device graphs (CUDA graphs): device work captured once and launched many times.
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
  // Returns the graph's memory to the allocator, after all launches have finished. Blocks that
  // arrays still use become ordinary allocations.
  virtual ~DeviceGraph() = default;
  // Launches in the device's current stream. Launches in different streams do not wait for each
  // other.
  virtual void launch() = 0;
};

class DeviceGraphs {
 public:
  // Calls `work` and captures the work it submits to the device's current stream instead of running
  // it. Each launch reads and writes the addresses used now. The graph owns the device memory
  // allocated by `work` for its whole lifetime. Returns null if `work` raised an Error or did
  // something a graph cannot capture: a wait, or a copy to or from the host.
  virtual std::unique_ptr<DeviceGraph> capture(Device device, function_ref<void()> work) = 0;

 protected:
  ~DeviceGraphs() = default;
};

// CUDA's implementation once its library is loaded, otherwise null.
TNP_API DeviceGraphs* device_graphs();
TNP_API void register_device_graphs(DeviceGraphs* graphs);

}  // namespace tnp
