#include "aten/core/profiler/profiler.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <unordered_set>

#include "aten/core/profiler/marks.h"
#include "aten/core/profiler/profiler_clock.h"
#include "aten/core/threads/fork.h"

namespace tnp::profiler {

constinit std::atomic<uint8_t> active_kinds = 0;

namespace {

struct Event {
  const char* name;
  uint64_t begin;              // ticks
  std::atomic<uint64_t> last;  // ticks at the end, 0 while the event is open; `bytes` of an instant event
  uint32_t depth;
  std::atomic<Kind> kind;
  Device device;
};
static_assert(sizeof(Event) == 32);

// Whether the event has no duration.
constexpr bool is_instant(Kind kind) { return kind == Kind::Memory || kind == kCrossing || kind == kLine; }

constinit std::atomic<LineReader> line_reader = nullptr;

constexpr uint32_t kChunk = 8192, kMostChunks = 16384, kKeptChunks = 16;
using Chunk = Event[kChunk];

// Bit fields of a ticket.
constexpr int kIndexBits = 32, kBufferBits = 16;
constexpr uint64_t kIndexMask = (uint64_t{1} << kIndexBits) - 1, kBufferMask = (uint64_t{1} << kBufferBits) - 1;
constexpr uint64_t kSessionMask = 0xFFFF;

// The events of one thread. Only that thread writes it; other threads read up to `count`.
struct Buffer {
  explicit Buffer(uint64_t n) : number(n), chunks(new std::atomic<Event*>[kMostChunks]()) {}

