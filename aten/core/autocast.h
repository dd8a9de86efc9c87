// State of automatic mixed precision in the calling thread: on which types of devices operators
// cast their operands, and to which dtype. Each operator's rule is the key `autocast` of its entry
// in native_functions.yaml; aten/autograd/autocast.h applies it.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"
#include "aten/core/numbers/dtype.h"

namespace tnp {

// How an operator's floating-point operands are cast, except those of float64.
enum class AutocastRule : uint8_t {
  Inner,           // not at all; the operators that a composite calls follow their own rules
  None,            // not at all, neither here nor in the operators that it calls
  LowerPrecision,  // to the dtype of the device's state
  Float32,
  Float32Result,  // not cast: the argument `dtype` becomes float32 if it is not given
  Widest,         // to float32 if one of them is of float32, else to the dtype of the device's state
};

struct AutocastState {
  uint8_t devices = 0;  // bit 1 << type of each device type on which operators cast
  bool is_cache_enabled = true;
  ScalarType dtypes[2] = {ScalarType::BFloat16, ScalarType::Float16};  // of the CPU, of GPUs
  int32_t nesting = 0;                                                 // number of regions that the thread is in
};
TNP_API extern thread_local constinit AutocastState autocast_state;

inline bool is_autocast_on() { return autocast_state.devices != 0; }

// RAII guard: operators cast on no device.
class NoAutocastGuard {
 public:
  NoAutocastGuard() : saved_(autocast_state.devices) { autocast_state.devices = 0; }
  ~NoAutocastGuard() { autocast_state.devices = saved_; }
  NoAutocastGuard(const NoAutocastGuard&) = delete;
  NoAutocastGuard& operator=(const NoAutocastGuard&) = delete;
  // Whether they did on this type of device, before.
  bool had(int device_type) const { return (saved_ >> device_type & 1) != 0; }

 private:
  const uint8_t saved_;
};

}  // namespace tnp
