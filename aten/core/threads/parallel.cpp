#include "aten/core/threads/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>

#include "aten/core/errors/error.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/kept_threads.h"
#include "aten/core/threads/thread_state.h"

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace tnp {

namespace {
std::atomic<int> num_threads{0};
std::mutex control_mutex;  // guards `control`
std::unique_ptr<tbb::global_control> control;
LongWorkHooks hooks{nullptr, nullptr};

// TORCH_NP_NUM_THREADS, or 0 if it is not set to a positive number.
int threads_of_environment() {
  const char* text = std::getenv("TORCH_NP_NUM_THREADS");
  if (!text) return 0;
  char* end = nullptr;
  long n = std::strtol(text, &end, 10);
  return end != text && *end == '\0' && n > 0 && n <= 1'000'000 ? static_cast<int>(n) : 0;
}
}  // namespace

LongWork::LongWork() : token_(hooks.begin ? hooks.begin() : nullptr) {}
LongWork::~LongWork() {
  if (token_) hooks.end(token_);
}
void set_long_work_hooks(LongWorkHooks h) { hooks = h; }

int get_num_threads() {
  int n = num_threads.load(std::memory_order_relaxed);
  if (n != 0) return n;
  if (int wanted = threads_of_environment(); wanted > 0) {
    set_num_threads(wanted);
    return wanted;
  }
  n = std::max(1, tbb::info::default_concurrency());
  num_threads.store(n, std::memory_order_relaxed);
  return n;
}

void set_num_threads(int n) {
  TNP_CHECK(n >= 1, ErrorKind::Value, "expected a positive number of threads, got ", n);
  std::lock_guard lock(control_mutex);
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(n));
  num_threads.store(n, std::memory_order_relaxed);
}

namespace {

// Note [Work stealing] The range is cut into chunks, and each thread has a queue of consecutive
// chunks. A thread gets the same part of the range in every call, which its core's cache may still
// hold (affinity). A thread whose queue is empty steals chunks from the far end of other threads'
// queues. Every other call processes the queues in reverse. The data that the previous call touched
// last, often an operand of this one, is thus read before it leaves the cache. With arrays of two
// to six times the cache size this saves 20 to 33 % of the time of memory-bound operations.
constexpr int64_t kChunksPerThread = 16;
thread_local bool from_the_ends = false;

class alignas(64) ChunkQueue {
 public:
  void set(uint32_t begin, uint32_t end) { ends_.store(pack(begin, end), std::memory_order_relaxed); }
  void clear() { set(0, 0); }
  // Pops a chunk from the front or the back; -1 if the queue is empty.
  int64_t take(bool front) {
    uint64_t ends = ends_.load(std::memory_order_relaxed);
    for (;;) {
      const auto begin = static_cast<uint32_t>(ends >> 32), end = static_cast<uint32_t>(ends);
      if (begin >= end) return -1;
      if (ends_.compare_exchange_weak(ends, front ? pack(begin + 1, end) : pack(begin, end - 1),
                                      std::memory_order_relaxed)) {
        return front ? begin : end - 1;
      }
    }
  }

 private:
  static uint64_t pack(uint32_t begin, uint32_t end) { return uint64_t{begin} << 32 | end; }
  std::atomic<uint64_t> ends_{0};
};

class StealingSchedule {
 public:
  StealingSchedule(int64_t begin, int64_t end, int64_t chunk, int count, bool forward,
                   function_ref<void(int64_t, int64_t)> body)
      : begin_(begin),
        end_(end),
        chunk_(chunk),
        count_(count),
        forward_(forward),
        body_(body),
        queues_(new ChunkQueue[static_cast<size_t>(count)]) {
    const int64_t chunks = (end - begin + chunk - 1) / chunk;
    for (int s = 0; s < count; ++s)
      queues_[s].set(static_cast<uint32_t>(chunks * s / count), static_cast<uint32_t>(chunks * (s + 1) / count));
  }

