// Our own vector math over arrays, a register at a time.
#include "aten/kernels/cpu/pointwise/vector_math.h"

#include <bit>
#include <cmath>

#include "aten/kernels/cpu/pointwise/vector_math/error_function.h"
#include "aten/kernels/cpu/pointwise/vector_math/hyperbolic.h"
#include "aten/kernels/cpu/pointwise/vector_math/inverse_trigonometric.h"
#include "aten/kernels/cpu/pointwise/vector_math/power.h"
#include "aten/kernels/cpu/pointwise/vector_math/remainder.h"
#include "aten/kernels/cpu/pointwise/vector_math/tanh_table.h"
#include "aten/kernels/cpu/pointwise/vector_math/trigonometric.h"

namespace tnp::vector_math_loops::TNP_CPU_CAPABILITY {

namespace {

using namespace tnp::TNP_CPU_CAPABILITY::vector_math;

// Accumulates the largest and smallest magnitudes of results. found_any() returns whether a result
// is not finite or, if `underflows`, below the normal numbers.
template <class V, bool underflows>
class Hints {
  using U = Unsigned<V>;

 public:
  TNP_INLINE void see(V result) {
    const U magnitude = reinterpret_cast<U>(bits(absolute(result)));
    largest_ = magnitude > largest_ ? magnitude : largest_;
    if constexpr (underflows) smallest_ = magnitude < smallest_ ? magnitude : smallest_;
  }
  bool found_any() const {
    using T = Element<V>;
    constexpr auto limit = std::bit_cast<Element<U>>(kInfinity<T>),
                   least = std::bit_cast<Element<U>>(std::numeric_limits<T>::min());
    bool found = false;
    for (int i = 0; i < kLanes<V>; ++i) found |= largest_[i] >= limit || (underflows && smallest_[i] < least);
    return found;
  }

 private:
  U largest_{}, smallest_ = unsigned_bits(splat<V>(Element<V>(1)));
};

// Loads the last n numbers. All further lanes repeat the first of these numbers.
template <class V>
TNP_INLINE V load_part(const Element<V>* p, int64_t n) {
  Element<V> buffer[kLanes<V>];
  for (int i = 0; i < kLanes<V>; ++i) buffer[i] = p[i < n ? i : 0];
  return load<V>(buffer);
}
template <class V>
TNP_INLINE void store_part(Element<V>* p, V v, int64_t n) {
  Element<V> buffer[kLanes<V>];
  store(buffer, v);
  std::memcpy(p, buffer, static_cast<size_t>(n) * sizeof(Element<V>));
}

// out[i] = function(in[i]...). `function` works on registers V of the array's own type, or of
// doubles for an array of floats.
template <class T, class V, bool underflows, class Function, class... Operands>
TNP_INLINE bool map(Function&& function, T* out, int64_t n, const Operands*... in) {
  using Stored = VectorOf<T, sizeof(T) * kLanes<V>>::Type;
  auto wide = [](Stored v) {
    if constexpr (std::is_same_v<V, Stored>)
      return v;
    else
      return widen(v);
  };
  auto results = [&](auto... v) {
    if constexpr (std::is_same_v<V, Stored>)
      return function(v...);
    else
      return narrow(function(wide(v)...));
  };
  Hints<Stored, underflows> hints;
  int64_t i = 0;
  for (; i + kLanes<V> <= n; i += kLanes<V>) {
    const Stored result = results(load<Stored>(in + i)...);
    hints.see(result);
    store(out + i, result);
  }
  if (i < n) {
    const Stored result = results(load_part<Stored>(in + i, n - i)...);
    hints.see(result);
    store_part(out + i, result, n - i);
  }
  return hints.found_any();
}

template <class T>
TNP_INLINE Doubles general_power(Doubles x, Doubles y) {
  if constexpr (std::is_same_v<T, double>)
    return pow(x, y);
  else
    return pow_in_double(x, y);
}
// `y` is such an exponent.
template <class T>
TNP_INLINE Doubles power_by_halves(Doubles x, double y) {
  if (y == 1) return x;
  if (y == 2) return x * x;
  if (y == -1) return 1.0 / x;
  const int halves = static_cast<int>(2 * std::fabs(y));
  const HalfInteger half_integer = {halves / 2, halves % 2 != 0, y < 0};
  const auto plain = (x >= kLeastOfHalves) & (x <= kMostOfHalves);
  Doubles result;
  if constexpr (std::is_same_v<T, double>)
    result = pow_by_halves(x, half_integer);
  else
    result = pow_by_halves_in_double(x, half_integer);
  return TNP_LIKELY(!any(~plain)) ? result : plain ? result : general_power<T>(x, splat<Doubles>(y));
}
template <class T>
__attribute__((noinline)) Doubles with_powers_by_halves(Doubles result, Doubles x, Doubles y,
                                                        Signed<Doubles> by_halves) {
  for (int i = 0; i < kLanes<Doubles>; ++i) {
    if (!by_halves[i]) continue;
    const Signed<Doubles> same = Signed<Doubles>(y == splat<Doubles>(y[i]));
    result = same ? power_by_halves<T>(x, y[i]) : result;
    by_halves &= ~same;
  }
  return result;
}
template <class T>
TNP_INLINE Doubles power(Doubles x, Doubles y) {
  constexpr double up = 0x1.8p52;  // rounds to whole numbers
  const Doubles result = general_power<T>(x, y), halves = y + y, size = absolute(halves);
  const auto by_halves = Signed<Doubles>((size >= 1.0) & (size <= 8.0) & ((halves + up) - up == halves));
  return TNP_LIKELY(!any(by_halves)) ? result : with_powers_by_halves<T>(result, x, y, by_halves);
}

#define TNP_UNARY(T, V, name, underflows, call)                        \
  bool name##_of_##T(const T* x, T* out, int64_t n) {                  \
    return map<T, V, underflows>([](V v) { return call; }, out, n, x); \
  }
#define TNP_BINARY(T, V, name, underflows, call)                               \
  bool name##_of_##T(const T* x, const T* y, T* out, int64_t n) {              \
    return map<T, V, underflows>([](V v, V w) { return call; }, out, n, x, y); \
  }

