// The lines of a dense array, shared out to threads: some of them one after the other, or side by side.
#pragma once

#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

// Lines side by side that one task takes.
inline constexpr int64_t kColumnsOfTask = 64;

// rows(first, count) of lines whose elements are next to each other, or columns(first element, count) of others.
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
