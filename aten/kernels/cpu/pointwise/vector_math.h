// Vector math: elementary functions over contiguous numbers. There are several implementations; the
// first call chooses one for each function: Note [Choosing vector math] in vector_math.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "aten/core/macros.h"
#include "aten/core/threads/capability.h"

// X(functor, function): the functor in aten/functors/ and the function's name in C.
// clang-format off
#define TNP_VECTOR_MATH_UNARY(X)                                                                                        \
  X(Exp, exp) X(Exp2, exp2) X(Expm1, expm1) X(Log, log) X(Log2, log2) X(Log10, log10) X(Log1p, log1p) X(Sin, sin)       \
  X(Cos, cos) X(Tan, tan) X(Asin, asin) X(Acos, acos) X(Atan, atan) X(Sinh, sinh) X(Cosh, cosh) X(Tanh, tanh)           \
  X(Asinh, asinh) X(Acosh, acosh) X(Atanh, atanh) X(Cbrt, cbrt) X(Erf, erf) X(Sigmoid, sigmoid)
#define TNP_VECTOR_MATH_BINARY(X) X(Power, pow) X(Atan2, atan2) X(Fmod, fmod)
// clang-format on

namespace tnp {

// Each function writes out[0, n), where `out` may be an operand. It returns whether a result is not
// finite or so small that it may have underflowed; only then does an error watch need to check the
// numbers. A null pointer means that the function is not available.
template <class T>
struct VectorMathFunctions {
  using Unary = bool (*)(const T* x, T* out, int64_t n);
  using Binary = bool (*)(const T* x, const T* y, T* out, int64_t n);
  using ToConstant = bool (*)(const T* x, T y, T* out, int64_t n);
#define TNP_FUNCTION(functor, name) Unary name = nullptr;
  TNP_VECTOR_MATH_UNARY(TNP_FUNCTION)
#undef TNP_FUNCTION
#define TNP_FUNCTION(functor, name) Binary name = nullptr;
  TNP_VECTOR_MATH_BINARY(TNP_FUNCTION)
#undef TNP_FUNCTION
  ToConstant pow_constant = nullptr;  // raises all numbers to the power y
};
struct VectorMath32And64 {
  VectorMathFunctions<float> floats;
  VectorMathFunctions<double> doubles;
};

// Our own functions, compiled for each instruction set.
namespace vector_math_loops {
TNP_DECLARE_LOOPS(VectorMath32And64, loops)
}  // namespace vector_math_loops
TNP_API const VectorMath32And64& own_vector_math();
// oneMKL's functions; null in a build without it.
TNP_API const VectorMath32And64* mkl_vector_math();

// The functions that operators call.
TNP_API const VectorMath32And64& chosen_vector_math();
template <class T>
inline const VectorMathFunctions<T>& chosen_vector_math_of() {
  if constexpr (sizeof(T) == 4)
    return chosen_vector_math().floats;
  else
    return chosen_vector_math().doubles;
}

// Note [Powers by halves] Exponents that are multiples of 1/2 up to 4 always have our own functions,
// which take a third of a general power's time. The result of an element depends on its operands
// alone: a loop over exponents uses the same functions where it meets such an exponent as the loop
// with one exponent for all elements.
template <class T>
TNP_INLINE bool is_by_halves(T y) {
  const T halves = 2 * std::fabs(y);
  return halves >= 1 && halves <= 8 && halves == std::floor(halves);
}

}  // namespace tnp
