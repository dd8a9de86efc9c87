// Which results are pending for a while instead of computed at once: Note [Pending results] in
// aten/core/memory/storage.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "aten/core/macros.h"

namespace tnp::fusion {

enum class Mode : uint8_t {
  Off,
  Auto,    // large results, for which memory decides how fast they are
  Always,  // all that can be, for tests
};

TNP_API Mode mode();
// What is pending stays so.
TNP_API void set_mode(Mode mode);

// Results of fewer bytes stay in the second-level cache anyway.
inline constexpr int64_t kLarge = 256 * 1024;
// The bytes from which on a result may be pending; none are, where this is the largest number.
TNP_API extern std::atomic<int64_t> least_bytes;
inline bool is_on() { return least_bytes.load(std::memory_order_relaxed) != std::numeric_limits<int64_t>::max(); }
inline bool takes(int64_t bytes) { return bytes >= least_bytes.load(std::memory_order_relaxed); }

// The peak of memory, which fusion is not to raise, is counted anew.
TNP_API void reset_peak();

// Since the start of the process.
struct Statistics {
  uint64_t recorded;  // operators whose result was pending
  uint64_t dropped;   // of those, how many nobody wanted to see
  uint64_t programs;  // computed
  uint64_t steps;     // operators in them
  uint64_t outputs;   // results that were written to memory
};
TNP_API Statistics statistics();

}  // namespace tnp::fusion
