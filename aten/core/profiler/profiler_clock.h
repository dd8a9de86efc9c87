// The profiler's clock: the processor's time-stamp counter if it runs at a constant rate, in step
// on all cores. Otherwise the system clock, which takes two to three times as long to read.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include "aten/core/macros.h"
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace tnp::profiler {

inline uint64_t system_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Whether the time-stamp counter can be used. Set before the first profile is recorded.
inline constinit std::atomic<bool> has_even_counter = false;

inline uint64_t ticks() {
#if defined(__x86_64__)
  if (TNP_LIKELY(has_even_counter.load(std::memory_order_relaxed))) return __rdtsc();
#endif
  return system_nanoseconds();
}

struct Instant {
  uint64_t ticks = 0, nanoseconds = 0;
};

// Reads both clocks. Of five readings, returns the one that took least time.
inline Instant this_instant() {
  Instant best;
  for (uint64_t i = 0, least = UINT64_MAX; i < 5; ++i) {
    const uint64_t before = ticks(), now = system_nanoseconds(), after = ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, now};
  }
  return best;
}

inline Instant& first_instant() {
  static Instant first;
  return first;
}

inline void choose_clock() {
  if (first_instant().nanoseconds != 0) return;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kInvariant = 1 << 8;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0) has_even_counter = true;
#endif
  first_instant() = this_instant();
}

// Nanoseconds per tick, measured since the first profile began: the longer the interval, the more
// precise.
inline double nanoseconds_a_tick(const Instant& now) {
  const Instant& first = first_instant();
  if (now.ticks <= first.ticks) return 1;
  return static_cast<double>(now.nanoseconds - first.nanoseconds) / static_cast<double>(now.ticks - first.ticks);
}

}  // namespace tnp::profiler
