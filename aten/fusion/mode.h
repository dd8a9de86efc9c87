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
  Always,  // every result that can be, for tests
};

TNP_API Mode mode();
// Results that are already pending stay so.
TNP_API void set_mode(Mode mode);

// Smaller results, in bytes, stay in the second-level cache without fusion.
inline constexpr int64_t kLarge = 256 * 1024;
// The least bytes of a pending result. The largest int64_t turns fusion off.
TNP_API extern std::atomic<int64_t> least_bytes;
inline bool is_on() { return least_bytes.load(std::memory_order_relaxed) != std::numeric_limits<int64_t>::max(); }
inline bool takes(int64_t bytes) { return bytes >= least_bytes.load(std::memory_order_relaxed); }

// Restarts the peak of memory, which fusion must not raise.
TNP_API void reset_peak();

// Counters since the start of the process.
struct Statistics {
  uint64_t recorded;  // operators recorded with a pending result
  uint64_t dropped;   // of those, results released without being computed
  uint64_t programs;  // programs run
  uint64_t steps;     // operators in them
  uint64_t outputs;   // results written to memory
};
TNP_API Statistics statistics();

}  // namespace tnp::fusion
