// Our own loops for matrix products of floats, compiled for each instruction set with fused
// multiply-add.
#pragma once

#include <cstdint>

#include "aten/core/numbers/half.h"
#include "aten/core/threads/capability.h"

namespace tnp {

template <class T>
struct ProductLoop {
  // C (m, n), with rows of stride `ldc`, = A (m, k) @ B (k, n), k > 0. Operands have any strides:
  // `_line` between rows of A and between columns of B, and `_step` along the sums. The bits of an
  // element of C depend neither on its position nor on m and n. `added`: null, or a number for each
  // row of C that is added to its elements.
  void (*multiply)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_line, int64_t a_step, const T* b,
                   int64_t b_line, int64_t b_step, const T* added, T* c, int64_t ldc, T* buffer);
  int64_t (*buffer_size)(int64_t m, int64_t n, int64_t k);  // in elements; the buffer is aligned to registers
  int64_t rows, cols;                                       // block size of the kernel

  // Computes the same product, with the same bits, for few rows and a B with contiguous columns.
  // Reads B once, without packing.
  void (*multiply_few_rows)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_line, int64_t a_step, const T* b,
                            int64_t ldb, T* c, int64_t ldc);
  // The maximum of m, and the number of columns that it computes at a time.
  int64_t most_rows, few_rows_cols;
};

// The same product of 16-bit floats, which are widened a sliver at a time when they are packed. The
// sums are those of float32.
template <class S>
struct WidenedLoop {
  void (*multiply)(int64_t m, int64_t n, int64_t k, const S* a, int64_t a_line, int64_t a_step, const S* b,
                   int64_t b_line, int64_t b_step, const float* added, float* c, int64_t ldc, float* buffer);
  // The product of few rows A, already float32, by a B with contiguous columns, or by one with
  // contiguous rows, where element (p, j) of B is b[j * ldb + p]. Reads B once.
  void (*multiply_few_rows)(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_line, int64_t a_step, const S* b,
                            int64_t ldb, float* c, int64_t ldc);
  void (*multiply_by_dots)(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const S* b, int64_t ldb,
                           float* c, int64_t ldc);
  void (*widen)(int64_t n, const S* from, int64_t step, float* to);
  // to[i] = from[i] + added[i], rounded once; `added` may be null.
  void (*narrow)(int64_t n, const float* from, const float* added, S* to);
};

struct ProductLoops {
  ProductLoop<float> floats;
  ProductLoop<double> doubles;
  WidenedLoop<BFloat16> bfloat16s;
  WidenedLoop<Half> halves;
};

namespace product_loops {
TNP_DECLARE_LOOPS(ProductLoops, loops)  // empty if the instruction set has no fused multiply-add
}  // namespace product_loops

}  // namespace tnp
