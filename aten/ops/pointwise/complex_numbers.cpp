// complex() and polar(), which build complex tensors from two real ones, and the operators angle
// and adjoint.
#include <numbers>

#include "aten/core/errors/dtype_names.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/joining.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/native_functions/shape.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

Tensor from_parts(const Tensor& re, const Tensor& im) {
  const Tensor parts[] = {re, im};
  const std::vector<Tensor> same = tnp::broadcast_tensors(parts);
  const Tensor pairs = tnp::stack(same, -1);
  const bool adjacent = pairs.stride(-1) == 1 || pairs.numel() == 0;
  const Tensor joined = tnp::view_as_complex(adjacent ? pairs : tnp::clone(pairs, Order::C));
  // The stacked parts are this result's alone: it is no view of them.
  if (!compute_requires_grad(joined)) joined.impl()->base = nullptr;
  return joined;
}

void check_parts(const Tensor& a, const Tensor& b, const char* first, const char* second) {
  for (const Tensor* t : {&a, &b}) {
    TNP_CHECK(is_floating(t->dtype()) && t->dtype() != ScalarType::BFloat16, ErrorKind::NotImplemented,
              "Expected both inputs to be Half, Float or Double tensors but got ", InTorch{a.dtype()}, " and ",
              InTorch{b.dtype()});
  }
  TNP_CHECK(a.dtype() == b.dtype(), ErrorKind::Dtype, "Expected object of scalar type ", InTorch{a.dtype()},
            " but got scalar type ", InTorch{b.dtype()}, " for second argument: {", first, "} and {", second,
            "} must have the same dtype");
  TNP_CHECK(a.dtype() != ScalarType::Float16, ErrorKind::NotImplemented, "not implemented for ", a.dtype());
}

}  // namespace

Tensor complex(const Tensor& real, const Tensor& imag) {
  check_parts(real, imag, "real", "imag");
  return from_parts(real, imag);
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
  check_parts(abs, angle, "abs", "angle");
  return from_parts(abs * tnp::cos(angle), abs * tnp::sin(angle));
}

Tensor angle(const Tensor& input) {
  if (input.is_complex()) return tnp::atan2(tnp::imag(input), tnp::real(input));
  const Tensor x = is_integral(input.dtype()) ? tnp::cast(input, floating_dtype_of_integers()) : input;
  const Tensor of_numbers = tnp::where(tnp::lt(x, wrapped_number(Scalar(0))), wrapped_number(Scalar(std::numbers::pi)),
                                       wrapped_number(Scalar(0.0)));
  return tnp::where(tnp::isnan(x), x, tnp::cast(of_numbers, x.dtype()));
}

Tensor adjoint(const Tensor& input) {
  TNP_CHECK(input.dim() != 1, ErrorKind::Shape, "tensor.adjoint() is only supported on matrices or batches of ",
            "matrices. Got 1-D tensor.");
  const Tensor transposed = input.dim() == 0 ? input : tnp::transpose(input, -2, -1);
  return input.is_complex() ? tnp::conj(transposed) : transposed;
}

}  // namespace tnp::native
