// Threads, by oneTBB: one pool with oneMKL and oneDNN. The calling thread takes part.
#pragma once

#include <cstdint>

#include "aten/core/containers/function_ref.h"
#include "aten/core/macros.h"

namespace tnp {

// Calls body(begin, end) on pieces that cover [begin, end), each of at least `grain` items, on several threads if there
// is more than one piece. An exception of a piece reaches the caller. Pieces see the caller's ThreadState.
TNP_API void parallel_for(int64_t begin, int64_t end, int64_t grain, function_ref<void(int64_t, int64_t)> body);

// Stands around work that takes long and touches nothing of the front end's: it may let go of its lock meanwhile
// (Python's GIL), so that other threads run. parallel_for does this by itself when it splits.
class TNP_API LongWork {
 public:
  LongWork();
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  void* token_;
};
// What the front end does then; `begin` gives what `end` gets back (null: nothing to do).
struct LongWorkHooks {
  void* (*begin)();
  void (*end)(void* token);
};
TNP_API void set_long_work_hooks(LongWorkHooks hooks);

// Initially as many as the process may use processors, or what the environment variable TORCH_NP_NUM_THREADS says.
TNP_API int get_num_threads();
TNP_API void set_num_threads(int n);  // raises Value if n < 1

// The work, in units of about one nanosecond, below which a second thread does not pay.
inline constexpr int64_t kParallelWork = 40'000;
// Loops that cost little to start hand out pieces of a fraction of that: the finer, the better cores share what is
// left, and the better Note [Work stealing] works.
inline constexpr int64_t kTasksPerGrain = 8;

}  // namespace tnp
