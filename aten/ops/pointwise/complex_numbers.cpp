// complex() and polar(), which build complex tensors from two real ones, and the operators angle
// and adjoint.
#include <numbers>

#include "aten/core/numbers/promotion.h"
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
  return tnp::view_as_complex(tnp::stack(same, -1));
}

void check_parts(const Tensor& a, const Tensor& b, const char* first, const char* second) {
  TNP_CHECK(a.dtype() == b.dtype(), ErrorKind::Dtype, "{", first, "} has dtype ", a.dtype(), ", but {", second,
            "} has ", b.dtype());
  TNP_CHECK(a.dtype() == ScalarType::Float32 || a.dtype() == ScalarType::Float64, ErrorKind::NotImplemented,
            "not implemented for ", a.dtype());
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
