// Fusion mode: which results become pending. Note [Pending results] in aten/core/memory/storage.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "aten/core/macros.h"

namespace tnp::fusion {

enum class Mode : uint8_t {
  Off,
  Auto,    // large results, whose speed is bound by memory bandwidth
  Always,  // every result that can be pending; for tests
};

TNP_API Mode mode();
// Sets the mode for later operators. Results that are already pending remain pending.
TNP_API void set_mode(Mode mode);

// Bytes of a large result. Results below this size stay in the second-level cache, so fusion does
// not help.
inline constexpr int64_t kLarge = 256 * 1024;
// Minimum size of a pending result, in bytes. The maximum value of int64_t turns fusion off.
TNP_API extern std::atomic<int64_t> least_bytes;
inline bool is_on() { return least_bytes.load(std::memory_order_relaxed) != std::numeric_limits<int64_t>::max(); }
inline bool takes(int64_t bytes) { return bytes >= least_bytes.load(std::memory_order_relaxed); }

// Resets the observed peak memory, which fusion must not increase.
TNP_API void reset_peak();

// Counters since the start of the process.
struct Statistics {
  uint64_t deferred;  // operators whose result became pending
  uint64_t dropped;   // of the deferred operators, those whose result was released without being computed
  uint64_t programs;  // programs run
  uint64_t steps;     // operators that the programs ran
  uint64_t outputs;   // results written to memory
};
TNP_API Statistics statistics();

}  // namespace tnp::fusion
