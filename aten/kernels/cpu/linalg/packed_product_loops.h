// Products of a few rows by a matrix that is packed once and multiplied often, e.g. the weights of
// a recurrent layer in each of its steps. Compiled for each instruction set with fused
// multiply-add.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// B (k, n) is packed in panels of `cols` columns, k * cols elements each. The last panel is padded
// with zeros.
template <class T>
struct PackedProductLoop {
  int64_t rows, cols;  // block size of the kernel
  // Packs panels [begin, end) of B, with stride `b_line` between columns and `b_step` between rows.
  void (*pack)(int64_t k, int64_t n, const T* b, int64_t b_line, int64_t b_step, int64_t begin, int64_t end, T* packed);
  // C (m, n) = start + A (m, k) @ B, k > 0. `start`: null, or rows with stride `start_line`, which
  // may be C itself. The bits of a row of C do not depend on m. Rows of A at multiples of 4 KiB
  // evict each other from the cache, so `lda` should avoid that.
  void (*multiply)(int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* packed, const T* start,
                   int64_t start_line, T* c, int64_t ldc);
};
struct PackedProductLoops {
  PackedProductLoop<float> floats;
  PackedProductLoop<double> doubles;
};

namespace packed_product_loops {
// Empty if the instruction set has no fused multiply-add.
TNP_DECLARE_LOOPS(PackedProductLoops, loops)
}  // namespace packed_product_loops

}  // namespace tnp
