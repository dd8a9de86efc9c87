// Rules that compute element i of a range (arange, linspace), for host and device.
#pragma once

#include <cmath>

#include "aten/core/macros.h"
#include "aten/core/numbers/dtype.h"
#include "aten/core/numbers/scalar.h"

namespace tnp {

// start + i * delta, computed in T as NumPy's fill functions do (16-bit floats in float32). Element
// 1 is exactly `second`, even if start + delta rounds differently.
template <class T>
struct Arithmetic {
  T start, second, delta;

  static Arithmetic of(const Scalar& first, const Scalar& second) {
    const T a = first.to<T>(), b = second.to<T>();
    if constexpr (std::is_same_v<T, bool>)
      return {a, b, b};
    else if constexpr (std::is_integral_v<T>)
      return {a, b, static_cast<T>(static_cast<uint64_t>(b) - static_cast<uint64_t>(a))};
    else if constexpr (is_reduced_float_v<T>)
      return {a, b, T(static_cast<float>(b) - static_cast<float>(a))};
    else
      return {a, b, b - a};
  }
  TNP_HOST_DEVICE T operator()(int64_t i) const { return i == 1 ? second : rounded(i); }
  TNP_HOST_DEVICE T rounded(int64_t i) const {
    if constexpr (std::is_same_v<T, bool>) {
      return start;  // a range of bool has at most two elements
    } else if constexpr (is_complex_v<T>) {
      using R = real_t<T>;
      return T(start.re + static_cast<R>(i) * delta.re, start.im + static_cast<R>(i) * delta.im);
    } else if constexpr (is_reduced_float_v<T>) {
      return T(static_cast<float>(start) + static_cast<float>(i) * static_cast<float>(delta));
    } else if constexpr (std::is_floating_point_v<T>) {
      return start + static_cast<T>(i) * delta;
    } else {
      return static_cast<T>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
    }
  }
};

// PyTorch's linspace: counts from both ends, so that the last value is exactly `stop`.
template <class T>
struct SpacedFromBothEnds {
  using C = std::conditional_t<is_complex_v<T>, T, double>;  // at least as precise as T
  C start, stop, step;
  int64_t count;

  static SpacedFromBothEnds of(const Scalar& start, const Scalar& stop, int64_t count, bool) {
    const C a = start.to<C>(), b = stop.to<C>();
    return {a, b, count > 1 ? (b - a) / C(static_cast<real_t<C>>(count - 1)) : C(0), count};
  }
  TNP_HOST_DEVICE T operator()(int64_t i) const {
    return convert<T>(i < (count + 1) / 2 ? start + C(static_cast<real_t<C>>(i)) * step
                                          : stop - C(static_cast<real_t<C>>(count - 1 - i)) * step);
  }
};

// NumPy's linspace: i * step + start. Integers are rounded down.
template <class T>
struct Spaced {
  double start, stop, delta, step;
  int64_t count, intervals;

  static Spaced of(const Scalar& start, const Scalar& stop, int64_t count, bool endpoint) {
    const double a = start.to<double>(), b = stop.to<double>(), delta = b - a;
    const int64_t intervals = endpoint ? count - 1 : count;
    return {a, b, delta, intervals > 0 ? delta / static_cast<double>(intervals) : 0, count, intervals};
  }
  TNP_HOST_DEVICE T operator()(int64_t i) const {
    const auto n = static_cast<double>(i);
    // If the step underflows to 0, all numbers would be equal.
    double value = (step != 0       ? n * step
                    : intervals > 0 ? n / static_cast<double>(intervals) * delta
                                    : n * delta) +
                   start;
    if (intervals == count - 1 && count > 1 && i == count - 1) value = stop;
    return convert<T>(std::is_integral_v<T> && !std::is_same_v<T, bool> ? std::floor(value) : value);
  }
};

// Calls f(rule) with the rule of a linspace.
template <class T, class F>
void visit_spaced(const Scalar& start, const Scalar& stop, int64_t count, bool endpoint, bool from_both_ends, F&& f) {
  if (from_both_ends)
    f(SpacedFromBothEnds<T>::of(start, stop, count, endpoint));
  else
    f(Spaced<T>::of(start, stop, count, endpoint));
}

}  // namespace tnp
