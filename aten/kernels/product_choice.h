// Autotuned matrix product, for products that run often. Several ways to multiply give the same
// bits; the fastest one on this machine is chosen.
#pragma once

#include <optional>

#include "aten/core/tensor.h"

namespace tnp::blas {
struct Library;
}

namespace tnp::native {

// C (m, n) = A (m, k) @ B (k, n) of float32 or float64, C dense. A BLAS library computes parts of
// C, which threads share.
class ProductChoice {
 public:
  // Measures the available ways on random operands with these geometries; the operands' own
  // elements are not read. Empty if no way with the bits of matmul() is faster by more than the
  // timer's error. The summation order of a product does not depend on the values. Equal bits for
  // random operands thus mean equal bits for all operands.
  static std::optional<ProductChoice> fastest(const Tensor& input, const Tensor& other);
  bool is_shared() const { return lines_ < (by_rows_ ? m_ : n_); }  // whether threads share the product
  // Computes the same result as matmul_cpu().
  void run(const char* input, const char* other, char* out) const;

 private:
  struct Matrix {
    int64_t row_stride, col_stride, leading;  // in elements
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
  int64_t lines_;  // rows (or columns) per part
};

}  // namespace tnp::native
