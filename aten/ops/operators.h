// C++ operators on tensors (a + b, a * 2), for readable formulas. Numbers act as Python numbers:
// the result has the tensor's dtype unless the number is of a higher kind (a floating-point number
// with an integer tensor).
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

TNP_API Tensor operator-(const Tensor& a);

#define TNP_TENSOR_OPERATOR(op)                                 \
  TNP_API Tensor operator op(const Tensor& a, const Tensor& b); \
  TNP_API Tensor operator op(const Tensor& a, const Scalar& b); \
  TNP_API Tensor operator op(const Scalar& a, const Tensor& b);
TNP_TENSOR_OPERATOR(+)
TNP_TENSOR_OPERATOR(-)
TNP_TENSOR_OPERATOR(*)
TNP_TENSOR_OPERATOR(/)
TNP_TENSOR_OPERATOR(==)
TNP_TENSOR_OPERATOR(!=)
TNP_TENSOR_OPERATOR(<)
TNP_TENSOR_OPERATOR(<=)
TNP_TENSOR_OPERATOR(>)
TNP_TENSOR_OPERATOR(>=)
#undef TNP_TENSOR_OPERATOR

// conj(x); returns x itself if x is real.
TNP_API Tensor conjugated(const Tensor& x);

}  // namespace tnp
