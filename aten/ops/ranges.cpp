// arange and linspace.
#include <cmath>

#include "aten/core/parallel.h"
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/layout.h"

namespace tnp::native {

namespace {

// out[i] = start + i * delta, in T as NumPy's fill functions compute it (16-bit floats in float).
template <class T>
void fill_range(const Tensor& out, T start, T delta) {
  T* to = out.data_ptr<T>();
  parallel_for(0, out.numel(), kParallelWork, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if constexpr (is_complex_v<T>) {
        using R = real_t<T>;
        to[i] = T(start.re + static_cast<R>(i) * delta.re, start.im + static_cast<R>(i) * delta.im);
      } else if constexpr (is_reduced_float_v<T>) {
        to[i] = T(static_cast<float>(start) + static_cast<float>(i) * static_cast<float>(delta));
      } else if constexpr (std::is_floating_point_v<T>) {
        to[i] = start + static_cast<T>(i) * delta;
      } else {
        to[i] = static_cast<T>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
      }
    }
  });
}

// Writes first, second, second + (second - first), ...
void fill_arithmetic(const Tensor& out, const Scalar& first, const Scalar& second) {
  check_fits(first, out.dtype());
  if (out.numel() > 1) check_fits(second, out.dtype());
  visit_dtype(out.dtype(), [&]<class T>() {
    T a = first.to<T>(), b = second.to<T>();
    if constexpr (std::is_same_v<T, bool>) {
      TNP_CHECK(out.numel() <= 2, ErrorKind::Type, "arange() is only supported for booleans when the result has at most length 2.");
      for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<T>()[i] = i == 0 ? a : b;
    } else {
      T delta;
      if constexpr (std::is_integral_v<T>) delta = static_cast<T>(static_cast<uint64_t>(b) - static_cast<uint64_t>(a));
      else if constexpr (is_reduced_float_v<T>) delta = T(static_cast<float>(b) - static_cast<float>(a));
      else delta = b - a;
      fill_range<T>(out, a, delta);
      if (out.numel() > 1) out.data_ptr<T>()[1] = b;  // exactly, whatever a + delta rounds to
    }
  });
}

__int128 integer(const Scalar& s) {
  return s.kind() == Scalar::Kind::UInt ? static_cast<__int128>(s.to<uint64_t>()) : static_cast<__int128>(s.to<int64_t>());
}

Complex<double> plus(const Scalar& a, const Scalar& b) { return a.to<Complex<double>>() + b.to<Complex<double>>(); }

Scalar sum_of(const Scalar& a, const Scalar& b) {
  if (a.is_integral() && b.is_integral()) {
    __int128 sum = integer(a) + integer(b);
    // Modulo 2^64: only a result of one element may have a second value that large.
    return sum > INT64_MAX ? Scalar(static_cast<uint64_t>(sum)) : Scalar(static_cast<int64_t>(sum));
  }
  if (a.is_complex() || b.is_complex()) return Scalar(plus(a, b));
  return Scalar(a.to<double>() + b.to<double>());
}

int64_t length_of(double quotient) {
  double length = std::ceil(quotient);
  TNP_CHECK(!std::isnan(length), ErrorKind::Value, "arange: cannot compute length");
  TNP_CHECK(length < 9223372036854775808.0 && length >= -9223372036854775808.0, ErrorKind::Value, "Maximum allowed size exceeded");
  return std::max<int64_t>(static_cast<int64_t>(length), 0);
}

// ceil((stop - start) / step), as NumPy's _calc_length. A step of 0 raises ZeroDivision among Python numbers; NumPy's
// scalars divide by it.
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
  // An underflow: there is a first value all the same.
  if (quotient == 0 && distance != 0) return std::signbit(quotient) ? 0 : 1;
  return length_of(quotient);
}

// What was computed on the CPU, where it is wanted.
Tensor on_device(Tensor t, std::optional<Device> device) {
  const Device wanted = device.value_or(default_device());
  return wanted.is_cpu() ? t : native::transfer(t, wanted, false);
}

Tensor with_grad(Tensor t, bool requires_grad) {
  if (requires_grad) t.set_requires_grad(true);
  return t;
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
    dtype = ScalarType::Int64;  // at least
    for (const Tensor* t : {&start, &stop, &step}) {
      if (!t->defined()) continue;
      bool is_python_float = t->is_wrapped_number() && is_floating(t->dtype());
      dtype = promote_types(*dtype, is_python_float ? default_dtype() : t->dtype());
    }
  }
  int64_t length = range_length(first, last, by, python_numbers);
  Tensor out = empty_tensor({length}, *dtype);
  if (length > 0) fill_arithmetic(out, first, sum_of(first, by));
  return with_grad(on_device(out, device), requires_grad);
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
  int64_t length = range_length(start, end, step, true);
  Tensor out = empty_tensor({length}, type);
  if (length > 0) fill_arithmetic(out, start, sum_of(start, step));
  return with_grad(on_device(out, device), requires_grad);
}

Tensor arange(const Scalar& end, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad) {
  return native::arange_start(0, end, 1, dtype, device, requires_grad);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, std::optional<ScalarType> dtype,
                std::optional<Device> device, bool requires_grad) {
  TNP_CHECK(steps >= 0, ErrorKind::Shape, "number of {steps} must be non-negative, got ", steps);
  bool complex = start.is_complex() || end.is_complex();
  ScalarType type = dtype.value_or(complex ? to_complex(default_dtype()) : default_dtype());
  Tensor out = empty_tensor({steps}, type);
  visit_dtype(type, [&]<class T>() {
    using C = std::conditional_t<is_complex_v<T>, T, double>;  // wide enough for each T's own precision
    C a = start.to<C>(), b = end.to<C>();
    C step = steps > 1 ? (b - a) / C(static_cast<real_t<C>>(steps - 1)) : C(0);
    for (int64_t i = 0; i < steps; ++i) {
      // From both ends, so that the last value is `end` exactly.
      C value = i < (steps + 1) / 2 ? a + C(static_cast<real_t<C>>(i)) * step
                                    : b - C(static_cast<real_t<C>>(steps - 1 - i)) * step;
      out.data_ptr<T>()[i] = convert<T>(value);
    }
  });
  return with_grad(on_device(out, device), requires_grad);
}

Tensor linspace_np(const Scalar& start, const Scalar& stop, int64_t num, bool endpoint, std::optional<ScalarType> dtype) {
  TNP_CHECK(num >= 0, ErrorKind::Value, "Number of samples, ", num, ", must be non-negative.");
  Tensor out = empty_tensor({num}, dtype.value_or(default_dtype()));
  double a = start.to<double>(), b = stop.to<double>(), delta = b - a;
  int64_t intervals = endpoint ? num - 1 : num;
  double step = intervals > 0 ? delta / static_cast<double>(intervals) : 0;
  visit_dtype(out.dtype(), [&]<class T>() {
    T* to = out.data_ptr<T>();
    for (int64_t i = 0; i < num; ++i) {
      auto n = static_cast<double>(i);
      // A step that underflows would give the same number over and over.
      double value = (step != 0 ? n * step : intervals > 0 ? n / static_cast<double>(intervals) * delta : n * delta) + a;
      if (endpoint && num > 1 && i == num - 1) value = b;
      to[i] = convert<T>(std::is_integral_v<T> && !std::is_same_v<T, bool> ? std::floor(value) : value);
    }
  });
  return on_device(out, std::nullopt);
}

}  // namespace tnp::native
