// C++ operators on tensors, so that formulas read as in a book. Numbers act as Python numbers: they
// only change the tensor's dtype if they are of a higher kind.
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

// conj(x), without a copy of a real x.
TNP_API Tensor conjugated(const Tensor& x);

}  // namespace tnp
