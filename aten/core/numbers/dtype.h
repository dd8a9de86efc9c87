// ScalarType: the engine's dtypes, their C++ types, and visit(), which calls a templated lambda
// with the type.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "aten/core/errors/error.h"
#include "aten/core/numbers/complex.h"
#include "aten/core/numbers/half.h"

namespace tnp {

enum class ScalarType : uint8_t {
  Bool,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
};
inline constexpr int kNumScalarTypes = 15;

template <class... Ts>
struct TypeList {};
template <class A, class B>
struct JoinLists;
template <class... As, class... Bs>
struct JoinLists<TypeList<As...>, TypeList<Bs...>> {
  using type = TypeList<As..., Bs...>;
};
template <class A, class B>
using Join = typename JoinLists<A, B>::type;

using BoolType = TypeList<bool>;
using UnsignedTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t>;
using SignedTypes = TypeList<int8_t, int16_t, int32_t, int64_t>;
using IntegerTypes = Join<UnsignedTypes, SignedTypes>;
using IntegralTypes = Join<BoolType, IntegerTypes>;  // with bool
using HalfTypes = TypeList<Half, BFloat16>;
using FloatTypes = TypeList<float, double>;         // compute types of floating kernels
using FloatingTypes = Join<HalfTypes, FloatTypes>;  // every real floating dtype that can be stored
using ComplexTypes = TypeList<Complex<float>, Complex<double>>;
using RealTypes = Join<IntegralTypes, FloatingTypes>;
using AllTypes = Join<RealTypes, ComplexTypes>;
// Compute types of arithmetic kernels. The iterator casts 16-bit floats to float32, a chunk at a
// time.
using ComputeTypes = Join<Join<IntegralTypes, FloatTypes>, ComplexTypes>;
using NumericTypes = Join<IntegerTypes, Join<FloatTypes, ComplexTypes>>;  // without bool
using InexactTypes = Join<FloatTypes, ComplexTypes>;
using RealComputeTypes = Join<IntegralTypes, FloatTypes>;
using IntegerFloatTypes = Join<IntegerTypes, FloatTypes>;
using DoubleTypes = TypeList<double, Complex<double>>;
// Compute types of reductions that can read narrow integers as 64-bit ones.
using WideTypes = Join<TypeList<int64_t, uint64_t>, Join<FloatTypes, ComplexTypes>>;

template <class T>
struct ScalarTypeOf;
#define TNP_SCALAR_TYPE(type, name)                       \
  template <>                                             \
  struct ScalarTypeOf<type> {                             \
    static constexpr ScalarType value = ScalarType::name; \
  };
// clang-format off
TNP_SCALAR_TYPE(bool, Bool) TNP_SCALAR_TYPE(uint8_t, UInt8) TNP_SCALAR_TYPE(uint16_t, UInt16)
TNP_SCALAR_TYPE(uint32_t, UInt32) TNP_SCALAR_TYPE(uint64_t, UInt64) TNP_SCALAR_TYPE(int8_t, Int8)
TNP_SCALAR_TYPE(int16_t, Int16) TNP_SCALAR_TYPE(int32_t, Int32) TNP_SCALAR_TYPE(int64_t, Int64)
TNP_SCALAR_TYPE(Half, Float16) TNP_SCALAR_TYPE(BFloat16, BFloat16) TNP_SCALAR_TYPE(float, Float32)
TNP_SCALAR_TYPE(double, Float64) TNP_SCALAR_TYPE(Complex<float>, Complex64) TNP_SCALAR_TYPE(Complex<double>, Complex128)
#undef TNP_SCALAR_TYPE
    // clang-format on
    template <class T>
    inline constexpr ScalarType scalar_type_of = ScalarTypeOf<T>::value;

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<Complex<T>> : std::true_type {};
template <class T>
inline constexpr bool is_complex_v = IsComplex<T>::value;
template <class T>
inline constexpr bool is_reduced_float_v = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_floating_v = std::is_floating_point_v<T> || is_reduced_float_v<T>;

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Complex<T>> {
  using type = T;
};
template <class T>
using real_t = typename RealOf<T>::type;  // float for Complex<float>, T itself for real types

// The accumulator type of a sum of T: float for 16-bit floats, 64 bits for integers (bool: int64).
template <class T>
using accumulate_t = std::conditional_t<
    is_reduced_float_v<T>, float,
    std::conditional_t<
        std::is_same_v<T, bool>, int64_t,
        std::conditional_t<std::is_integral_v<T>, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, T>>>;

namespace detail {
inline constexpr uint8_t kElementSize[kNumScalarTypes] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
}
constexpr int64_t element_size(ScalarType t) { return detail::kElementSize[static_cast<int>(t)]; }
// A complex number has the alignment of its parts.
constexpr int64_t element_alignment(ScalarType t) { return element_size(t) >> (t >= ScalarType::Complex64 ? 1 : 0); }
TNP_INLINE bool is_aligned(const void* p, ScalarType t) {
  return reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(element_alignment(t)) == 0;
}
// The type by which kernels load elements. Bools in foreign memory, and bytes viewed as bools, may
// hold any byte value, and nonzero means true. A C++ bool that is neither 0 nor 1 is undefined
// behaviour.
template <class T>
using stored_t = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
constexpr bool is_bool(ScalarType t) { return t == ScalarType::Bool; }
constexpr bool is_unsigned(ScalarType t) { return t >= ScalarType::UInt8 && t <= ScalarType::UInt64; }
constexpr bool is_signed_integer(ScalarType t) { return t >= ScalarType::Int8 && t <= ScalarType::Int64; }
constexpr bool is_integer(ScalarType t) { return t >= ScalarType::UInt8 && t <= ScalarType::Int64; }  // without bool
constexpr bool is_integral(ScalarType t) { return t <= ScalarType::Int64; }                           // with bool
constexpr bool is_floating(ScalarType t) { return t >= ScalarType::Float16 && t <= ScalarType::Float64; }
constexpr bool is_reduced_float(ScalarType t) { return t == ScalarType::Float16 || t == ScalarType::BFloat16; }
constexpr bool is_complex(ScalarType t) { return t >= ScalarType::Complex64; }
constexpr bool is_differentiable(ScalarType t) { return t >= ScalarType::Float16; }
// float32 for complex64; the dtype itself for real ones.
constexpr ScalarType to_real(ScalarType t) {
  return t == ScalarType::Complex64 ? ScalarType::Float32 : t == ScalarType::Complex128 ? ScalarType::Float64 : t;
}
// complex64 for floating dtypes up to float32, complex128 for float64 and integers.
constexpr ScalarType to_complex(ScalarType t) {
  return is_complex(t)                                ? t
         : is_floating(t) && t != ScalarType::Float64 ? ScalarType::Complex64
                                                      : ScalarType::Complex128;
}
// The dtype in which kernels compute: float32 for 16-bit floats, otherwise the dtype itself.
constexpr ScalarType compute_type(ScalarType t) { return is_reduced_float(t) ? ScalarType::Float32 : t; }

TNP_API const char* dtype_name(ScalarType t);  // "float32", the spelling that NumPy and PyTorch share
inline void append(std::string& out, ScalarType t) { out += dtype_name(t); }
namespace detail {
[[noreturn]] TNP_API void raise_unsupported_dtype(ScalarType t);
}

// Calls f.template operator()<T>() with the C++ type of `t` if it is in `List`. Raises
// ErrorKind::Dtype otherwise.
//   visit<FloatTypes>(x.dtype(), [&]<class T>() { kernel<T>(x.data_ptr<T>(), ...); });
template <class List, class F>
struct Visitor;
template <class... Ts, class F>
struct Visitor<TypeList<Ts...>, F> {
  static TNP_INLINE void run(ScalarType t, F&& f) {
    bool found = ((t == scalar_type_of<Ts> ? (f.template operator()<Ts>(), true) : false) || ...);
    if (TNP_UNLIKELY(!found)) detail::raise_unsupported_dtype(t);
  }
};
template <class List, class F>
TNP_INLINE void visit(ScalarType t, F&& f) {
  Visitor<List, F>::run(t, static_cast<F&&>(f));
}
template <class F>
TNP_INLINE void visit_dtype(ScalarType t, F&& f) {
  visit<AllTypes>(t, static_cast<F&&>(f));
}

// Converts a value with NumPy's cast semantics. Complex to real drops the imaginary part. Any type
// to bool is "not zero". Float to integer is C's conversion where that is defined. NaN and values
// out of range never trap. As in NumPy on x86, they give the minimum of int32 if To is int32 or has
// 8 or 16 bits, and otherwise the minimum of int64. Results narrower than that minimum keep its low
// bits.
template <class To, class From>
TNP_HOST_DEVICE TNP_INLINE To convert(From v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (is_complex_v<From>) {
    if constexpr (is_complex_v<To>)
      return To(static_cast<real_t<To>>(v.re), static_cast<real_t<To>>(v.im));
    else if constexpr (std::is_same_v<To, bool>)
      return v.re != 0 || v.im != 0;
    else
      return convert<To>(v.re);
  } else if constexpr (is_complex_v<To>) {
    return To(convert<real_t<To>>(v), real_t<To>(0));
  } else if constexpr (is_reduced_float_v<From>) {
    return convert<To>(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (is_reduced_float_v<To>) {
    if constexpr (std::is_same_v<From, double> || (std::is_integral_v<From> && sizeof(From) > 2))
      return To(static_cast<double>(v));
    else
      return To(static_cast<float>(v));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Emulates x86's cvttsd2si, 32-bit and 64-bit. The upper half of uint64 is converted
    // separately.
    constexpr From limit = static_cast<From>(9223372036854775808.0);
    if constexpr (sizeof(To) < 4 || std::is_same_v<To, int32_t>) {
      return static_cast<To>(v >= From(-2147483648.0) && v < From(2147483648.0) ? static_cast<int32_t>(v) : INT32_MIN);
    } else {
      auto wide = [](From x) { return x >= -limit && x < limit ? static_cast<int64_t>(x) : INT64_MIN; };
      if constexpr (std::is_same_v<To, uint64_t>) {
        if (v >= limit) return static_cast<uint64_t>(wide(v - limit)) ^ (uint64_t{1} << 63);
      }
      return static_cast<To>(wide(v));
    }
  } else {
    return static_cast<To>(v);
  }
}

}  // namespace tnp