  Event& at(uint32_t i) const { return chunks[i / kChunk].load(std::memory_order_relaxed)[i % kChunk]; }
  // Allocates the next event. Other threads do not see it before publish().
  Event* next() noexcept {
    const uint32_t n = count.load(std::memory_order_relaxed);
    std::atomic<Event*>& chunk = chunks[std::min(n / kChunk, kMostChunks - 1)];
    Event* events = chunk.load(std::memory_order_relaxed);
    if (TNP_UNLIKELY(!events || n / kChunk >= kMostChunks)) {
      if (n / kChunk < kMostChunks) events = static_cast<Event*>(::operator new(sizeof(Chunk), std::nothrow));
      if (!events || n / kChunk >= kMostChunks) {
        lost.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
      }
      chunk.store(events, std::memory_order_release);
    }
    return new (&events[n % kChunk]) Event;
  }
  void publish() { count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  // Clears the buffer. Up to `kept` chunks stay allocated, so that the next profile does not wait
  // for fresh pages.
  void release(uint32_t kept) {
    for (uint32_t c = kept; c < kMostChunks && chunks[c].load(std::memory_order_relaxed); ++c)
      ::operator delete(chunks[c].exchange(nullptr, std::memory_order_relaxed));
    count.store(0, std::memory_order_relaxed);
    lost.store(0, std::memory_order_relaxed);
    depth = 0;
    just_begun = 0;
    labels = 0;
    line = 0;
    names.clear();
  }

  const uint64_t number;
  const std::unique_ptr<std::atomic<Event*>[]> chunks;
  std::atomic<uint32_t> count = 0;
  std::atomic<uint64_t> lost = 0;
  uint32_t depth = 0;       // number of the thread's open events
  uint64_t just_begun = 0;  // begin of the current operator if no event has begun or ended since; otherwise 0
  uint32_t labels = 0;      // number of open labels around all other open events, if not above `depth`
  int64_t line = 0;         // of the last event of kLine
  std::unordered_set<std::string> names;  // copies of names for begin_named()
  // Accessed under the lock or by the thread itself.
  uint64_t session = 0;
  int64_t thread = 0;
  bool has_thread = false;
};

struct State {
  std::mutex mutex;  // guards the members below, and the assignment of buffers to threads
  std::vector<std::unique_ptr<Buffer>> buffers;
  bool is_running = false;
  uint32_t forks = 0;  // fork_count() at the start
  Instant began;
  int64_t began_at = 0;  // nanoseconds since 1970
};
State& state() {
  static State* self = [] {
    auto* made = new State;
    hold_at_fork(made->mutex);
    return made;
  }();
  return *self;
}

// The child of a fork, which may be long-lived, keeps the events, and gets no new ones.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { active_kinds.store(0); });

// Number of the running profile, or of the last one.
constinit std::atomic<uint64_t> session = 0;

thread_local constinit Buffer* own = nullptr;

// At thread exit, makes the thread's buffer available to other threads.
struct Leave {
  ~Leave() {
    const std::lock_guard lock(state().mutex);
    Buffer* left = std::exchange(own, nullptr);
    if (!left) return;
    left->has_thread = false;
    is_gone = true;
  }
  static thread_local constinit bool is_gone;
};
thread_local constinit bool Leave::is_gone = false;

// Assigns a buffer to this thread for the running profile; null if none is running.
__attribute__((noinline)) Buffer* enter() noexcept try {
  if (Leave::is_gone) return nullptr;  // the thread's remaining static destructors are not recorded
  static thread_local Leave leave;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.is_running) return nullptr;
  const uint64_t current = session.load(std::memory_order_relaxed);
  if (!own) {
    for (const auto& b : s.buffers)
      if (!b->has_thread && b->session != current) own = b.get();
    if (!own) {
      if (s.buffers.size() > kBufferMask) return nullptr;
      own = s.buffers.emplace_back(std::make_unique<Buffer>(s.buffers.size())).get();
    }
    own->has_thread = true;
  }
  own->thread = static_cast<int64_t>(syscall(SYS_gettid));  // differs in the child of a fork
  own->release(kKeptChunks);
  own->session = current;
  return own;
} catch (const std::bad_alloc&) {
  return nullptr;
}

inline Buffer* buffer() noexcept {
  Buffer* b = own;
  return TNP_LIKELY(b && b->session == session.load(std::memory_order_relaxed)) ? b : enter();
}

// The ticket's event if it is an open event of this thread in the running profile; otherwise null.
Event* event_of(Ticket ticket) noexcept {
  Buffer* b = own;
  if (!b || (ticket >> (kIndexBits + kBufferBits)) != (b->session & kSessionMask) ||
      ((ticket >> kIndexBits) & kBufferMask) != b->number || (ticket & kIndexMask) > b->count)
    return nullptr;
  return &b->at(static_cast<uint32_t>((ticket & kIndexMask) - 1));
}

}  // namespace

void make_lock() { state(); }

namespace {

void add_instant(Buffer* b, const char* name, Kind kind, int64_t bytes, Device device, uint64_t at) noexcept {
  Event* const e = b->next();
  if (TNP_UNLIKELY(!e)) return;
  e->name = name;
  e->begin = at;
  e->last.store(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
  e->depth = b->depth;
  e->kind.store(kind, std::memory_order_relaxed);
  e->device = device;
  b->publish();
}

__attribute__((noinline)) void note_line(Buffer* b, LineReader reader) noexcept {
  const int64_t line = reader();
  if (line == b->line) return;
  b->line = line;
  add_instant(b, "", kLine, line, Device{}, ticks());
}

inline Ticket begin_in(Buffer* b, const char* name, Kind kind, Device device) noexcept {
  b->labels = std::min(b->labels, b->depth);
  const bool outermost = b->labels == b->depth;
  if (const LineReader reader = line_reader.load(std::memory_order_relaxed); TNP_UNLIKELY(reader) && outermost)
    note_line(b, reader);
  Event* const e = b->next();
  if (TNP_UNLIKELY(!e)) return 0;
  e->name = name;
  e->last.store(0, std::memory_order_relaxed);
  e->depth = b->depth++;
  if (kind == Kind::Label && outermost) b->labels = b->depth;
  e->kind.store(kind, std::memory_order_relaxed);
  e->device = device;
  e->begin = ticks();
  b->just_begun = kind == Kind::Operator ? e->begin : 0;
  const uint64_t index = b->count.load(std::memory_order_relaxed) + 1;
  b->publish();
  return ((b->session & kSessionMask) << (kIndexBits + kBufferBits)) | (b->number << kIndexBits) | index;
}

}  // namespace

Ticket begin(const char* name, Kind kind, Device device) noexcept {
  Buffer* const b = buffer();
  return TNP_LIKELY(b) ? begin_in(b, name, kind, device) : 0;
}

// Looks up the buffer once for both the name and the event, since another profile may begin between
// two look-ups.
Ticket begin_named(std::string_view name, Kind kind, Device device) noexcept try {
  Buffer* const b = buffer();
  return b ? begin_in(b, b->names.emplace(name).first->c_str(), kind, device) : 0;
} catch (const std::bad_alloc&) {
  return 0;
}

void end(Ticket ticket) noexcept {
  const uint64_t now = ticks();
  Event* const e = event_of(ticket);
  if (TNP_UNLIKELY(!e)) return;
  e->last.store(now, std::memory_order_relaxed);
  own->depth = e->depth;
  own->just_begun = 0;
}

void drop(Ticket ticket) noexcept {
  Event* const e = event_of(ticket);
  if (TNP_UNLIKELY(!e)) return;
  e->kind.store(Kind::Dropped, std::memory_order_relaxed);
  own->depth = e->depth;
  own->just_begun = 0;
}

void note_memory(int64_t bytes, Device device) noexcept {
  if (bytes == 0) return;
  Buffer* const b = buffer();
  if (TNP_UNLIKELY(!b)) return;
  // Reading the clock is most of the cost here, so the enclosing operator's begin is used where
  // possible.
  add_instant(b, "", Kind::Memory, bytes, device, b->just_begun != 0 ? b->just_begun : ticks());
}

void note_crossing_here(const char* way, int64_t bytes) noexcept {
  if (Buffer* const b = buffer()) {
    if (const LineReader reader = line_reader.load(std::memory_order_relaxed); reader && b->depth <= b->labels)
      note_line(b, reader);
    add_instant(b, way, kCrossing, bytes, Device{}, ticks());
  }
}

void set_line_reader(LineReader reader) { line_reader.store(reader); }

uint64_t event_count() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  uint64_t count = 0;
  for (const auto& b : s.buffers) count += b->count.load(std::memory_order_relaxed);
  return count;
}

void start(bool with_memory) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  TNP_CHECK(!s.is_running || s.forks != fork_count(), ErrorKind::Runtime,
            "profile: another profile is being recorded; a process can record one at a time");
  choose_clock();
  session.fetch_add(1, std::memory_order_relaxed);
  s.is_running = true;
  s.forks = fork_count();
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  s.began_at = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  s.began = this_instant();
  active_kinds.store(static_cast<uint8_t>(kOperators | (with_memory ? kMemory : 0)));
}

