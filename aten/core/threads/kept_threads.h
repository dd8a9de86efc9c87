// KeptThreads: worker threads that spin for work during a sequence of short parallel loops, instead
// of being woken for each one.
//
// Note [Kept threads] Waking one of oneTBB's threads takes some microseconds. On a product of 64 x
// 64 by 64 x 128 a second thread saves no more than that. Within the scope of a KeptThreads, up to
// kMost threads spin for the calling thread's parallel_for()s. Handing a thread its share is one
// atomic exchange, which takes 0.2 microseconds. A thread that gets no work for kPatience returns
// to oneTBB's pool, and the next KeptThreads calls it again. If a loop opens one such scope after
// another, the threads keep spinning. There is one team per process. A thread that finds the team
// in use shares its work through oneTBB as usual.
//
// On a busy machine a called thread may arrive late or never. The owner does not wait for it: each
// thread takes chunks from a shared range (Note [Work stealing]), and a thread that arrives after
// the last chunk is not needed.
#pragma once

#include "aten/core/containers/function_ref.h"
#include "aten/core/macros.h"

namespace tnp {

class TNP_API KeptThreads {
 public:
  static constexpr int kMost = 3;

  // Calls the threads if the team is free, and returns at once.
  KeptThreads();
  ~KeptThreads();
  KeptThreads(const KeptThreads&) = delete;
  KeptThreads& operator=(const KeptThreads&) = delete;

  // The number of threads that spin for the calling thread now.
  static int waiting();
  // Runs `own` on the calling thread and work(i), i >= 1, on up to `count` waiting threads. Returns
  // false without running anything if fewer than `count` threads wait. The other threads' writes
  // are visible afterwards. Neither callable may throw.
  static bool share(int count, function_ref<void(int)> work, function_ref<void()> own);

 private:
  bool is_owner_;
};

}  // namespace tnp