  // Keeps the first exception for rethrow() and stops all threads from starting another chunk. The
  // exception must not pass through TBB: that cancels tasks running in other chunks, and MKL's
  // tasks then terminate the process.
  void work(int own) noexcept {
    own %= count_;
    try {
      for (int64_t p; (p = queues_[own].take(forward_)) >= 0;) run(p);
      for (int k = 1; k < count_; ++k) {
        ChunkQueue& other = queues_[(own + k) % count_];
        for (int64_t p; (p = other.take(!forward_)) >= 0;) run(p);
      }
    } catch (...) {
      for (int s = 0; s < count_; ++s) queues_[s].clear();
      if (!failed_.test_and_set()) failure_ = std::current_exception();
    }
  }
  ThreadState state() const { return state_; }
  // Whether the caller's operator is watched for errors, to which all threads contribute.
  bool watched() const { return state_.dialect.error_watch() == ErrorWatch::Open; }
  void add(FloatingPointErrors errors) { errors_.fetch_or(errors, std::memory_order_relaxed); }
  FloatingPointErrors errors() const {
    return static_cast<FloatingPointErrors>(errors_.load(std::memory_order_relaxed));
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run(int64_t p) { body_(begin_ + p * chunk_, std::min(begin_ + (p + 1) * chunk_, end_)); }

  const int64_t begin_, end_, chunk_;
  const int count_;
  const bool forward_;
  const ThreadState state_ = thread_state;  // the calling thread's
  std::atomic<uint8_t> errors_{kNoErrors};
  function_ref<void(int64_t, int64_t)> body_;
  std::unique_ptr<ChunkQueue[]> queues_;
  std::atomic_flag failed_;
  std::exception_ptr failure_;
};

// Note [What ThreadSanitizer sees] oneTBB is not instrumented, so ThreadSanitizer cannot see that
// oneTBB orders the code before a task, the task, and the code after it. These annotations state
// that order. The task object is in oneTBB's memory and is excluded from checking (TNP_UNSEEN); it
// only contains the schedule's address.
#ifdef __SANITIZE_THREAD__
#define TNP_UNSEEN __attribute__((no_sanitize("thread")))
void hand_over(StealingSchedule& to) { __tsan_release(&to); }
void take_over(StealingSchedule& from) { __tsan_acquire(&from); }
#else
#define TNP_UNSEEN
void hand_over(StealingSchedule&) {}
void take_over(StealingSchedule&) {}
#endif

// Applies the calling thread's state to a participating thread for a scope, and adds this thread's
// floating-point errors to the schedule. The thread may belong to another caller that is waiting.
// That caller's own error flags are saved and restored.
class CallersState {
 public:
  explicit CallersState(StealingSchedule& schedule) : schedule_(schedule) {
    if (schedule.watched() || has_error_watch()) errors_ = take_floating_point_flags();
    thread_state = schedule.state();
  }
  ~CallersState() {
    thread_state = saved_;
    if (!schedule_.watched() && !has_error_watch()) return;
    const FloatingPointErrors errors = take_floating_point_flags();
    if (schedule_.watched()) schedule_.add(errors);
    if (has_error_watch() && errors_) raise_floating_point_flags(errors_);
  }
  CallersState(const CallersState&) = delete;
  CallersState& operator=(const CallersState&) = delete;

 private:
  StealingSchedule& schedule_;
  const ThreadState saved_ = thread_state;
  FloatingPointErrors errors_ = kNoErrors;
};

// Runs another thread's share, in the calling thread's state. `index`: the thread's queue.
void take_part(StealingSchedule& schedule, int index) {
  take_over(schedule);
  {
    const CallersState state(schedule);
    schedule.work(index);
  }
  hand_over(schedule);
}

struct Task {
  StealingSchedule* schedule;
  TNP_UNSEEN void operator()(const tbb::blocked_range<int>&) const {
    take_part(*schedule, std::max(tbb::this_task_arena::current_thread_index(), 0));
  }
};

}  // namespace

void parallel_for(int64_t begin, int64_t end, int64_t grain, function_ref<void(int64_t, int64_t)> body) {
  if (end <= begin) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t n = end - begin;
  if (n <= grain) return body(begin, end);
  const int threads = static_cast<int>(std::min<int64_t>({get_num_threads(), (n + grain - 1) / grain}));
  LongWork long_work;
  int64_t chunk = std::max(grain, (n + threads * kChunksPerThread - 1) / (threads * kChunksPerThread));
  if (chunk >= 1024) chunk = (chunk + 63) / 64 * 64;  // keeps two threads from writing to the same cache line
  from_the_ends = !from_the_ends;
  StealingSchedule schedule(begin, end, chunk, threads, !from_the_ends, body);
  if (threads == 1) {
    schedule.work(0);
    return schedule.rethrow();
  }
  hand_over(schedule);
  const auto others = [&](int index) { take_part(schedule, index); };
  if (!KeptThreads::share(threads - 1, others, [&] { schedule.work(0); }))
    tbb::parallel_for(tbb::blocked_range<int>(0, threads, 1), Task{&schedule}, tbb::simple_partitioner());
  take_over(schedule);
  if (TNP_UNLIKELY(schedule.errors())) raise_floating_point_flags(schedule.errors());
  schedule.rethrow();
}

}  // namespace tnp
