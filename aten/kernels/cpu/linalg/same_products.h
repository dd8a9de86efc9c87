// Tests whether a way to multiply gives the bits of matmul(). The summation order of a product does
// not depend on the values, so equal bits for random operands mean equal bits for all. (matmul()
// computes x @ x.T by another method.)
#pragma once

#include "aten/core/containers/function_ref.h"
#include "aten/core/tensor.h"

namespace tnp::native {

// Random numbers in (-1, 1), determined by the seed, with the geometry of a float32 or float64
// matrix whose elements are not read.
Tensor random_operand(const Tensor& geometry, uint64_t seed);

// `multiply` writes the product of its first two arguments to the third one, which is dense.
bool has_same_bits(const Tensor& input, const Tensor& other,
                   function_ref<void(const Tensor&, const Tensor&, const Tensor&)> multiply);

}  // namespace tnp::native