TNP_UNARY(float, Floats, exp, true, exp(v))
TNP_UNARY(float, Floats, exp2, true, exp2(v))
TNP_UNARY(float, Floats, expm1, false, expm1(v))
TNP_UNARY(float, Floats, log, false, log(v))
TNP_UNARY(float, Floats, log2, false, log2(v))
TNP_UNARY(float, Floats, log10, false, log10(v))
TNP_UNARY(float, Doubles, log1p, false, log1p_in_double(v))
TNP_UNARY(float, Floats, sin, false, sin(v))
TNP_UNARY(float, Floats, cos, false, cos(v))
TNP_UNARY(float, Doubles, tan, false, tan_in_double(v))
TNP_UNARY(float, Doubles, asin, false, asin_in_double(v))
TNP_UNARY(float, Doubles, acos, false, acos_in_double(v))
TNP_UNARY(float, Doubles, atan, false, atan_in_double(v))
TNP_UNARY(float, Doubles, sinh, false, sinh_in_double(v))
TNP_UNARY(float, Doubles, cosh, false, cosh_in_double(v))
#if TNP_HAS_TABLES_IN_REGISTERS || TNP_HAS_SMALL_TABLES_IN_REGISTERS
TNP_UNARY(float, Floats, tanh, false, tanh(v))
#else
TNP_UNARY(float, Doubles, tanh, false, tanh_in_double(v))
#endif
TNP_UNARY(float, Doubles, asinh, false, asinh_in_double(v))
TNP_UNARY(float, Doubles, acosh, false, acosh_in_double(v))
TNP_UNARY(float, Doubles, atanh, false, atanh_in_double(v))
TNP_UNARY(float, Doubles, cbrt, false, cbrt_in_double(v))
TNP_UNARY(float, Doubles, erf, false, erf_in_double(v))
TNP_UNARY(float, Floats, sigmoid, false, sigmoid(v))
TNP_BINARY(float, Doubles, pow, true, power<float>(v, w))
TNP_BINARY(float, Doubles, atan2, false, atan2_in_double(v, w))

TNP_BINARY(float, Doubles, fmod, false, fmod(v, w))

#define TNP_OF_DOUBLES(functor, name) \
  TNP_UNARY(double, Doubles, name, (std::string_view(#name) == "exp" || std::string_view(#name) == "exp2"), name(v))
TNP_VECTOR_MATH_UNARY(TNP_OF_DOUBLES)
TNP_BINARY(double, Doubles, pow, true, power<double>(v, w))
TNP_BINARY(double, Doubles, atan2, false, atan2(v, w))
TNP_BINARY(double, Doubles, fmod, false, fmod(v, w))

template <class T>
bool pow_constant(const T* x, T y, T* out, int64_t n) {
  using Direct = typename VectorOf<T, kVectorBytes>::Type;
  if (y == T(1)) return map<T, Direct, true>([](Direct v) { return v; }, out, n, x);
  if (y == T(2)) return map<T, Direct, true>([](Direct v) { return v * v; }, out, n, x);
  if (y == T(-1)) return map<T, Direct, true>([](Direct v) { return T(1) / v; }, out, n, x);
  const auto exponent = static_cast<double>(y);
  if (is_by_halves(exponent))
    return map<T, Doubles, true>([=](Doubles v) { return power_by_halves<T>(v, exponent); }, out, n, x);
  return map<T, Doubles, true>([=](Doubles v) { return general_power<T>(v, splat<Doubles>(exponent)); }, out, n, x);
}

#define TNP_FLOAT_ENTRY(functor, name) .name = name##_of_float,
#define TNP_DOUBLE_ENTRY(functor, name) .name = name##_of_double,
constexpr VectorMath32And64 kLoops = {
    {TNP_VECTOR_MATH_UNARY(TNP_FLOAT_ENTRY) TNP_VECTOR_MATH_BINARY(TNP_FLOAT_ENTRY).pow_constant = pow_constant<float>},
    {TNP_VECTOR_MATH_UNARY(TNP_DOUBLE_ENTRY) TNP_VECTOR_MATH_BINARY(TNP_DOUBLE_ENTRY).pow_constant =
         pow_constant<double>}};

}  // namespace

std::span<const VectorMath32And64> loops() { return {&kLoops, 1}; }

}  // namespace tnp::vector_math_loops::TNP_CPU_CAPABILITY
