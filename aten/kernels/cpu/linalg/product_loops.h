// Products of matrices of floats by loops of ours: compiled for each instruction set that has fused multiplication.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

template <class T>
struct ProductLoop {
  // C (m, n), whose rows are `ldc` apart, = A (m, k) @ B (k, n), k > 0. Operands have any strides, `_line` from row to
  // row of A and from column to column of B, and `_step` along the sums. An element of C has the same bits wherever it
  // lies in C, and whatever m and n are. `added`: null, or a number for each row of C that is added to its
  // elements.
  void (*multiply)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_line, int64_t a_step, const T* b,
                   int64_t b_line, int64_t b_step, const T* added, T* c, int64_t ldc, T* buffer);
  int64_t (*buffer_size)(int64_t m, int64_t n, int64_t k);  // elements, aligned as registers
  int64_t rows, cols;                                       // that it computes at a time

  // The same, bits included, for few rows and a B whose columns are side by side: B is read once, and not packed.
  void (*multiply_few_rows)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_line, int64_t a_step, const T* b,
                            int64_t ldb, T* c, int64_t ldc);
  int64_t most_rows, few_rows_cols;  // that it takes, and that it computes at a time
};
struct ProductLoops {
  ProductLoop<float> floats;
  ProductLoop<double> doubles;
};

namespace product_loops {
TNP_DECLARE_LOOPS(ProductLoops, loops)  // empty where an instruction set lacks what it takes
}  // namespace product_loops

}  // namespace tnp
