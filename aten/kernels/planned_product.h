// A product of two matrices of known geometry, without what matmul() finds out about its operands: for products that
// come again and again.
#pragma once

#include <cstdint>
#include <optional>

#include "aten/core/tensor.h"

namespace tnp::native {

// C (m, n) = A (m, k) @ B (k, n) of float32 or float64, C dense.
class TNP_API PlannedProduct {
 public:
  // Of operands of these geometries, which need no elements. Nothing for what matmul() copies or casts, or has nothing
  // to compute for.
  static std::optional<PlannedProduct> of(const Tensor& input, const Tensor& other);

  // The bits of matmul_cpu(). False: there may be an error that the processor's flags do not tell of (`is_watched`).
  bool run(const char* input, const char* other, char* out, bool is_watched) const;
  // Whether one thread may compute it while others compute others, in the bits of matmul_cpu(), and takes long enough
  // for that. Where a library may take threads of its own, random operands tell whether it has the same bits without;
  // of the geometries of of().
  bool is_share(const Tensor& input, const Tensor& other) const;
  // As run(), by the calling thread alone; of what is_share().
  void run_alone(const char* input, const char* other, char* out) const { run(input, other, out, true); }

  int64_t work() const { return m_ * n_ * k_; }  // multiplications
  // Of which threads have shares, while they are at hand.
  bool is_shared() const;

 private:
  PlannedProduct() = default;
  template <class T>
  bool run_as(const char* input, const char* other, char* out, bool is_watched) const;

  ScalarType dtype_;
  int64_t m_, n_, k_;
  int64_t input_strides_[2], other_strides_[2];  // elements
};

}  // namespace tnp::native
