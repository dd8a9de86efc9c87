// What a profile records: operators as they begin and end, and the memory that arrays take and give back.
//
// Note [Profiles] One profile at a time, of all threads of the process. Each thread writes its events into chunks of
// its own, in the order in which they begin: no lock, and memory once in thousands of events. An event that has others
// within it stands before them and is one level less deep, which is all that is kept of their nesting. While no profile
// is recorded, an operator asks one flag.
//
// A thread may be in the midst of an operator when a profile begins or ends. What began before is not in it; what has
// not ended by then ends with it. The child of a fork has what was recorded before. So an open event is known by a
// ticket, which says whose it is and of which profile.
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
  Backward,  // a node of the tape
  Fused,     // pending results are computed
  Compiled,  // a record is replayed
  Step,      // of a replay
  Function,  // of the front end, made of operators
  Label,     // of the user's
  Memory,
  Dropped,  // is not in the profile; what is within it is
};

// 0 where nothing is recorded.
inline constexpr uint8_t kOperators = 1, kMemory = 2;
TNP_API extern constinit std::atomic<uint8_t> recorded;
inline bool is_on() { return recorded.load(std::memory_order_relaxed) != 0; }
inline bool records_memory() { return (recorded.load(std::memory_order_relaxed) & kMemory) != 0; }

// Of an open event; 0: there is none.
using Ticket = uint64_t;
// `name` is kept as a pointer.
TNP_API Ticket begin(const char* name, Kind kind, Device device) noexcept;
// The same with a copy of the name, for what is no literal.
TNP_API Ticket begin_named(std::string_view name, Kind kind, Device device) noexcept;
TNP_API void end(Ticket ticket) noexcept;
TNP_API void drop(Ticket ticket) noexcept;
// Bytes that an array takes, or gives back where there are less than none.
TNP_API void note_memory(int64_t bytes, Device device) noexcept;

// An event from here to the end of the scope.
class Operation {
 public:
  explicit Operation(const char* name, Kind kind = Kind::Operator, Device device = {}) {
    if (TNP_UNLIKELY(is_on())) ticket_ = begin(name, kind, device);
  }
  // `open` calls begin(): for a name or a device that has to be found first.
  template <std::invocable F>
  explicit Operation(F&& open) {
    if (TNP_UNLIKELY(is_on())) ticket_ = open();
  }
  ~Operation() {
    if (TNP_UNLIKELY(ticket_ != 0)) end(ticket_);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  // It was not done after all.
  void drop() {
    if (TNP_UNLIKELY(ticket_ != 0)) profiler::drop(std::exchange(ticket_, 0));
  }

 private:
  Ticket ticket_ = 0;
};

// --- a profile

struct Entry {
  int64_t begin, end;  // nanoseconds since the profile began
  int64_t bytes;       // of Kind::Memory, which has begin == end
  int32_t parent;      // an entry of the same thread, or -1
  uint32_t name;       // number of it
  Kind kind;
  Device device;
};
static_assert(sizeof(Entry) == 40);  // torch_np/profiler/_events.py reads it

struct Thread {
  int64_t id;  // as the system numbers them
  std::vector<Entry> entries;
};

struct Profile {
  int64_t began;     // nanoseconds since 1970
  int64_t duration;  // nanoseconds
  uint64_t lost;     // events that there was no memory for
  std::vector<std::string> names;
  std::vector<Thread> threads;
};

// Raises Runtime where one is recorded already.
TNP_API void start(bool with_memory);
// Raises Runtime where none is recorded.
TNP_API Profile stop();
// Makes the lock of this file, which is taken under others: fork.h.
void make_lock();

}  // namespace tnp::profiler
