// Threads that look out for work instead of being woken for it, around a sequence of short pieces of it.
//
// Note [Kept threads] To wake one of oneTBB's threads takes some microseconds, as long as a second thread saves on a
// product of 64 x 64 by 64 x 128. While the calling thread stands within a KeptThreads, up to kMost of them spin for
// its parallel_for()s, which hand them a share by an atomic exchange: two tenths of a microsecond. One that gets
// nothing for kPatience goes back to oneTBB's pool, and is called again by the next KeptThreads; in a loop over such
// scopes they stay. There is one team a process: a thread that finds it taken shares its work as ever.
//
// A thread that is called may come late, or never, on a machine that does other work. Nobody waits for it: shares are
// of a range that each thread takes chunks from (Note [Work stealing]), and who has not begun when all chunks are taken
// is not needed any more.
#pragma once

#include "aten/core/containers/function_ref.h"
#include "aten/core/macros.h"

namespace tnp {

class TNP_API KeptThreads {
 public:
  static constexpr int kMost = 3;

  // Calls the threads, if the team is nobody's, and returns at once.
  KeptThreads();
  ~KeptThreads();
  KeptThreads(const KeptThreads&) = delete;
  KeptThreads& operator=(const KeptThreads&) = delete;

  // How many wait for the calling thread now.
  static int waiting();
  // Calls `own`, and meanwhile work(i) in up to `count` of the threads that wait, i from 1 on. False, and nothing
  // happened: fewer than that are there. What other threads did is visible afterwards. Neither may throw.
  static bool share(int count, function_ref<void(int)> work, function_ref<void()> own);

 private:
  bool is_owner_;
};

}  // namespace tnp