namespace {

class Collector {
 public:
  Collector(Instant began, Instant ended) : began_(began), ended_(ended), rate_(nanoseconds_a_tick(ended)) {}

  Thread collect(const Buffer& b) {
    Thread thread{b.thread, {}};
    std::vector<int32_t> open;  // indexed by depth: the innermost open entry at that depth
    const uint32_t n = b.count.load(std::memory_order_acquire);
    thread.entries.reserve(n);
    for (uint32_t i = 0; i < n; ++i) {
      const Event& e = b.at(i);
      const int32_t parent = e.depth > 0 && e.depth <= open.size() ? open[e.depth - 1] : -1;
      const Kind kind = e.kind.load(std::memory_order_relaxed);
      const bool instant = is_instant(kind);
      if (!instant) {
        open.resize(e.depth + size_t{1}, -1);
        open[e.depth] = kind == Kind::Dropped ? parent : static_cast<int32_t>(thread.entries.size());
      }
      if (kind == Kind::Dropped) continue;
      const uint64_t last = e.last.load(std::memory_order_relaxed);
      const int64_t begin = since_beginning(e.begin);
      thread.entries.push_back({begin, instant ? begin : since_beginning(last != 0 ? last : ended_.ticks),
                                instant ? static_cast<int64_t>(last) : 0, parent, number_of(e.name), kind, e.device});
    }
    return thread;
  }
  std::vector<std::string> names;
  int64_t duration() const { return since_beginning(ended_.ticks); }

 private:
  int64_t since_beginning(uint64_t t) const {
    t = std::clamp(t, began_.ticks, ended_.ticks);  // threads keep recording during the collection
    return static_cast<int64_t>(static_cast<double>(t - began_.ticks) * rate_);
  }
  uint32_t number_of(const char* name) {
    const auto known = by_address_.find(name);
    if (known != by_address_.end()) return known->second;
    const auto [at, is_new] = by_name_.emplace(name, static_cast<uint32_t>(names.size()));
    if (is_new) names.emplace_back(name);
    by_address_.emplace(name, at->second);
    return at->second;
  }

  const Instant began_, ended_;
  const double rate_;
  std::unordered_map<const char*, uint32_t> by_address_;
  std::unordered_map<std::string, uint32_t> by_name_;
};

}  // namespace

Profile stop() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  TNP_CHECK(s.is_running, ErrorKind::Runtime, "profile: no profile is being recorded");
  active_kinds.store(0);
  s.is_running = false;
  const uint64_t current = session.load(std::memory_order_relaxed);
  Collector collector(s.began, this_instant());
  Profile profile{s.began_at, collector.duration(), 0, {}, {}};
  for (const auto& b : s.buffers) {
    if (b->session != current) continue;
    profile.lost += b->lost.load(std::memory_order_relaxed);
    if (Thread t = collector.collect(*b); !t.entries.empty()) profile.threads.push_back(std::move(t));
    // Another thread may still be writing an event to its buffer. It releases the memory when it
    // records the next one.
    if (b.get() != own && b->has_thread) continue;
    b->release(b.get() == own ? kKeptChunks : 0);
    b->session = 0;
  }
  profile.names = std::move(collector.names);
  return profile;
}

}  // namespace tnp::profiler
