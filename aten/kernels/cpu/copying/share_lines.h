// Shares the lines of a dense array among threads, in groups of consecutive or of adjacent lines.
#pragma once

#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

// The number of adjacent lines per task.
inline constexpr int64_t kColumnsOfTask = 64;

// Calls rows(first, count) if the elements of a line are contiguous, else columns(first element,
// count).
template <class Rows, class Columns>
void share_lines(const DenseLines& lines, int64_t cost, Rows&& rows, Columns&& columns) {
  const int64_t n = std::max<int64_t>(lines.n, 1), work = n * cost;
  if (lines.inner == 1) {
    parallel_for(0, lines.outer, std::max<int64_t>(kParallelWork / work, 1),
                 [&](int64_t begin, int64_t end) { rows(begin, end - begin); });
    return;
  }
  const int64_t blocks = (lines.inner + kColumnsOfTask - 1) / kColumnsOfTask;
  parallel_for(0, lines.outer * blocks, std::max<int64_t>(kParallelWork / (work * kColumnsOfTask), 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   const int64_t first = k % blocks * kColumnsOfTask;
                   columns(k / blocks * lines.n * lines.inner + first, std::min(kColumnsOfTask, lines.inner - first));
                 }
               });
}

}  // namespace tnp
