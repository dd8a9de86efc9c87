// DeviceRuntime: what the engine asks of a device other than the CPU: memory, copies, streams.
//
// Note [Other devices] libtorch_np.so knows nothing of CUDA. The first time that somebody asks for it (`_cuda()`,
// `device='cuda'`, torch_np.cuda.is_available()), and if the system has a driver, libtorch_np_cuda.so is opened, from
// the folder that libtorch_np.so is in. It registers a DeviceRuntime here, and its kernels in the descriptors of
// operators (aten/cuda_kernels/<family>.h, aten/cuda_tables.cpp). Code of the CPU cannot touch the memory of another
// device:
//
// * Tensor::data() raises NotImplemented; views and plans are made of Tensor::address().
// * Iterator::for_each() raises it too; kernels of a device take Iterator::plan().
// * A loop or kernel that a device has not is found missing where operators are dispatched.
//
// So an operator is either made of others, or has a kernel for the device, or raises.
#pragma once

#include <cstdint>
#include <string>

#include "aten/core/devices/device.h"
#include "aten/core/memory/allocator.h"

namespace tnp {

struct IterationPlan;  // aten/iterator/iterator.h

// Handles of the device's own library. 0 is its default stream.
using StreamHandle = uintptr_t;
using EventHandle = uintptr_t;

struct DeviceProperties {
  std::string name;
  uint64_t total_memory;
  int major, minor;  // of the compute capability
  int multiprocessors;
};

// Where not said otherwise, work is put into the current stream of the thread and of the device that the data is on.
class TNP_API DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  virtual int device_count() = 0;
  virtual DeviceProperties properties(int device) = 0;
  virtual int current_device() = 0;  // of this thread
  virtual void set_current_device(int device) = 0;
  // Waits for all streams of the device. Raises what went wrong there, such as an index out of bounds.
  virtual void synchronize(int device) = 0;

  virtual Allocator& allocator() = 0;
  virtual MemoryStatistics statistics(int device) = 0;
  virtual void reset_peak_statistics(int device) = 0;
  virtual void empty_cache() = 0;
  virtual void memory_info(int device, uint64_t& free, uint64_t& total) = 0;
  // Host memory that the device reads and writes by itself, so that copies need not wait. `free_pinned` keeps it until
  // copies that use it are done.
  virtual Allocation allocate_pinned(size_t bytes) = 0;
  virtual void free_pinned(Allocation block) noexcept = 0;
  virtual bool is_pinned(const void* data) = 0;

  // To, from, within and between devices. Waits until the bytes are there, unless `non_blocking` says that the caller
  // will.
  virtual void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes,
                          bool non_blocking) = 0;
  // One output, one input, maybe a mask: output = input, cast.
  virtual void cast(const IterationPlan& plan) = 0;

  virtual StreamHandle current_stream(int device) = 0;
  virtual void set_current_stream(int device, StreamHandle stream) = 0;
  virtual StreamHandle new_stream(int device, int priority) = 0;
  virtual void delete_stream(int device, StreamHandle stream) = 0;
  virtual bool stream_is_done(int device, StreamHandle stream) = 0;
  virtual void synchronize_stream(int device, StreamHandle stream) = 0;
  // Memory of `data`'s block may be handed out again only after what `stream` has been given so far is done.
  virtual void record_stream(const void* data, Device device, StreamHandle stream) = 0;

  virtual EventHandle new_event(int device, bool timing) = 0;
  virtual void delete_event(EventHandle event) = 0;
  virtual void record_event(EventHandle event, int device, StreamHandle stream) = 0;
  virtual void wait_event(int device, StreamHandle stream, EventHandle event) = 0;
  virtual bool event_is_done(EventHandle event) = 0;
  virtual void synchronize_event(EventHandle event) = 0;
  virtual double elapsed_milliseconds(EventHandle begin, EventHandle end) = 0;
};

// The runtime of CUDA, loaded if need be; null if there is none.
TNP_API DeviceRuntime* device_runtime();
// The one that has been loaded already, or null.
TNP_API DeviceRuntime* loaded_device_runtime();
// Raises Runtime, with the reason, if there is none or it has no such device.
TNP_API DeviceRuntime& runtime_of(Device device);
// Called by the library that has one.
TNP_API void register_device_runtime(DeviceRuntime* runtime);

// Raises NotImplemented: `op`, or what runs now, has no kernel for this device.
[[noreturn]] TNP_API TNP_COLD void raise_no_kernel(Device device, const char* op = nullptr);
// Raises NotImplemented: `op`, or what runs now, needs numbers, and the device `meta` has none.
[[noreturn]] TNP_API TNP_COLD void raise_no_data(const char* op = nullptr);
// Raises Runtime: one operand of what runs now is here, and another there.
[[noreturn]] TNP_API TNP_COLD void raise_devices_differ(Device here, Device there);

}  // namespace tnp
