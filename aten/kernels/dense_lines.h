// A row-major tensor as lines along one of its axes.
#pragma once

#include "aten/core/containers/dim_vector.h"
#include "aten/core/macros.h"

namespace tnp {

// The tensor as shape (outer, n, inner): outer * inner lines of n elements with stride `inner`.
struct DenseLines {
  int64_t outer = 1, n = 1, inner = 1;
  DenseLines(IntList sizes, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
      (d < dim ? outer : d > dim ? inner : n) *= sizes[static_cast<size_t>(d)];
  }
  TNP_HOST_DEVICE int64_t count() const { return outer * inner; }
  TNP_HOST_DEVICE int64_t first(int64_t line) const {
    return inner == 1 ? line * n : line / inner * n * inner + line % inner;
  }
};

}  // namespace tnp
