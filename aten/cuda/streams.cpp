#include "aten/cuda/streams.h"

#include <vector>

#include "aten/cuda/backend.h"
#include "aten/cuda/launch.h"

namespace tnp::gpu {

namespace {

// This thread's current streams, indexed by device. Devices beyond the end of the vector use the
// default stream.
thread_local std::vector<StreamHandle> streams;

}  // namespace

StreamHandle current_stream(int device) {
  const auto d = static_cast<size_t>(device);
  return d < streams.size() ? streams[d] : 0;
}

void set_current_stream(int device, StreamHandle stream) {
  const auto d = static_cast<size_t>(device);
  if (d >= streams.size()) streams.resize(d + 1, 0);
  streams[d] = stream;
}

DeviceGuard::DeviceGuard(int device) : before_(backend::current_device()), device_(device) {
  if (before_ != device_) backend::set_current_device(device_);
}
DeviceGuard::~DeviceGuard() {
  try {
    if (before_ != device_) backend::set_current_device(before_);
    // NOLINTNEXTLINE(bugprone-empty-catch)
    // The device was current before. Making it current again fails only if the driver is lost.
  } catch (const Error&) {
  }
}

void LaunchScope::check() const { backend::check_launch(); }

}  // namespace tnp::gpu
