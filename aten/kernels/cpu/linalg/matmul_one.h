// One product of matrices that BLAS reads where they lie.
#pragma once

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/tensor.h"
#include "aten/kernels/cpu/linalg/matmul_operands.h"

namespace tnp::native {

// For float and double. False: there may be an error that the processor's flags do not tell of, where somebody asks for
// errors (`is_watched`).
template <class T>
bool multiply_one(const Matrix<T>& a, const Matrix<T>& b, T* c, bool is_watched);

// What went wrong in a product that is there: NaN of none is invalid, infinity of finite numbers an overflow.
FloatingPointErrors errors_of_product(const Tensor& a, const Tensor& b, const Tensor& out);

}  // namespace tnp::native
