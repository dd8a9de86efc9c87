// The DeviceRuntime that this library registers, implemented with the backend.
#include <map>
#include <mutex>
#include <optional>

#include "aten/core/threads/parallel.h"
#include "aten/cuda/backend.h"
#include "aten/cuda/caching_allocator.h"
#include "aten/cuda/compiler/compiler.h"
#include "aten/cuda/fault.h"
#include "aten/cuda/library/graphs.h"
#include "aten/cuda/pinned_memory.h"
#include "aten/cuda/streams.h"
#include "aten/kernels/cuda/copying/cast.h"
#include "aten/kernels/cuda/fourier/fourier.h"

namespace tnp {

void register_cuda_kernels();  // generated

namespace gpu {
namespace {

class Runtime final : public DeviceRuntime {
 public:
  explicit Runtime(int devices) : devices_(devices), allocator_(devices) {}

  int device_count() override { return devices_; }
  DeviceProperties properties(int device) override { return backend::properties(checked(device)); }
  int current_device() override { return backend::current_device(); }
  void set_current_device(int device) override { backend::set_current_device(checked(device)); }
  void synchronize(int device) override {
    DeviceGuard guard(checked(device));
    LongWork wait;
    backend::synchronize_device();
    raise_fault(device);
  }

  Allocator& allocator() override { return allocator_; }
  CachingAllocator& memory() { return allocator_; }
  MemoryStatistics statistics(int device) override { return allocator_.statistics(checked(device)); }
  void reset_peak_statistics(int device) override { allocator_.reset_peak(checked(device)); }
  void empty_cache() override {
    allocator_.empty_cache();
    pinned_.empty_cache();
  }
  void memory_info(int device, uint64_t& free, uint64_t& total) override {
    DeviceGuard guard(checked(device));
    size_t f = 0, t = 0;
    backend::memory_info(f, t);
    free = f;
    total = t;
  }
  Allocation allocate_pinned(size_t bytes) override { return pinned_.allocate(bytes); }
  void free_pinned(Allocation block) noexcept override { pinned_.free(block); }
  bool is_pinned(const void* data) override { return pinned_.holds(data); }

  void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes,
                  bool non_blocking) override {
    if (bytes == 0) return;
    const auto device = to_device.is_cpu() ? from_device.index : to_device.index;
    DeviceGuard guard(device);
    const StreamHandle stream = current_stream(device);
    if (!to_device.is_cpu() && !from_device.is_cpu() && to_device != from_device) {
      return copy_between(to, to_device.index, from, from_device.index, bytes, stream);
    }
    const auto kind = to_device.is_cpu()     ? backend::Copy::DeviceToHost
                      : from_device.is_cpu() ? backend::Copy::HostToDevice
                                             : backend::Copy::WithinDevice;
    backend::copy(to, from, bytes, kind, stream);
    if (kind == backend::Copy::WithinDevice) return;
    if (non_blocking)
      pinned_.used_by(to_device.is_cpu() ? to : from, stream);
    else
      wait_for(stream), raise_fault(device);
  }

  void cast(const IterationPlan& plan) override { gpu::cast(plan); }

  StreamHandle current_stream(int device) override { return gpu::current_stream(checked(device)); }
  void set_current_stream(int device, StreamHandle stream) override {
    gpu::set_current_stream(checked(device), stream);
  }
  // Streams are pooled and never destroyed, because freed memory stays bound to its stream (Note
  // [Stream-ordered memory]).
  StreamHandle new_stream(int device, int priority) override {
    DeviceGuard guard(checked(device));
    std::lock_guard lock(mutex_);
    auto& pool = pools_[{device, priority}];
    if (pool.empty()) {
      StreamHandle stream = backend::new_stream(priority);
      priorities_[stream] = priority;
      return stream;
    }
    StreamHandle stream = pool.back();
    pool.pop_back();
    return stream;
  }
  void delete_stream(int device, StreamHandle stream) override {
    std::lock_guard lock(mutex_);
    if (auto known = priorities_.find(stream); known != priorities_.end())
      pools_[{device, known->second}].push_back(stream);
  }
  bool stream_is_done(int device, StreamHandle stream) override {
    DeviceGuard guard(checked(device));
    return backend::is_done(stream);
  }
  void synchronize_stream(int device, StreamHandle stream) override {
    DeviceGuard guard(checked(device));
    wait_for(stream);
    raise_fault(device);
  }
  void record_stream(const void* data, Device device, StreamHandle stream) override {
    allocator_.record_stream(data, device, stream);
  }

  EventHandle new_event(int device, bool timing) override {
    DeviceGuard guard(checked(device));
    return backend::new_event(timing);
  }
  void delete_event(EventHandle event) override { backend::delete_event(event); }
  void record_event(EventHandle event, int device, StreamHandle stream) override {
    DeviceGuard guard(checked(device));
    backend::record(event, stream);
  }
  void wait_event(int device, StreamHandle stream, EventHandle event) override {
    DeviceGuard guard(checked(device));
    backend::wait(stream, event);
  }
  bool event_is_done(EventHandle event) override { return backend::event_is_done(event); }
  void synchronize_event(EventHandle event) override {
    LongWork wait;
    backend::synchronize_event(event);
  }
  double elapsed_milliseconds(EventHandle begin, EventHandle end) override {
    return backend::elapsed_milliseconds(begin, end);
  }

 private:
  static void wait_for(StreamHandle stream) {
    if (backend::is_done(stream)) return;
    LongWork wait;  // releases the GIL, so that other Python threads can run
    backend::synchronize(stream);
  }
  int checked(int device) const {
    TNP_CHECK(device >= 0 && device < devices_, ErrorKind::Runtime, "there is no GPU ", device,
              ": the number of GPUs is ", devices_);
    return device;
  }

  // An event of the current device, deleted at the end of its scope.
  struct Event {
    EventHandle handle = backend::new_event(false);
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { backend::delete_event(handle); }
  };
  // The copy waits for the work already in the source's stream. Later work of that stream waits for
  // the copy, because the allocator may reuse the source's memory for that work.
  void copy_between(void* to, int to_device, const void* from, int from_device, size_t bytes, StreamHandle stream) {
    const StreamHandle source = gpu::current_stream(from_device);
    const Event copied;
    std::optional<Event> written;
    {
      DeviceGuard guard(from_device);
      written.emplace();
      backend::record(written->handle, source);
    }
    backend::wait(stream, written->handle);
    backend::copy_between(to, to_device, from, from_device, bytes, stream);
    backend::record(copied.handle, stream);
    DeviceGuard guard(from_device);
    backend::wait(source, copied.handle);
  }

  int devices_;
  CachingAllocator allocator_;
  PinnedMemory pinned_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::vector<StreamHandle>> pools_;  // streams not in use, by device and priority
  std::map<StreamHandle, int> priorities_;
};

}  // namespace
}  // namespace gpu
}  // namespace tnp

// Entry point: libtorch_np.so calls this after opening the library.
extern "C" TNP_API void torch_np_register_cuda() {
  using namespace tnp;
  const int devices = gpu::backend::device_count();
  if (devices == 0) return;
  register_cuda_kernels();
  gpu::register_fourier_plans(devices);
  gpu::register_compiler();
  // Never destroyed: arrays may outlive every static object.
  auto* runtime = new gpu::Runtime(devices);
  register_device_runtime(runtime);
  gpu::register_graphs(runtime->memory());
}
