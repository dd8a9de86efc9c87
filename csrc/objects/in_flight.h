// Note [Calls in flight] A call reads its arrays again and again, and in between lets other threads have the GIL, who
// may give an array other memory meanwhile (ndarray.resize, Tensor.data, __setstate__). So what an array was before
// lives until every call has ended that was running then: it is retired, not dropped.
//
// Calls begin and end with the GIL, so plain counters tell when that is: one for those that began in the current epoch,
// one for those of the epoch before. A new epoch begins when the latter have all ended; what was retired in an epoch
// goes when all its calls have.
#pragma once

#include <cstdint>

#include "aten/core/tensor.h"

namespace tnp::python {

// Stands around a call. Made and destroyed with the GIL held.
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

// Drops `old` when the calls in flight have ended, among them the caller's own.
void retire(Tensor old);

}  // namespace tnp::python
