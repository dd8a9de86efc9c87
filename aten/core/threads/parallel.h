// Parallel loops on oneTBB's thread pool, shared with oneMKL and oneDNN. The calling thread takes
// part.
#pragma once

#include <cstdint>

#include "aten/core/containers/function_ref.h"
#include "aten/core/macros.h"

namespace tnp {

// Calls body(begin, end) on chunks that cover [begin, end), each of at least `grain` items, on
// several threads if there is more than one chunk. Rethrows an exception of a chunk in the caller.
// Chunks run with the caller's ThreadState.
TNP_API void parallel_for(int64_t begin, int64_t end, int64_t grain, function_ref<void(int64_t, int64_t)> body);

// RAII scope for long work that does not touch the front end. The front end may release its lock
// meanwhile (Python's GIL) so that other threads can run. parallel_for opens this scope itself if
// it splits the range.
class TNP_API LongWork {
 public:
  LongWork();
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  void* token_;
};
// The front end's callbacks. `end` receives the token that `begin` returned; null means nothing to
// do.
struct LongWorkHooks {
  void* (*begin)();
  void (*end)(void* token);
};
TNP_API void set_long_work_hooks(LongWorkHooks hooks);

// Initially TORCH_NP_NUM_THREADS from the environment, otherwise the number of processors available
// to the process.
TNP_API int get_num_threads();
TNP_API void set_num_threads(int n);  // raises Value if n < 1

// The amount of work, in units of about one nanosecond, below which a second thread does not pay.
inline constexpr int64_t kParallelWork = 40'000;
// Loops with little start-up cost use chunks smaller by this factor. Smaller chunks balance the
// load better at the end and make Note [Work stealing] more effective.
inline constexpr int64_t kTasksPerGrain = 8;

}  // namespace tnp
