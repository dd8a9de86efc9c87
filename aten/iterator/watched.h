// Which operators report floating-point errors: Note [Floating-point errors].
#pragma once

#include "aten/core/devices/device.h"
#include "aten/core/errors/floating_point_errors.h"

namespace tnp {

// The name under which an operator on `device` is watched: only the CPU has flags to watch.
inline const char* watched_on(Device device, const char* operation) { return device.is_cpu() ? operation : nullptr; }
inline bool wants_floating_point_errors(Device device) { return device.is_cpu() && wants_floating_point_errors(); }

}  // namespace tnp
