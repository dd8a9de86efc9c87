// A product of two matrices that BLAS reads without copies.
#pragma once

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/tensor.h"
#include "aten/kernels/cpu/linalg/matmul_operands.h"

namespace tnp::native {

// c = a @ b, for float and double. Returns false if, while errors are watched (`is_watched`), there
// may be an error that the processor's flags do not show.
template <class T>
bool multiply_one(const Matrix<T>& a, const Matrix<T>& b, T* c, bool is_watched);

// The errors of a computed product. A NaN from operands without NaN is invalid; an infinity from
// finite operands is an overflow.
FloatingPointErrors errors_of_product(const Tensor& a, const Tensor& b, const Tensor& out);

}  // namespace tnp::native
