#include "aten/core/devices/device.h"

#include <atomic>
#include <charconv>
#include <utility>

#include "aten/core/devices/default_device.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/memory/inference.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

std::string to_string(Device device) {
  if (device.is_cpu()) return "cpu";
  if (device.is_meta()) return "meta";
  if (device.is_sparse()) return "sparse";
  if (device.is_wrapped()) return "wrapped";
  std::string out = "cuda:";
  append(out, static_cast<int64_t>(device.index));
  return out;
}

Device parse_device(std::string_view text) {
  std::string_view name = text.substr(0, text.find(':'));
  int index = -1;
  bool known = name == "cpu" || name == "cuda" || name == "meta";
  if (name.size() < text.size()) {
    std::string_view digits = text.substr(name.size() + 1);
    auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    known = known && status == std::errc() && end == digits.data() + digits.size() && index >= 0 && index < 128;
  }
  if (!known && dialect().errors_are_numpys())
    TNP_RAISE(ErrorKind::Value, "Device not understood. Only \"cpu\" is allowed, but received: ", text,
              " (beyond NumPy, 'cuda', 'cuda:<index>' and 'meta' are)");
  TNP_CHECK(known, ErrorKind::Runtime, "'", text,
            "' is not a device: expected 'cpu', 'cuda', 'cuda:<index>' or 'meta'");
  if (name == "cpu") return {};
  if (name == "meta") return {DeviceType::Meta, 0};
  if (index < 0) index = loaded_device_runtime() ? loaded_device_runtime()->current_device() : 0;
  return {DeviceType::CUDA, static_cast<int8_t>(index)};
}

namespace {
std::atomic<Device> default_device_{Device{}};
thread_local constinit Device this_threads_default{};  // the CPU means: use the process-wide default
}  // namespace

// Defined beside another short variable, since the memory of threads is scarce (thread_object.h).
thread_local constinit bool inference_mode = false;

Device default_device() {
  return this_threads_default.is_cpu() ? default_device_.load(std::memory_order_relaxed) : this_threads_default;
}
void set_default_device(Device device) {
  if (device.is_cuda()) runtime_of(device);  // raises if there is none
  default_device_.store(device, std::memory_order_relaxed);
}

Device exchange_this_threads_device(Device device) {
  if (device.is_cuda()) runtime_of(device);  // raises if there is none
  return std::exchange(this_threads_default, device);
}

DefaultDeviceGuard::DefaultDeviceGuard(Device device) : before_(this_threads_default) { this_threads_default = device; }
DefaultDeviceGuard::~DefaultDeviceGuard() { this_threads_default = before_; }

}  // namespace tnp
