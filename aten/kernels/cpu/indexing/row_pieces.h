// Adding rows to rows of a table that may be the same: each thread has its own columns of all of them, so that no two
// write to one element, and all add in one order.
#pragma once

#include <algorithm>

#include "aten/core/threads/parallel.h"

namespace tnp {

// body(first, end) of pieces of the elements of a row, for work on `rows` of them.
template <class F>
void for_columns(int64_t elements, int64_t rows, F&& body) {
  constexpr int64_t kLeast = 32;
  parallel_for(0, (elements + kLeast - 1) / kLeast, std::max<int64_t>(kParallelWork / (rows * kLeast / 4 + 1), 1),
               [&](int64_t begin, int64_t end) { body(begin * kLeast, std::min(end * kLeast, elements)); });
}

}  // namespace tnp
