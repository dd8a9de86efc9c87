// Marks in a profile for reports (torch_np/_report): arrays that cross to and from other libraries,
// and the line of the program that the next outermost operators belong to. Sums of a profile by
// names and lines, which a long program needs in place of all events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aten/core/profiler/profiler.h"

namespace tnp::profiler {

// Kinds of entries with begin == end, beside Kind::Memory. `bytes` is the size of the array that
// crosses, or the number of the line.
inline constexpr Kind kCrossing = Kind{9}, kLine = Kind{10};

TNP_API void note_crossing_here(const char* way, int64_t bytes) noexcept;
// An array of `bytes` bytes crosses in the direction `way`. Stores the pointer, not a copy.
inline void note_crossing(const char* way, int64_t bytes) noexcept {
  if (TNP_UNLIKELY(is_on())) note_crossing_here(way, bytes);
}

// Returns the number of the line of the program that runs in this thread, 0 if it is not known. It is
// called at the begin of each outermost event.
using LineReader = int64_t (*)() noexcept;
// Null, the default, records no lines.
TNP_API void set_line_reader(LineReader reader);

// The number of events of all threads so far, about.
TNP_API uint64_t event_count();

// Part of the names of labels that stand for a call of NumPy, before the reason.
inline constexpr const char* kByNumpy = ", computed by NumPy: ";

// Sum over the events with the same name, kind, line and place.
struct Total {
  uint32_t name;  // index into Totals::names
  Kind kind;
  bool outermost;  // within no other call; labels of the user are no calls
  int64_t line;    // of the outermost event around it
  int64_t count = 0, nanoseconds = 0, own_nanoseconds = 0, bytes = 0;
};
struct Totals {
  int64_t duration = 0;
  uint64_t lost = 0;
  std::vector<std::string> names;
  std::vector<Total> totals;
};
TNP_API Totals sum_up(const Profile& profile);

}  // namespace tnp::profiler
