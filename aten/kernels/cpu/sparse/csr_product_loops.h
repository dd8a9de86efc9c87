// Loops over the rows of a CSR matrix, for its products with dense matrices, compiled for each
// instruction set.
#pragma once

#include <cstdint>

#include "aten/core/numbers/dtype.h"
#include "aten/core/threads/capability.h"

namespace tnp {

// A CSR matrix in memory. `pointers` and `columns` are of one integer dtype, `values` of the loop's.
struct CsrMemory {
  const void* pointers;
  const void* columns;
  const void* values;
};

// The loops check that columns are below `limit` before they use them, and return false if one is not.
struct CsrProductLoop {
  ScalarType dtype, index_dtype;
  // Rows [begin, end) of the product with `dense`, whose rows have `k` elements, as has `out`.
  bool (*rows)(const CsrMemory& a, int64_t limit, const void* dense, int64_t k, int64_t begin, int64_t end, void* out);
  // Adds the part of the product of the transposed matrix that rows [begin, end) of `dense` give to
  // `out`. Rows of both have `k` elements.
  bool (*transposed)(const CsrMemory& a, int64_t limit, const void* dense, int64_t k, int64_t begin, int64_t end,
                     void* out);
  // For the elements (i, j) of rows [begin, end): out = sum of left[i, c] * right[j, c]. `values` is
  // not read.
  bool (*sampled)(const CsrMemory& a, int64_t limit, const void* left, const void* right, int64_t k, int64_t begin,
                  int64_t end, void* out);
  // The sums of the elements of rows [begin, end) of a matrix of `elements` elements. `columns` is not read.
  void (*row_sums)(const CsrMemory& a, int64_t elements, int64_t begin, int64_t end, void* out);
  // As `rows`, with maxima and minima of the products in place of their sum. Null for complex dtypes.
  using Extremes = decltype(rows);
  Extremes maxima, minima;
};

namespace csr_product_loops {
TNP_DECLARE_LOOPS(CsrProductLoop, loops)
}  // namespace csr_product_loops

}  // namespace tnp
