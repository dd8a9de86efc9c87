// One product of matrices that BLAS reads where they lie.
#pragma once

#include "aten/kernels/cpu/matmul_operands.h"

namespace tnp::native {

// For float and double. False: there may be an error that the processor's flags do not tell of, where somebody asks for
// errors (`is_watched`).
template <class T>
bool multiply_one(const Matrix<T>& a, const Matrix<T>& b, T* c, bool is_watched);

}  // namespace tnp::native
