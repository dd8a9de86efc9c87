#include "aten/ops/operators.h"

#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"

namespace tnp {

Tensor operator-(const Tensor& a) { return neg(a); }

#define TNP_TENSOR_OPERATOR(op, function)                                                         \
  Tensor operator op(const Tensor& a, const Tensor& b) { return function(a, b); }                 \
  Tensor operator op(const Tensor& a, const Scalar& b) { return function(a, wrapped_number(b)); } \
  Tensor operator op(const Scalar& a, const Tensor& b) { return function(wrapped_number(a), b); }
TNP_TENSOR_OPERATOR(+, add)
TNP_TENSOR_OPERATOR(-, sub)
TNP_TENSOR_OPERATOR(*, mul)
TNP_TENSOR_OPERATOR(/, div)
TNP_TENSOR_OPERATOR(==, eq)
TNP_TENSOR_OPERATOR(!=, ne)
TNP_TENSOR_OPERATOR(<, lt)
TNP_TENSOR_OPERATOR(<=, le)
TNP_TENSOR_OPERATOR(>, gt)
TNP_TENSOR_OPERATOR(>=, ge)
#undef TNP_TENSOR_OPERATOR

Tensor conjugated(const Tensor& x) { return x.is_complex() ? conj(x) : x; }

}  // namespace tnp
