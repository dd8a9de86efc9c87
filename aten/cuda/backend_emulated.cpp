// Backend of the emulated device (docs/cuda.md, "Without a GPU"): two small GPUs in host memory.
// All work is executed at once, in the calling thread.
#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "aten/core/memory/poison.h"
#include "aten/cuda/backend.h"
#include "aten/cuda/emulation.h"

namespace tnp::gpu {

namespace {

constexpr int kDevices = 2;
constexpr size_t kMemory = size_t{512} << 20;  // memory per device; small, so that tests can exhaust it
constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;
// Bytes after each block that AddressSanitizer guards.
constexpr size_t kGap = kAddressSanitizer ? 64 : 0;

// Memory of all devices, one after the other.
class Memory {
 public:
  static Memory& instance() {
    static Memory* self = new Memory;  // never destroyed: arrays may outlive every static object
    return *self;
  }

  void* allocate(int device, size_t bytes) {
    std::lock_guard lock(mutex_);
    const size_t wanted = (bytes + kGap + kPage - 1) / kPage * kPage;
    for (auto& [start, length] : free_[device]) {
      if (length < wanted) continue;
      void* data = base_ + start;
      const size_t rest = length - wanted, at = start;
      free_[device].erase(at);
      if (rest > 0) free_[device][at + wanted] = rest;
      used_[at] = wanted;
      unpoison(data, bytes);
      return data;
    }
    return nullptr;
  }
  void free(void* data) {
    std::lock_guard lock(mutex_);
    const auto start = static_cast<size_t>(static_cast<char*>(data) - base_);
    const size_t length = used_.at(start);
    used_.erase(start);
    poison(data, length);
    auto& list = free_[start / kMemory];
    auto place = list.emplace(start, length).first;
    if (auto next = std::next(place); next != list.end() && place->first + place->second == next->first) {
      place->second += next->second;
      list.erase(next);
    }
    if (place != list.begin()) {
      if (auto before = std::prev(place); before->first + before->second == place->first) {
        before->second += place->second;
        list.erase(place);
      }
    }
  }
  size_t left(int device) {
    std::lock_guard lock(mutex_);
    size_t bytes = 0;
    for (auto& [start, length] : free_[device]) bytes += length;
    return bytes;
  }

  void open() {
    std::lock_guard lock(mutex_);
    if (open_++ == 0) mprotect(base_, kDevices * kMemory, PROT_READ | PROT_WRITE);
  }
  void close() {
    std::lock_guard lock(mutex_);
    if (--open_ == 0) mprotect(base_, kDevices * kMemory, PROT_NONE);
  }

 private:
  Memory() {
    constexpr size_t kBytes = kDevices * kMemory;
    void* mapped = mmap(nullptr, kBytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TNP_CHECK(mapped != MAP_FAILED, ErrorKind::Memory, "no address space for the emulated device");
    base_ = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(mapped) + kHugePage - 1) / kHugePage * kHugePage);
    // open() and close() visit every page that was ever touched. With small pages that would cost
    // milliseconds per launch.
    madvise(base_, kBytes, MADV_HUGEPAGE);
    poison(base_, kDevices * kMemory);
    for (size_t d = 0; d < kDevices; ++d) free_[d][d * kMemory] = kMemory;
  }

  std::mutex mutex_;
  char* base_;
  std::map<size_t, size_t> free_[kDevices], used_;  // maps from start to length
  int open_ = 0;
};

thread_local int current = 0;

using Clock = std::chrono::steady_clock;
struct Event {
  Clock::time_point time;
};
Event* event_of(EventHandle e) { return reinterpret_cast<Event*>(e); }

}  // namespace

// A captured graph: a list of functions, which the launching thread executes.
struct EmulatedGraph {
  std::vector<std::function<void()>> work;
  bool is_good = true;
};

