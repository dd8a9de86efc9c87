// Products of rows by a matrix that is packed once and multiplied often, as the weights of a recurrent layer at each of
// its steps: compiled for each instruction set that has fused multiplication.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// B (k, n) is packed in panels of `cols` columns, k * cols elements each; the last one is filled with zeros.
template <class T>
struct PackedProductLoop {
  int64_t rows, cols;  // that are computed at a time, at most
  // Panels [begin, end) of B, whose elements are `b_line` from column to column and `b_step` from row to row.
  void (*pack)(int64_t k, int64_t n, const T* b, int64_t b_line, int64_t b_step, int64_t begin, int64_t end, T* packed);
  // C (m, n) = start + A (m, k) @ B, k > 0. `start`: null, or rows that are `start_line` apart, which may be C itself.
  // Elements of C have the same bits whatever m is. Rows of A that are a multiple of 4 KiB apart displace each other
  // from the cache.
  void (*multiply)(int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* packed, const T* start,
                   int64_t start_line, T* c, int64_t ldc);
};
struct PackedProductLoops {
  PackedProductLoop<float> floats;
  PackedProductLoop<double> doubles;
};

namespace packed_product_loops {
TNP_DECLARE_LOOPS(PackedProductLoops, loops)  // empty where an instruction set lacks what it takes
}  // namespace packed_product_loops

}  // namespace tnp
