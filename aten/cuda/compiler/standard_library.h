// Subset of the C++ standard library that functors use, for NVRTC, which has no standard headers.
// compile_by_nvrtc() substitutes this file for each standard header. Elementary functions are
// CUDA's, as in functors that nvcc compiles.
#pragma once

#if defined(__CUDACC_RTC__)

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;
using intptr_t = long;

#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L

#define __builtin_fmaf fmaf
#define __builtin_fma fma

namespace std {

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;

// --- type_traits

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;

template <class T, class... Ts>
inline constexpr bool is_one_of_v = (is_same_v<T, Ts> || ...);
template <class T>
inline constexpr bool is_floating_point_v = is_one_of_v<T, float, double>;
template <class T>
inline constexpr bool is_integral_v = is_one_of_v<T, bool, char, signed char, unsigned char, short, unsigned short, int,
                                                  unsigned int, long, unsigned long, long long, unsigned long long>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
inline constexpr bool is_unsigned_v =
    is_one_of_v<T, bool, unsigned char, unsigned short, unsigned int, unsigned long, unsigned long long>;
template <class T>
inline constexpr bool is_signed_v = is_arithmetic_v<T> && !is_unsigned_v<T>;

template <bool c, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool c, class A, class B>
using conditional_t = typename conditional<c, A, B>::type;

template <class T>
struct remove_cvref {
  using type = T;
};
template <class T>
struct remove_cvref<const T> {
  using type = T;
};
template <class T>
struct remove_cvref<T&> : remove_cvref<T> {};
template <class T>
struct remove_cvref<T&&> : remove_cvref<T> {};
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;

template <class T>
using make_unsigned_t =
    conditional_t<sizeof(T) == 1, uint8_t,
                  conditional_t<sizeof(T) == 2, uint16_t, conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

// --- limits

template <class T>
struct numeric_limits {  // for integers
  static constexpr bool has_infinity = false;
  static constexpr int digits = static_cast<int>(sizeof(T) * 8) - (is_signed_v<T> ? 1 : 0);
  static constexpr T lowest() { return is_signed_v<T> ? static_cast<T>(T(1) << (sizeof(T) * 8 - 1)) : T(0); }
  static constexpr T min() { return lowest(); }
  static constexpr T max() { return static_cast<T>(~lowest()); }
};
template <>
struct numeric_limits<bool> {
  static constexpr bool has_infinity = false;
  static constexpr int digits = 1;
  static constexpr bool lowest() { return false; }
  static constexpr bool min() { return false; }
  static constexpr bool max() { return true; }
};
template <>
struct numeric_limits<float> {
  static constexpr bool has_infinity = true;
  static constexpr int digits = 24, max_exponent = 128, min_exponent = -125;
  static constexpr float min() { return 0x1p-126f; }
  static constexpr float max() { return 0x1.fffffep127f; }
  static constexpr float lowest() { return -max(); }
  static constexpr float epsilon() { return 0x1p-23f; }
  static constexpr float denorm_min() { return 0x1p-149f; }
  static constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000u); }
  static constexpr float quiet_NaN() { return __builtin_bit_cast(float, 0x7fc00000u); }
};
template <>
struct numeric_limits<double> {
  static constexpr bool has_infinity = true;
  static constexpr int digits = 53, max_exponent = 1024, min_exponent = -1021;
  static constexpr double min() { return 0x1p-1022; }
  static constexpr double max() { return 0x1.fffffffffffffp1023; }
  static constexpr double lowest() { return -max(); }
  static constexpr double epsilon() { return 0x1p-52; }
  static constexpr double denorm_min() { return 0x1p-1074; }
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ul); }
  static constexpr double quiet_NaN() { return __builtin_bit_cast(double, 0x7ff8000000000000ul); }
};

// --- bit

template <class To, class From>
constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
template <class T>
int popcount(T x) {
  return __popcll(x);
}

// --- algorithm, utility

template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr void swap(T& a, T& b) {
  const T c = a;
  a = b;
  b = c;
}

// --- cmath

#define TNP_OF_ONE(name)                              \
  inline float name(float x) { return ::name##f(x); } \
  inline double name(double x) { return ::name(x); }
#define TNP_OF_TWO(name)                                          \
  inline float name(float x, float y) { return ::name##f(x, y); } \
  inline double name(double x, double y) { return ::name(x, y); }
TNP_OF_ONE(exp)
TNP_OF_ONE(exp2)
TNP_OF_ONE(expm1)
TNP_OF_ONE(log)
TNP_OF_ONE(log2)
TNP_OF_ONE(log10)
TNP_OF_ONE(log1p)
TNP_OF_ONE(sqrt)
TNP_OF_ONE(cbrt)
TNP_OF_ONE(sin)
TNP_OF_ONE(cos)
TNP_OF_ONE(tan)
TNP_OF_ONE(asin)
TNP_OF_ONE(acos)
TNP_OF_ONE(atan)
TNP_OF_ONE(sinh)
TNP_OF_ONE(cosh)
TNP_OF_ONE(tanh)
TNP_OF_ONE(asinh)
TNP_OF_ONE(acosh)
TNP_OF_ONE(atanh)
TNP_OF_ONE(erf)
TNP_OF_ONE(erfc)
TNP_OF_ONE(lgamma)
TNP_OF_ONE(tgamma)
TNP_OF_ONE(floor)
TNP_OF_ONE(ceil)
TNP_OF_ONE(trunc)
TNP_OF_ONE(round)
TNP_OF_ONE(rint)
TNP_OF_ONE(nearbyint)
TNP_OF_ONE(fabs)
TNP_OF_TWO(pow)
TNP_OF_TWO(fmod)
TNP_OF_TWO(fmin)
TNP_OF_TWO(fmax)
TNP_OF_TWO(atan2)
TNP_OF_TWO(hypot)
TNP_OF_TWO(copysign)
TNP_OF_TWO(nextafter)
#undef TNP_OF_ONE
#undef TNP_OF_TWO

inline float abs(float x) { return ::fabsf(x); }
inline double abs(double x) { return ::fabs(x); }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return ::fma(a, b, c); }
inline float ldexp(float x, int e) { return ::ldexpf(x, e); }
inline double ldexp(double x, int e) { return ::ldexp(x, e); }
inline float frexp(float x, int* e) { return ::frexpf(x, e); }
inline double frexp(double x, int* e) { return ::frexp(x, e); }
template <class T>
constexpr bool isnan(T x) {
  return x != x;
}
template <class T>
constexpr bool isinf(T x) {
  return x == numeric_limits<T>::infinity() || x == -numeric_limits<T>::infinity();
}
template <class T>
constexpr bool isfinite(T x) {
  return x - x == 0;
}
inline bool signbit(float x) { return bit_cast<uint32_t>(x) >> 31; }
inline bool signbit(double x) { return bit_cast<uint64_t>(x) >> 63; }

// --- host-only types: declared only, for headers that mention them

template <class T>
class complex {
 public:
  complex(T real = T(), T imag = T());
  T real() const;
  T imag() const;
};
class string {
 public:
  string& operator+=(const char*);
};

}  // namespace std

#endif
