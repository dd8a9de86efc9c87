// The profiler's events: begin and end of operators, and allocations and releases of array memory.
//
// Note [Profiles] There is one profile at a time, covering all threads of the process. Each thread
// appends its events, in order of their begin, to chunks of its own: no lock, and one allocation
// per thousands of events. An event stores only its nesting depth: a parent precedes its children
// and has a depth one less. Without a running profile, an operator only tests one flag.
//
// A profile may begin or end while a thread is within an operator. Events that began earlier are
// not in the profile; events still open at the end of the profile end with it. The child of a fork
// keeps the events recorded before the fork. Because of these cases a ticket identifies an open
// event together with its thread and profile.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aten/core/devices/device.h"
#include "aten/core/macros.h"

namespace tnp::profiler {

enum class Kind : uint8_t {
  Operator,
  Backward,  // a node of the autograd tape
  Fused,     // computation of pending results
  Compiled,  // replay of a compiled function
  Step,      // one step of a replay
  Function,  // a front-end function composed of operators
  Label,     // a user's label
  Memory,
  Dropped,  // removed from the profile; its children stay
};

// A bitmask of the kinds of events in the running profile; 0 if none is running.
inline constexpr uint8_t kOperators = 1, kMemory = 2;
TNP_API extern constinit std::atomic<uint8_t> active_kinds;
inline bool is_on() { return active_kinds.load(std::memory_order_relaxed) != 0; }
inline bool has_memory() { return (active_kinds.load(std::memory_order_relaxed) & kMemory) != 0; }

// Identifies an open event; 0 means none.
using Ticket = uint64_t;
// Stores the pointer `name`, not a copy.
TNP_API Ticket begin(const char* name, Kind kind, Device device) noexcept;
// Stores a copy of `name`, for names that are not string literals.
TNP_API Ticket begin_named(std::string_view name, Kind kind, Device device) noexcept;
TNP_API void end(Ticket ticket) noexcept;
TNP_API void drop(Ticket ticket) noexcept;
// Adds an event: an array allocates `bytes` bytes, or frees -bytes bytes if `bytes` is negative.
TNP_API void note_memory(int64_t bytes, Device device) noexcept;

// RAII event that lasts until the end of the scope.
class Operation {
 public:
  explicit Operation(const char* name, Kind kind = Kind::Operator, Device device = {}) {
    if (TNP_UNLIKELY(is_on())) ticket_ = begin(name, kind, device);
  }
  // For a name or device that is only computed while profiling: `open` computes both and calls
  // begin().
  template <std::invocable F>
  explicit Operation(F&& open) {
    if (TNP_UNLIKELY(is_on())) ticket_ = open();
  }
  ~Operation() {
    if (TNP_UNLIKELY(ticket_ != 0)) end(ticket_);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  // Removes the event: the operation did not happen.
  void drop() {
    if (TNP_UNLIKELY(ticket_ != 0)) profiler::drop(std::exchange(ticket_, 0));
  }

 private:
  Ticket ticket_ = 0;
};

// --- a profile

struct Entry {
  int64_t begin, end;  // nanoseconds since the profile began
  int64_t bytes;       // of Kind::Memory, for which begin == end
  int32_t parent;      // index of an entry of the same thread, or -1
  uint32_t name;       // index into Profile::names
  Kind kind;
  Device device;
};
static_assert(sizeof(Entry) == 40);  // torch_np/profiler/_events.py reads this layout

struct Thread {
  int64_t id;  // the system's thread id
  std::vector<Entry> entries;
};

struct Profile {
  int64_t began;     // nanoseconds since 1970
  int64_t duration;  // nanoseconds
  uint64_t lost;     // number of events lost for lack of memory
  std::vector<std::string> names;
  std::vector<Thread> threads;
};

// Raises Runtime if a profile is already running.
TNP_API void start(bool with_memory);
// Raises Runtime if no profile is running.
TNP_API Profile stop();
// Creates the profiler's lock. Must be called before the creation of any lock under which the
// profiler's lock is locked: see fork.h.
void make_lock();

}  // namespace tnp::profiler
