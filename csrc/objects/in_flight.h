// Note [Calls in flight] A call reads its arrays repeatedly and may release the GIL in between.
// Another thread may then replace the memory of an array (ndarray.resize, Tensor.data,
// __setstate__). So the old memory is retired, not freed: it lives until every call has ended that
// was running at that time.
//
// Calls begin and end with the GIL held, so plain counters suffice: one for calls that began in the
// current epoch, one for calls of the previous epoch. When all calls of the previous epoch have
// ended, a new epoch begins. Memory retired in an epoch is freed when all calls of that epoch have
// ended.
#pragma once

#include <cstdint>

#include "aten/core/tensor.h"

namespace tnp::python {

// Scope guard that marks a call as running. Must be constructed and destroyed with the GIL held.
class InFlight {
 public:
  InFlight() : epoch_(state_.epoch) { ++state_.running[epoch_]; }
  ~InFlight() {
    if (TNP_UNLIKELY(--state_.running[epoch_] == 0 && state_.any_retired)) reclaim();
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

 private:
  friend void retire(Tensor old);
  static void reclaim() noexcept;

  struct State {
    uint32_t epoch;
    bool any_retired;
    int64_t running[2];
  };
  static inline constinit State state_{};
  uint32_t epoch_;
};

// Frees `old` when all calls in flight have ended, including the caller's own.
void retire(Tensor old);

}  // namespace tnp::python
