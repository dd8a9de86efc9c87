// Ways to multiply matrices that give the same bits, of which one is the fastest here: for products that come again and
// again.
#pragma once

#include <optional>

#include "aten/core/tensor.h"

namespace tnp::blas {
struct Library;
}

namespace tnp::native {

// C (m, n) = A (m, k) @ B (k, n) of float32 or float64, C dense: by a library of BLAS, in parts that threads share.
class ProductChoice {
 public:
  // Measures the ways that there are with random operands of these geometries, which need no elements. Nothing where
  // none that gives the bits of matmul() is faster by more than a timer errs. The sums of a product have one order for
  // all values, so that equal bits of random numbers are equal bits of all.
  static std::optional<ProductChoice> fastest(const Tensor& input, const Tensor& other);
  bool is_shared() const { return lines_ < (by_rows_ ? m_ : n_); }  // by threads
  // As matmul_cpu().
  void run(const char* input, const char* other, char* out) const;

 private:
  struct Matrix {
    int64_t row_stride, col_stride, leading;  // elements
    bool is_transposed;
  };
  ProductChoice(const Tensor& input, const Tensor& other, const blas::Library& library, bool by_rows, int64_t lines);
  template <class T>
  void run_as(const T* a, const T* b, T* c) const;

  ScalarType dtype_;
  const blas::Library* library_;
  int64_t m_, n_, k_;
  Matrix a_, b_;
  bool by_rows_;
  int64_t lines_;  // rows or columns of a part
};

}  // namespace tnp::native
