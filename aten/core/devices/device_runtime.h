// DeviceRuntime: the engine's interface to a device other than the CPU: memory, copies, streams.
//
// Note [Other devices] libtorch_np.so contains no CUDA code. The first use of CUDA (`_cuda()`,
// `device='cuda'`, torch_np.cuda.is_available()) opens libtorch_np_cuda.so from the folder of
// libtorch_np.so, if the system has a driver. That library registers a DeviceRuntime here and its
// kernels in the operators' descriptors (aten/cuda_kernels/<family>.h, aten/cuda_tables.cpp). CPU
// code cannot touch the memory of another device:
//
// * Tensor::data() raises NotImplemented; views and plans use Tensor::address().
// * Iterator::for_each() raises it too; device kernels use Iterator::plan().
// * The operator's dispatch detects a missing loop or kernel.
//
// So an operator is composed of other operators, or has a kernel for the device, or raises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aten/core/devices/device.h"
#include "aten/core/memory/allocator.h"

namespace tnp {

struct IterationPlan;  // aten/iterator/iterator.h

// Handles of the device's own library. 0 is the default stream.
using StreamHandle = uintptr_t;
using EventHandle = uintptr_t;

struct DeviceProperties {
  std::string name;
  uint64_t total_memory;
  int major, minor;  // of the compute capability
  int multiprocessors;
};

// Unless a function documents otherwise, it submits work to the current stream of the thread and of
// the device that holds the data.
class TNP_API DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  virtual int device_count() = 0;
  virtual DeviceProperties properties(int device) = 0;
  virtual int current_device() = 0;  // of the calling thread
  virtual void set_current_device(int device) = 0;
  // Waits for all streams of the device. Raises errors that occurred there, such as an index out of
  // bounds.
  virtual void synchronize(int device) = 0;

  virtual Allocator& allocator() = 0;
  virtual MemoryStatistics statistics(int device) = 0;
  virtual void reset_peak_statistics(int device) = 0;
  virtual void empty_cache() = 0;
  virtual void memory_info(int device, uint64_t& free, uint64_t& total) = 0;
  // Page-locked host memory that the device accesses directly, so that copies can be asynchronous.
  // `free_pinned` delays the release until copies that use the block have finished.
  virtual Allocation allocate_pinned(size_t bytes) = 0;
  virtual void free_pinned(Allocation block) noexcept = 0;
  virtual bool is_pinned(const void* data) = 0;

  // Copies to, from, within and between devices. Waits for completion unless `non_blocking` is
  // true; in that case the caller must wait.
  virtual void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes,
                          bool non_blocking) = 0;
  // output = input, cast. The plan has one output, one input and optionally a mask.
  virtual void cast(const IterationPlan& plan) = 0;

  virtual StreamHandle current_stream(int device) = 0;
  virtual void set_current_stream(int device, StreamHandle stream) = 0;
  virtual StreamHandle new_stream(int device, int priority) = 0;
  virtual void delete_stream(int device, StreamHandle stream) = 0;
  virtual bool stream_is_done(int device, StreamHandle stream) = 0;
  virtual void synchronize_stream(int device, StreamHandle stream) = 0;
  // Delays the reuse of `data`'s block until the work submitted to `stream` so far has finished.
  virtual void record_stream(const void* data, Device device, StreamHandle stream) = 0;

  virtual EventHandle new_event(int device, bool timing) = 0;
  virtual void delete_event(EventHandle event) = 0;
  virtual void record_event(EventHandle event, int device, StreamHandle stream) = 0;
  virtual void wait_event(int device, StreamHandle stream, EventHandle event) = 0;
  virtual bool event_is_done(EventHandle event) = 0;
  virtual void synchronize_event(EventHandle event) = 0;
  virtual double elapsed_milliseconds(EventHandle begin, EventHandle end) = 0;
};

// The CUDA runtime, loaded on first use; null if CUDA is unavailable.
TNP_API DeviceRuntime* device_runtime();
// The CUDA runtime if it is already loaded, otherwise null.
TNP_API DeviceRuntime* loaded_device_runtime();
// Raises Runtime, with the reason, if there is no runtime or it has no such device.
TNP_API DeviceRuntime& runtime_of(Device device);
// Loads the library of `device`, if it has one, which registers the kernels. Raises as runtime_of().
inline void require_runtime(Device device) {
  if (device.is_cuda()) runtime_of(device);
}
// The device of a new tensor: `device` or the default one, with its library.
inline Device required_device(const std::optional<Device>& device) {
  const Device place = device.value_or(default_device());
  require_runtime(place);
  return place;
}
// Called by the device library when it is loaded.
TNP_API void register_device_runtime(DeviceRuntime* runtime);

// Raises NotImplemented: `op` (default: the running operator) has no kernel for this device.
[[noreturn]] TNP_API TNP_COLD void raise_no_kernel(Device device, const char* op = nullptr);
// Raises NotImplemented: `op` (default: the running operator) reads values, and a Meta tensor has
// none.
[[noreturn]] TNP_API TNP_COLD void raise_no_data(const char* op = nullptr);
// Raises Runtime: two operands of the running operator are on different devices.
[[noreturn]] TNP_API TNP_COLD void raise_devices_differ(Device here, Device there);

}  // namespace tnp
