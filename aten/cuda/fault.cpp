#include "aten/cuda/fault.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "aten/core/threads/thread_state.h"
#include "aten/cuda/backend.h"
#include "aten/cuda/streams.h"

namespace tnp::gpu {

namespace {

std::mutex mutex;
IndexFault* faults[128] = {};

// The error message of a fault; the same text as the CPU kernels'.
std::string text_of(const IndexFault& found) {
  const std::string index = std::to_string(found.index), size = std::to_string(found.size);
  switch (found.of) {
    case IndexFault::Of::Classes:
      return "Target " + index + " is out of bounds: there are " + size + " classes";
    case IndexFault::Of::Pivots:
      return "pivots must be from 1 to " + size + ", got " + index;
    default:
      if (found.size == 0 && !dialect().errors_are_numpys())
        return "index " + index + " is out of bounds for dimension with size 0";
      return "index " + index + " is out of bounds for " + (dialect().errors_are_numpys() ? "axis " : "dimension ") +
             std::to_string(found.axis) + " with size " + size;
  }
}

}  // namespace

bool checks_at_once() {
  static const bool set = [] {
    const char* text = std::getenv("TORCH_NP_CUDA_CHECK");
    return text && *text && std::string_view(text) != "0";
  }();
  return set;
}

IndexFault* fault_of(Device device) {
  std::lock_guard lock(mutex);
  IndexFault*& fault = faults[device.index];
  if (!fault) {
    const DeviceGuard guard(device.index);
    auto* made = static_cast<IndexFault*>(backend::allocate_host(sizeof(IndexFault)));
    TNP_CHECK(made, ErrorKind::Memory, "unable to allocate pinned memory");
    std::memset(made, 0, sizeof *made);
    made->written = static_cast<uint32_t*>(backend::allocate(sizeof(uint32_t)));
    TNP_CHECK(made->written, ErrorKind::Memory, "unable to allocate memory on cuda:", device.index);
    const StreamHandle stream = current_stream(device.index);
    backend::copy(made->written, &made->taken, sizeof made->taken, backend::Copy::HostToDevice, stream);
    backend::synchronize(stream);
    fault = made;
  }
  return fault;
}

void raise_fault(int device) {
  IndexFault found{};
  {
    std::lock_guard lock(mutex);
    volatile IndexFault* fault = faults[device];
    if (!fault || fault->found != 1) return;
    found = {1, fault->index, fault->axis, fault->size, fault->of, fault->kind, 0, nullptr};
    // Reset first: a fault reported between these two writes is lost, but later ones are reported.
    fault->found = 0;
    std::atomic_thread_fence(std::memory_order_release);
    fault->taken = fault->taken + 1;
  }
  TNP_RAISE(found.kind, text_of(found), " (found on cuda:", device,
            " by an earlier operation; TORCH_NP_CUDA_CHECK=1 reports it there)");
}

void check_fault(Device device) {
  if (!checks_at_once()) return;
  DeviceGuard guard(device.index);
  backend::synchronize(current_stream(device.index));
  raise_fault(device.index);
}

}  // namespace tnp::gpu
