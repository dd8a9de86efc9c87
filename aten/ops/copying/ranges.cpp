// arange and linspace.
#include <cmath>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/needs_derivatives.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/creation.h"
#include "aten/ops/operators.h"
#include "aten/ops/with_grad.h"

namespace tnp::native {

namespace {

__int128 integer(const Scalar& s) {
  return s.kind() == Scalar::Kind::UInt ? static_cast<__int128>(s.to<uint64_t>())
                                        : static_cast<__int128>(s.to<int64_t>());
}

Complex<double> plus(const Scalar& a, const Scalar& b) { return a.to<Complex<double>>() + b.to<Complex<double>>(); }

Scalar sum_of(const Scalar& a, const Scalar& b) {
  if (a.is_integral() && b.is_integral()) {
    __int128 sum = integer(a) + integer(b);
    // The sum wraps modulo 2^64. The second value of a range is only that large if the range has
    // one element, which is not affected.
    return sum > INT64_MAX ? Scalar(static_cast<uint64_t>(sum)) : Scalar(static_cast<int64_t>(sum));
  }
  if (a.is_complex() || b.is_complex()) return Scalar(plus(a, b));
  return Scalar(a.to<double>() + b.to<double>());
}

int64_t length_of(double quotient) {
  double length = std::ceil(quotient);
  TNP_CHECK(!std::isnan(length), ErrorKind::Value, "cannot compute length");
  TNP_CHECK(length < 9223372036854775808.0 && length >= -9223372036854775808.0, ErrorKind::Value,
            "Maximum allowed size exceeded");
  return std::max<int64_t>(static_cast<int64_t>(length), 0);
}

// ceil((stop - start) / step), as in NumPy's _calc_length. A step of 0 raises ZeroDivision if all
// arguments are Python numbers. With NumPy scalars, the division gives infinity or NaN.
int64_t range_length(const Scalar& start, const Scalar& stop, const Scalar& step, bool python_numbers) {
  if (!python_numbers && step.to<Complex<double>>() == Complex<double>(0)) {
    return length_of(stop.to<double>() == start.to<double>() ? NAN : INFINITY);
  }
  if (start.is_integral() && stop.is_integral() && step.is_integral()) {
    __int128 d = integer(step), distance = integer(stop) - integer(start);
    TNP_CHECK(d != 0, ErrorKind::ZeroDivision, "division by zero");
    if ((distance > 0) != (d > 0) || distance == 0) return 0;
    __int128 length = (distance + d - (d > 0 ? 1 : -1)) / d;
    TNP_CHECK(length <= INT64_MAX, ErrorKind::Value, "Maximum allowed size exceeded");
    return static_cast<int64_t>(length);
  }
  if (start.is_complex() || stop.is_complex() || step.is_complex()) {
    auto distance = stop.to<Complex<double>>() - start.to<Complex<double>>(), d = step.to<Complex<double>>();
    TNP_CHECK(d != Complex<double>(0), ErrorKind::ZeroDivision, "division by zero");
    auto quotient = distance / d;
    return std::min(length_of(quotient.re), length_of(quotient.im));
  }
  double distance = stop.to<double>() - start.to<double>(), d = step.to<double>();
  TNP_CHECK(d != 0, ErrorKind::ZeroDivision, "division by zero");
  double quotient = distance / d;
  // The quotient underflowed to 0. A range with a positive quotient contains at least its start.
  if (quotient == 0 && distance != 0) return std::signbit(quotient) ? 0 : 1;
  return length_of(quotient);
}

// The arithmetic sequence first, second, second + (second - first), ...
Tensor arithmetic_of(int64_t count, const Scalar& first, const Scalar& second, ScalarType dtype,
                     std::optional<Device> device) {
  const Device to = required_device(device);
  if (count == 0) return empty_tensor({0}, dtype, to);
  check_fits(first, dtype);
  if (count > 1) check_fits(second, dtype);
  TNP_CHECK(!is_bool(dtype) || count <= 2, ErrorKind::Type,
            "arange() is only supported for booleans when the result has at most length 2.");
  return tnp::arithmetic_sequence(count, first, second, dtype, to);
}

// Computes a range by differentiable operators of `start` and `step`. The end has no gradient,
// because small changes of it do not change the length.
Tensor differentiable_range(int64_t length, const Tensor& start, const Tensor& step, ScalarType dtype,
                            std::optional<Device> device) {
  const Tensor first = tnp::cast(start, dtype), one = wrapped_number(Scalar(1));
  const Tensor second = first + tnp::cast(step.defined() ? step : one, dtype);
  const Tensor places = tnp::arange(Scalar(length), dtype, device);
  return places * (second - first) + first;
}
}  // namespace

Tensor arange_np(const Tensor& start, const Tensor& stop, const Tensor& step, std::optional<ScalarType> dtype,
                 std::optional<Device> device, bool requires_grad) {
  bool python_numbers = true;
  for (const Tensor* t : {&start, &stop, &step}) {
    TNP_CHECK(!t->defined() || t->dim() == 0, ErrorKind::Type,
              "only 0-dimensional arrays can be converted to Python scalars, got shape ", t->sizes());
    python_numbers = python_numbers && (!t->defined() || t->is_wrapped_number());
  }
  Scalar first = stop.defined() ? start.item() : Scalar(0), last = stop.defined() ? stop.item() : start.item();
  Scalar by = step.defined() ? step.item() : Scalar(1);
  if (!dtype) {
    // If one argument is a Python float, Python integers count as floats.
    auto python_float = [](const Tensor* t) {
      return t->defined() && t->is_wrapped_number() && is_floating(t->dtype());
    };
    const bool floating = python_float(&start) || python_float(&stop) || python_float(&step);
    dtype = floating ? default_dtype() : default_integer_dtype();  // at least
    for (const Tensor* t : {&start, &stop, &step}) {
      if (!t->defined()) continue;
      if (!t->is_wrapped_number() || is_complex(t->dtype()) || t->dtype() == ScalarType::UInt64)
        dtype = promote_types(*dtype, t->dtype());
      else if (!floating && t->dtype() == ScalarType::Int64)
        dtype = promote_types(*dtype, dtype_of_integer(t->item<int64_t>()));
    }
  }
  TNP_CHECK(is_complex(*dtype) || !(first.is_complex() || last.is_complex() || by.is_complex()), ErrorKind::Type,
            "must be real number, not complex");
  int64_t length = range_length(first, last, by, python_numbers);
  if (stop.defined() && needs_derivatives(start, step) && is_differentiable(*dtype))
    return differentiable_range(length, start, step, *dtype, device);
  return with_grad(arithmetic_of(length, first, length > 1 ? sum_of(first, by) : first, *dtype, device), requires_grad);
}

Tensor arange_start(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<ScalarType> dtype,
                    std::optional<Device> device, bool requires_grad) {
  bool integral = start.is_integral() && end.is_integral() && step.is_integral();
  ScalarType type = dtype.value_or(integral ? ScalarType::Int64 : default_dtype());
  double distance = end.to<double>() - start.to<double>(), d = step.to<double>();
  TNP_CHECK(d != 0, ErrorKind::Shape, "{step} must be nonzero");
  TNP_CHECK(std::isfinite(distance), ErrorKind::Shape, "unsupported range: ", start, " -> ", end);
  TNP_CHECK(distance == 0 || (distance > 0) == (d > 0), ErrorKind::Shape,
            "upper bound and lower bound inconsistent with step sign");
  const int64_t length = range_length(start, end, step, true);
  // PyTorch truncates the start and the step of integers, not each element.
  const bool truncates = is_integer(type) && !integral;
  const Scalar first = truncates ? Scalar(start.to<int64_t>()) : start;
  const Scalar by = truncates ? Scalar(step.to<int64_t>()) : step;
  return with_grad(arithmetic_of(length, first, length > 0 ? sum_of(first, by) : first, type, device), requires_grad);
}

Tensor arange(const Scalar& end, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad) {
  return native::arange_start(0, end, 1, dtype, device, requires_grad);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, std::optional<ScalarType> dtype,
                std::optional<Device> device, bool requires_grad) {
  TNP_CHECK(steps >= 0, ErrorKind::Shape, "number of {steps} must be non-negative, got ", steps);
  bool complex = start.is_complex() || end.is_complex();
  ScalarType type = dtype.value_or(complex ? to_complex(default_dtype()) : default_dtype());
  // PyTorch truncates the bounds of integers, and then each number.
  auto bound = [&](const Scalar& value) {
    check_fits(value, type);
    return is_integer(type) ? scalar_tensor(value, type).item() : value;
  };
  return with_grad(tnp::evenly_spaced(steps, bound(start), bound(end), true, true, type, required_device(device)),
                   requires_grad);
}

Tensor linspace_np(const Scalar& start, const Scalar& stop, int64_t num, bool endpoint, std::optional<ScalarType> dtype,
                   std::optional<Device> device) {
  TNP_CHECK(num >= 0, ErrorKind::Value, "Number of samples, ", num, ", must be non-negative.");
  return tnp::evenly_spaced(num, start, stop, endpoint, false, dtype.value_or(default_dtype()),
                            required_device(device));
}

}  // namespace tnp::native