namespace {

thread_local EmulatedGraph* captured = nullptr;

void refuse_in_graph(const char* what) {
  if (!captured) return;
  captured->is_good = false;
  TNP_RAISE(ErrorKind::Runtime, "CUDA: ", what, ": operation not permitted when stream is capturing");
}

}  // namespace

bool emulation::is_capturing() { return captured != nullptr; }
void emulation::add_to_graph(std::function<void()> work) { captured->work.push_back(std::move(work)); }

emulation::Access::Access() {
  refuse_in_graph("access to memory");
  Memory::instance().open();
}
emulation::Access::~Access() { Memory::instance().close(); }
void emulation::torch_np_emulation_open() {
  if (captured) captured->is_good = false;
  Memory::instance().open();
}
void emulation::torch_np_emulation_close() { Memory::instance().close(); }

bool emulation::backwards() {
  const char* mode = std::getenv("TORCH_NP_CUDA_EMULATED");
  return mode && std::string_view(mode) == "2";
}

namespace backend {

int device_count() { return kDevices; }
DeviceProperties properties(int device) { return {"emulated GPU " + std::to_string(device), kMemory, 0, 0, 1}; }
int current_device() { return current; }
void set_current_device(int device) {
  TNP_CHECK(device >= 0 && device < kDevices, ErrorKind::Runtime, "CUDA: choosing a device: invalid device ordinal");
  current = device;
}
void synchronize_device() { refuse_in_graph("waiting for a device"); }

void* allocate(size_t bytes) { return Memory::instance().allocate(current, bytes); }
void free(void* data) noexcept { Memory::instance().free(data); }
void memory_info(size_t& free, size_t& total) {
  free = Memory::instance().left(current);
  total = kMemory;
}
void* allocate_host(size_t bytes) { return std::malloc(bytes); }
void free_host(void* data) noexcept { std::free(data); }

void copy(void* to, const void* from, size_t bytes, Copy kind, StreamHandle) {
  if (captured && kind == Copy::WithinDevice)
    return emulation::add_to_graph([=] { copy(to, from, bytes, Copy::WithinDevice, 0); });
  emulation::Access access;
  std::memmove(to, from, bytes);
}
void copy_between(void* to, int, const void* from, int, size_t bytes, StreamHandle) {
  emulation::Access access;
  std::memmove(to, from, bytes);
}
void check_launch() {}

StreamHandle new_stream(int) { return reinterpret_cast<StreamHandle>(new char); }
void delete_stream(StreamHandle stream) noexcept { delete reinterpret_cast<char*>(stream); }
bool is_done(StreamHandle) {
  refuse_in_graph("state of a stream");
  return true;
}
void synchronize(StreamHandle) { refuse_in_graph("waiting for a stream"); }

EventHandle new_event(bool) { return reinterpret_cast<EventHandle>(new Event{Clock::now()}); }
void delete_event(EventHandle event) noexcept { delete event_of(event); }
void record(EventHandle event, StreamHandle) { event_of(event)->time = Clock::now(); }
void wait(StreamHandle, EventHandle) {}
bool event_is_done(EventHandle) { return true; }
void synchronize_event(EventHandle) {}
double elapsed_milliseconds(EventHandle begin, EventHandle end) {
  return std::chrono::duration<double, std::milli>(event_of(end)->time - event_of(begin)->time).count();
}

void begin_capture(StreamHandle) {
  TNP_INTERNAL_ASSERT(!captured);
  captured = new EmulatedGraph;
}
GraphHandle end_capture(StreamHandle) noexcept {
  std::unique_ptr<EmulatedGraph> graph(std::exchange(captured, nullptr));
  return graph->is_good ? reinterpret_cast<GraphHandle>(graph.release()) : 0;
}
void launch_graph(GraphHandle graph, StreamHandle) {
  for (const auto& work : reinterpret_cast<EmulatedGraph*>(graph)->work) work();
}
void delete_graph(GraphHandle graph) noexcept { delete reinterpret_cast<EmulatedGraph*>(graph); }

}  // namespace backend
}  // namespace tnp::gpu
