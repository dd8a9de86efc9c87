// A matrix product of fixed geometry that is planned once and run often, for example by a compiled
// function. run() skips the checks and choices that matmul() makes in each call.
#pragma once

#include <cstdint>
#include <optional>

#include "aten/core/tensor.h"

namespace tnp::native {

// C (m, n) = A (m, k) @ B (k, n) of float32 or float64, C dense.
class TNP_API PlannedProduct {
 public:
  // A plan for operands with the geometries of `input` and `other`, whose elements are not read.
  // Empty if matmul() would copy or cast an operand, or if there is nothing to compute.
  static std::optional<PlannedProduct> of(const Tensor& input, const Tensor& other);

  // Computes the same bits as matmul_cpu(). With `is_watched`, returns false if a floating-point
  // error may have occurred that the processor's flags do not show.
  bool run(const char* input, const char* other, char* out, bool is_watched) const;
  // Whether this product can run on one thread while other threads run other products: it gives the
  // bits of matmul_cpu() and takes long enough to be worth a thread. If the library may use threads
  // of its own, the bits are compared on random operands. The arguments have the geometries passed
  // to of().
  bool is_share(const Tensor& input, const Tensor& other) const;
  // Like run(), on the calling thread alone. Requires is_share().
  void run_alone(const char* input, const char* other, char* out) const { run(input, other, out, true); }

  int64_t work() const { return m_ * n_ * k_; }  // number of multiplications
  // Whether several threads share the product, if available.
  bool is_shared() const;

 private:
  PlannedProduct() = default;
  template <class T>
  bool run_as(const char* input, const char* other, char* out, bool is_watched) const;

  ScalarType dtype_;
  int64_t m_, n_, k_;
  int64_t input_strides_[2], other_strides_[2];  // in elements
};

}  // namespace tnp::native
