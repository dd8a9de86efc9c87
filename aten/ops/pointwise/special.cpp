// Special functions that are composed of other operators.
#include <cmath>
#include <numbers>

#include "aten/core/numbers/range.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/special.h"
#include "aten/functions/transcendental.h"
#include "aten/fusion/last_use.h"
#include "aten/native_functions/special.h"
#include "aten/ops/operators.h"

namespace tnp::native {

Tensor polygamma(int64_t n, const Tensor& input) {
  TNP_CHECK(n >= 0, ErrorKind::Dtype, "polygamma(n, x) does not support negative {n}, got ", n);
  if (n == 0) return tnp::digamma(input);
  // Doubles above 2^53 are even: the derivative of an odd order there has the opposite sign.
  const bool rounded_to_even = n % 2 == 1 && n > int64_t{1} << 53;
  const Tensor result = tnp::special_polygamma_of(input, wrapped_number(Scalar(static_cast<double>(n))));
  return rounded_to_even ? -result : result;
}

Tensor polygamma_method(const Tensor& input, int64_t n) { return native::polygamma(n, input); }

Tensor mvlgamma(const Tensor& input, int64_t p) {
  TNP_CHECK(p >= 1, ErrorKind::Dtype, "{p} has to be greater than or equal to 1, got ", p);
  // The terms of each element are stored along an additional axis of one tensor. If they do not fit
  // in memory, an error is raised before any term is computed.
  const Tensor x = is_integral(input.dtype()) ? input / Scalar(1.0) : input;
  int64_t terms = 0;
  const bool overflow = __builtin_mul_overflow(std::max<int64_t>(x.numel(), 1) * x.itemsize(), p, &terms);
  TNP_CHECK(!overflow, ErrorKind::Runtime, "{p} = ", p, " terms for each element of {input} of shape ", input.sizes(),
            " have more bytes than an index can count");
  const double count = static_cast<double>(p);
  const Tensor halves = tnp::arange(Scalar(0.0), Scalar(0.5 * count), Scalar(0.5), x.dtype(), x.device());
  const Tensor sum = tnp::sum(tnp::lgamma(tnp::unsqueeze(x, -1) - halves), IntList{-1}, false);
  return sum + Scalar(0.25 * std::log(std::numbers::pi) * count * (count - 1));
}

Tensor logit(const Tensor& input, std::optional<double> eps) {
  if (!eps) return tnp::special_logit_of(input);
  const Tensor x = is_integral(input.dtype()) ? input / Scalar(1.0) : input;
  check_fits(*eps, x.dtype());
  // With eps > 1/2 the lower bound counts.
  const Tensor low = wrapped_number(Scalar(*eps));
  return tnp::special_logit_of(tnp::where(tnp::lt(x, low), low, tnp::clip_high(x, wrapped_number(Scalar(1 - *eps)))));
}

Tensor special_logsumexp(const Tensor& input, IntList dim, bool keepdim) {
  return native::logsumexp(input, dim, keepdim);
}

Tensor logsumexp(const Tensor& input, IntList dim, bool keepdim) {
  const Tensor x = is_integral(input.dtype()) ? input / Scalar(1.0) : input;
  if (x.numel() == 0) return tnp::log(tnp::sum(tnp::exp(x), dim, keepdim));
  // The maximum, as a constant without a gradient. An infinite maximum is replaced by 0, because
  // infinity minus infinity is NaN.
  // Of complex numbers it is that of the real parts, so that the logarithm is the principal one.
  auto largest = [&](bool keep) {
    const NoGradGuard no_grad;
    const Tensor m = tnp::amax(x.is_complex() ? tnp::real(x) : x, dim, keep);
    return tnp::where(tnp::isfinite(m), m, wrapped_number(Scalar(0.0)));
  };
  const auto total = [&](const Tensor& t) {
    const fusion::LastUse last;
    return tnp::sum(t, dim, keepdim);
  };
  return tnp::log(total(tnp::exp(x - largest(true)))) + largest(keepdim);
}

}  // namespace tnp::native
