// Ranges of the rows of a CSR matrix with about equal numbers of elements and rows.
#pragma once

#include <algorithm>

#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"

namespace tnp {

// A row has one position for itself and one for each of its elements. Ranges of positions give ranges
// of rows: a row belongs to the range that has its first position.
template <class I>
class RowRanges {
 public:
  // The caller has checked the pointers.
  RowRanges(const I* pointers, int64_t rows) : pointers_(pointers), rows_(rows) {}
  // Raises Runtime unless the pointers rise from 0 to `elements`.
  RowRanges(const Tensor& crow, int64_t elements) : RowRanges(crow.data_ptr<I>(), crow.numel() - 1) {
    bool rising = pointers_[0] == 0 && static_cast<int64_t>(pointers_[rows_]) == elements;
    for (int64_t row = 0; row < rows_; ++row) rising &= pointers_[row] <= pointers_[row + 1];
    TNP_CHECK(rising, ErrorKind::Runtime, "{crow} must rise from 0 to the number of elements, ", elements);
  }

  int64_t length() const { return rows_ + static_cast<int64_t>(pointers_[rows_]); }
  // The first row whose first position is at `position` or later.
  int64_t row_at(int64_t position) const {
    int64_t low = 0, high = rows_;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (middle + static_cast<int64_t>(pointers_[middle]) < position)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  // Calls body(begin, end) for ranges of rows of about equal work, in parallel. `work` is the time for one
  // position, in nanoseconds.
  template <class F>
  void for_rows(int64_t work, F&& body) const {
    parallel_for(0, length(), std::max<int64_t>(kParallelWork / work, 1), [&](int64_t begin, int64_t end) {
      const int64_t first = row_at(begin), last = row_at(end);
      if (first < last) body(first, last);
    });
  }

 private:
  const I* pointers_;
  int64_t rows_;
};

}  // namespace tnp
