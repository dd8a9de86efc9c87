// Ranges of the rows of a CSR matrix with about equal numbers of elements and rows.
#pragma once

#include "aten/core/tensor.h"

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

 private:
  const I* pointers_;
  int64_t rows_;
};

}  // namespace tnp
