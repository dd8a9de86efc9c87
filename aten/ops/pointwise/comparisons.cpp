// PyTorch's comparisons of whole tensors, comparisons with tolerances, and clamping.
#include <algorithm>

#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/native_functions/comparison.h"
#include "aten/native_functions/floating_point.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

bool all_true(const Tensor& t) { return tnp::all(t, std::nullopt, false).item<bool>(); }

}  // namespace

Tensor clamp_max(const Tensor& input, const Tensor& max) { return tnp::clip_high(input, max); }
Tensor clamp_max_Scalar(const Tensor& input, const Scalar& max) { return native::clamp(input, {}, max); }
Tensor clamp_min(const Tensor& input, const Tensor& min) { return tnp::clip_low(input, min); }
Tensor clamp_min_Scalar(const Tensor& input, const Scalar& min) { return native::clamp(input, min, {}); }

Tensor isposinf(const Tensor& input) {
  TNP_CHECK(!input.is_complex(), ErrorKind::Type, "isposinf is not defined for complex {input}");
  return tnp::logical_and(tnp::isinf(input), tnp::logical_not(tnp::signbit(input)));
}

Tensor isneginf(const Tensor& input) {
  TNP_CHECK(!input.is_complex(), ErrorKind::Type, "isneginf is not defined for complex {input}");
  return tnp::logical_and(tnp::isinf(input), tnp::signbit(input));
}

Tensor isreal(const Tensor& input) {
  if (!input.is_complex()) return tnp::ones_like(input, ScalarType::Bool);
  return tnp::eq(tnp::imag(input), wrapped_number(Scalar(0)));
}

Tensor isclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
  TNP_CHECK(input.dtype() == other.dtype(), ErrorKind::Dtype, "{input} has dtype ", input.dtype(), ", but {other} has ",
            other.dtype());
  TNP_CHECK(rtol >= 0 && atol >= 0, ErrorKind::Domain, "{rtol} and {atol} must not be negative, but are ", rtol,
            " and ", atol);
  const NoGradGuard no_grad;
  Tensor close = tnp::eq(input, other);
  if (equal_nan && !is_integral(input.dtype()))
    close = tnp::logical_or(close, tnp::logical_and(tnp::isnan(input), tnp::isnan(other)));
  if (rtol == 0 && atol == 0) return close;
  const ScalarType wide = is_integral(input.dtype()) ? ScalarType::Float64 : input.dtype();
  const Tensor a = tnp::cast(input, wide), b = tnp::cast(other, wide);
  const Tensor difference = tnp::abs(a - b), allowed = tnp::abs(b) * Scalar(rtol) + Scalar(atol);
  // If the tolerance is infinite, an infinite difference still counts as not close.
  return tnp::logical_or(close, tnp::logical_and(tnp::isfinite(difference), tnp::le(difference, allowed)));
}

bool allclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return all_true(tnp::isclose(input, other, rtol, atol, equal_nan));
}

bool equal(const Tensor& input, const Tensor& other) {
  TNP_CHECK(input.device() == other.device(), ErrorKind::Runtime, "{input} is on ", input.device(), ", {other} on ",
            other.device());
  const NoGradGuard no_grad;
  return std::ranges::equal(input.sizes(), other.sizes()) && all_true(tnp::eq(input, other));
}

// Looks up each element in the sorted test elements: it is present if it equals the element at its
// insertion point.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
  const NoGradGuard no_grad;
  const ScalarType dtype = result_type(elements, test_elements);
  TNP_CHECK(!is_complex(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  const Tensor keys = tnp::cast(elements, dtype);
  if (test_elements.numel() == 0) return tnp::full_like(elements, Scalar(invert), ScalarType::Bool);
  const Tensor sorted =
      std::get<0>(tnp::sort(tnp::reshape(tnp::cast(test_elements, dtype), DimVector{-1}), -1, false, false));
  const Tensor last = wrapped_number(Scalar(sorted.size(0) - 1));
  const Tensor places = tnp::minimum(tnp::searchsorted(sorted, keys), last);
  const Tensor found = tnp::eq(tnp::take(sorted, places), keys);
  return invert ? tnp::logical_not(found) : found;
}

Tensor isin_Tensor_Scalar(const Tensor& elements, const Scalar& test_element, bool, bool invert) {
  const NoGradGuard no_grad;
  return invert ? elements != test_element : elements == test_element;
}

Tensor isin_Scalar_Tensor(const Scalar& element, const Tensor& test_elements, bool, bool invert) {
  const NoGradGuard no_grad;
  const Tensor found = tnp::any(test_elements == element, std::nullopt, false);
  return invert ? tnp::logical_not(found) : found;
}

}  // namespace tnp::native
