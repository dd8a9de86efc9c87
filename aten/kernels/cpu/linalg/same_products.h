// Whether a way to multiply gives the bits of matmul(). The sums of a product of two matrices have one order for all
// values, so that equal bits of random numbers are equal bits of all. (x @ x.T is another product.)
#pragma once

#include "aten/core/containers/function_ref.h"
#include "aten/core/tensor.h"

namespace tnp::native {

// Numbers of (-1, 1), the same ones for a seed, in the geometry of a float32 or float64 matrix without elements.
Tensor random_operand(const Tensor& geometry, uint64_t seed);

// `multiply` writes the product of its first two arguments into the third one, which is dense.
bool has_same_bits(const Tensor& input, const Tensor& other,
                   function_ref<void(const Tensor&, const Tensor&, const Tensor&)> multiply);

}  // namespace tnp::native
