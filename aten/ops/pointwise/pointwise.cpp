// Composite pointwise operators: rounding to decimals, clipping by optional bounds, and others.
#include <cmath>
#include <limits>

#include "aten/core/errors/dtype_names.h"
#include "aten/core/needs_derivatives.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/numbers/range.h"
#include "aten/dispatch/out.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/nn.h"
#include "aten/functions/reductions.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/native_functions/arithmetic.h"
#include "aten/native_functions/comparison.h"
#include "aten/native_functions/floating_point.h"
#include "aten/native_functions/nn.h"
#include "aten/native_functions/sorting.h"
#include "aten/ops/operators.h"

namespace tnp::native {

Tensor heaviside(const Tensor& input, const Tensor& values) {
  TNP_CHECK(input.dtype() == values.dtype(), ErrorKind::Runtime, "{input} and {values} must have the same dtype, got ",
            input.dtype(), " and ", values.dtype());
  TNP_CHECK(!input.is_complex(), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  const Tensor zero = wrapped_number(Scalar(0));
  return tnp::where(tnp::eq(input, zero), values, tnp::cast(tnp::gt(input, zero), input.dtype()));
}

Tensor ldexp(const Tensor& input, const Tensor& other) {
  if (is_integer(other.dtype()) && other.dtype() != ScalarType::UInt64 && !input.is_complex())
    return tnp::load_exponent(input, other);
  return input * tnp::pow(wrapped_number(Scalar(2.0)), other);
}

Tensor div_rounding_mode(const Tensor& input, const Tensor& other, std::optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return tnp::div(input, other);
  if (*rounding_mode == "floor") return tnp::floor_divide(input, other);
  TNP_CHECK(*rounding_mode == "trunc", ErrorKind::Shape,
            "expected {rounding_mode} to be one of None, 'trunc', or 'floor' but "
            "found '",
            *rounding_mode, "'");
  return tnp::trunc_divide(input, other);
}

Tensor div_Scalar_mode(const Tensor& input, const Scalar& other, std::optional<std::string_view> rounding_mode) {
  return div_rounding_mode(input, wrapped_number(other), rounding_mode);
}

Tensor round(const Tensor& input, int64_t decimals) {
  TNP_CHECK(!is_bool(input.dtype()) || dialect().face() == Face::NumPy, ErrorKind::NotImplemented,
            "\"round\" is not implemented for bool");
  if (is_integer(input.dtype()) && decimals >= 0) return tnp::clone(input);
  if (decimals == 0) return tnp::rint(input);
  TNP_CHECK(!is_bool(input.dtype()) || dialect().bools_round_to_tens(), ErrorKind::Casting,
            "Cannot cast ufunc 'multiply' output from dtype('float64') to dtype('bool') with casting rule 'same_kind'");
  Tensor scale = wrapped_number(std::pow(10.0, std::abs(static_cast<double>(decimals))));
  if (decimals > 0) return tnp::round_decimals(input, scale);
  Tensor result = tnp::round_multiple(input, scale);
  return is_integer(input.dtype()) ? tnp::cast(result, input.dtype()) : result;
}

namespace {
const Tensor& write_in_place(const Tensor& self, const Tensor& result) {
  check_cast_in_place(result.dtype(), self.dtype());
  return tnp::copy_(self, result);
}
}  // namespace

const Tensor& round_(const Tensor& self, int64_t decimals) { return write_in_place(self, tnp::round(self, decimals)); }

Tensor clamp_Tensor(const Tensor& input, const Tensor& min, const Tensor& max) {
  if (min.defined() && max.defined()) return tnp::clip_both(input, min, max);
  if (min.defined()) return tnp::clip_low(input, min);
  if (max.defined()) return tnp::clip_high(input, max);
  TNP_RAISE(ErrorKind::Shape, dialect().errors_are_numpys() ? "One of {max} or {min} must be given"
                                                            : "At least one of '{min}' or '{max}' must not be None");
}

// If gradients are recorded, the operator saves its input. It must then read a copy of `self`,
// because writing the result to `self` would change the saved input.
const Tensor& clamp__Tensor(const Tensor& self, const Tensor& min, const Tensor& max) {
  const bool kept =
      needs_derivatives(self) || (min.defined() && needs_derivatives(min)) || (max.defined() && needs_derivatives(max));
  return write_in_place(self, clamp_Tensor(kept ? tnp::clone(self) : self, min, max));
}

namespace {

// PyTorch's rule for an integer bound that the integer dtype `type` cannot hold: it is an error if
// no element could be kept, and has no effect otherwise.
Scalar integer_bound(const Scalar& value, ScalarType type, bool is_min) {
  if (value.fits(type)) return value;
  const bool is_low = value.kind() == Scalar::Kind::Int && value.to<int64_t>() < 0;
  TNP_CHECK(is_low == is_min, ErrorKind::Runtime, "Clamp ", is_min ? "min" : "max", " value ", value,
            " is outside the representable range of ", InTorch{type});
  Scalar end;
  visit<IntegerTypes>(type, [&]<class T>() {
    using Limits = std::numeric_limits<T>;
    end = std::is_signed_v<T> ? Scalar(static_cast<int64_t>(is_low ? Limits::min() : Limits::max()))
                              : Scalar(static_cast<uint64_t>(is_low ? Limits::min() : Limits::max()));
  });
  return end;
}

Tensor bound(const Tensor& input, const Scalar& value, bool is_min) {
  if (dialect().errors_are_numpys() || input.is_complex()) return wrapped_number(value);
  if (value.is_complex()) check_fits(value, ScalarType::Float64);
  const Tensor number = wrapped_number(value.is_complex() ? Scalar(value.to<Complex<double>>().re) : value);
  const ScalarType type = result_type(input, number);
  if (is_integer(type)) return wrapped_number(integer_bound(number.item(), type, is_min));
  check_fits(number.item(), type);
  return number;
}

}  // namespace

Tensor clamp(const Tensor& input, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  const Tensor low = min ? bound(input, *min, true) : Tensor(), high = max ? bound(input, *max, false) : Tensor();
  if (min && max) return tnp::clip_both_numbers(input, low, high);
  if (min) return tnp::clip_low_number(input, low);
  if (max) return tnp::clip_high_number(input, high);
  return clamp_Tensor(input, Tensor(), Tensor());  // raises
}

const Tensor& clamp_(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  return write_in_place(self, native::clamp(needs_derivatives(self) ? tnp::clone(self) : self, min, max));
}

Tensor clip_bounds(const Tensor& clipped, const Tensor& a_min, const Tensor& a_max, const Tensor& min,
                   const Tensor& max, const Tensor& out, const Tensor& where, Casting casting, Order order,
                   std::optional<ScalarType> dtype) {
  TNP_CHECK(!((a_min.defined() || a_max.defined()) && (min.defined() || max.defined())), ErrorKind::Value,
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.");
  // numpy.clip converts a number to an array first: so the clipped number is not weak in promotion,
  // only the bounds are.
  const Tensor input = clipped.is_wrapped_number() ? scalar_tensor(clipped.item(), clipped.dtype()) : clipped;
  // A Python integer that is out of range of an integer dtype is treated as no bound, instead of
  // raising an error.
  auto without_effect = [&](const Tensor& bound, bool is_low) {
    if (!bound.defined() || !bound.is_wrapped_number() || !is_integer(bound.dtype()) || !is_integer(input.dtype()))
      return false;
    return !bound.item().fits(input.dtype()) &&
           (bound.dtype() != ScalarType::UInt64 && bound.item<int64_t>() < 0) == is_low;
  };
  Tensor low = min.defined() ? min : a_min, high = max.defined() ? max : a_max;
  if (without_effect(low, true)) low = Tensor();
  if (without_effect(high, false)) high = Tensor();
  const PointwiseOptions options{{out, {}}, where, dtype, casting, order};
  if (low.defined() && high.defined()) return tnp::clip_both(input, low, high, options);
  if (low.defined()) return tnp::clip_low(input, low, options);
  if (high.defined()) return tnp::clip_high(input, high, options);
  return tnp::positive(input, options);  // np.clip(a, None, None) returns a copy
}

Tensor conj_self(const Tensor& input, const Tensor& out) {
  if (!input.is_complex() && !out.defined()) return input;
  PointwiseOptions options;
  options.out[0] = out;
  if (input.is_complex()) return tnp::conj(input, options);
  TNP_CHECK(can_cast(input.dtype(), out.dtype(), Casting::SameKind), ErrorKind::Type,
            "Cannot cast array data from dtype('", input.dtype(), "') to dtype('", out.dtype(),
            "') according to the rule 'same_kind'");
  tnp::copy_(out, input);
  return out;
}

Tensor where_incomplete(const Tensor&, const Tensor&, const Tensor&) {
  TNP_RAISE(ErrorKind::Value, "either both or neither of {x} and {y} should be given");
}

}  // namespace tnp::native
