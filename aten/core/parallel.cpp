#include "aten/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>

#include "aten/core/error.h"
#include "aten/core/thread_state.h"

namespace tnp {

namespace {
std::atomic<int> num_threads{0};
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
  TNP_CHECK(n >= 1, ErrorKind::Value, "set_num_threads(): expected a positive number of threads, got ", n);
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(n));
  num_threads.store(n, std::memory_order_relaxed);
}

void parallel_for(int64_t begin, int64_t end, int64_t grain, function_ref<void(int64_t, int64_t)> body) {
  if (end <= begin) return;
  if (end - begin <= grain) return body(begin, end);
  LongWork long_work;
  if (get_num_threads() == 1) return body(begin, end);
  ThreadState state = thread_state;
  tbb::parallel_for(tbb::blocked_range<int64_t>(begin, end, static_cast<size_t>(std::max<int64_t>(grain, 1))),
                    [&](const tbb::blocked_range<int64_t>& r) {
                      ThreadState saved = thread_state;
                      thread_state = state;
                      struct Restore {
                        ThreadState& s;
                        ~Restore() { thread_state = s; }
                      } restore{saved};
                      body(r.begin(), r.end());
                    });
}

}  // namespace tnp
