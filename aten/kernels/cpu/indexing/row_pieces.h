// Adds rows to the rows of a table without races, even if several are added to the same row: each
// thread owns some columns of all rows. So all additions to an element happen on one thread, in one
// order.
#pragma once

#include <algorithm>

#include "aten/core/threads/parallel.h"

namespace tnp {

// Calls body(first, end) for ranges [first, end) of the `elements` columns. `rows`: the number of
// rows to process.
template <class F>
void for_columns(int64_t elements, int64_t rows, F&& body) {
  constexpr int64_t kLeast = 32;
  parallel_for(0, (elements + kLeast - 1) / kLeast, std::max<int64_t>(kParallelWork / (rows * kLeast / 4 + 1), 1),
               [&](int64_t begin, int64_t end) { body(begin * kLeast, std::min(end * kLeast, elements)); });
}

}  // namespace tnp
