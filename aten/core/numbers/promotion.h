// Type promotion with two rule sets, NumPy's (NEP 50) and PyTorch's.
//
// Sources: NEP 50, "Promotion rules for Python scalars"; NumPy's and ml_dtypes' promotion tables;
// PyTorch's "Type promotion doc" and its result_type.
#pragma once

#include <optional>
#include <span>

#include "aten/core/numbers/dtype.h"
#include "aten/core/numbers/scalar.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

// The common dtype of two arrays' dtypes. Raises Type if there is none.
TNP_API ScalarType promote_types(ScalarType a, ScalarType b, PromotionRules rules = promotion_rules());

// An operand's category. NumPy's rules distinguish arrays (of any dimension) and Python numbers.
// PyTorch's also distinguish 0-d tensors, which only raise the kind (bool < integer < float <
// complex).
enum class OperandKind : uint8_t { Array, ZeroDim, PythonNumber };
struct OperandType {
  ScalarType dtype;
  OperandKind kind;
};
TNP_API OperandType operand_type(const Tensor& t);
TNP_API ScalarType result_type(std::span<const OperandType> operands, PromotionRules rules = promotion_rules());
TNP_API ScalarType result_type(TensorList operands);
TNP_API ScalarType result_type(const Tensor& a, const Tensor& b);

enum class Casting : uint8_t { No, Equiv, Safe, SameKind, Unsafe };
TNP_API const char* casting_name(Casting casting);  // "same_kind"
// Under PyTorch's rules SameKind is torch.can_cast. Forbidden casts are float to integer, complex
// to real, and any other dtype to bool. Any integer dtype casts to any other.
TNP_API bool can_cast(ScalarType from, ScalarType to, Casting casting = Casting::Safe,
                      PromotionRules rules = promotion_rules());

// PyTorch's rules for the dtype of out=. SameKind: the result is cast if can_cast() allows it. Exact:
// `out` has the dtype of the result; only a real result of complex operands is cast. Truth: `out` is
// bool or uint8.
enum class OutDtype : uint8_t { SameKind, Exact, Truth };

// The dtype of `zeros()` without a dtype. torch_np: float32; np: float64, or the one set by
// _set_default_dtype().
TNP_API ScalarType default_dtype(Face face = dialect().face());
// The dtype of Python integers, and of sums of narrower integers. torch_np: int64; np: int64, or
// int32 if set by _set_default_dtype().
TNP_API ScalarType default_integer_dtype(Face face = dialect().face());
// The dtype of one Python integer: the default integer dtype, or int64 if that cannot hold `value`.
TNP_API ScalarType dtype_of_integer(int64_t value, Face face = dialect().face());
// Sets the default dtype of floats or of integers, depending on `dtype`. Raises Type unless `dtype`
// is floating, or int32 or int64 with Face::NumPy.
TNP_API void set_default_dtype(ScalarType dtype, Face face);
// The dtype of floating results of integers (exp, division, mean): the default dtype of the face
// whose rules apply.
TNP_API ScalarType floating_dtype_of_integers(PromotionRules rules = promotion_rules());
// The dtype in which integers and bools are summed: the default integer dtype, or the operand's if
// wider. Unsigned dtypes stay unsigned under NumPy's rules.
TNP_API ScalarType integer_sum_dtype(ScalarType t);

// The promotion rule of an operator. NumPy and PyTorch differ by operator; each difference is one
// of these rules. native_functions.yaml names them (`promotion:`) and promotion_rules.cpp
// implements them.
enum class Promotion : uint8_t {
  Arithmetic,        // add, mul, ...: the common dtype, for both loop and result
  ArithmeticNoBool,  // subtract, negative: as Arithmetic, but bool is an error
  Floating,          // exp, sin, ...: integers become floating (np: float16/32/64 by width; torch: default_dtype)
  FloatingReal,      // arctan2, hypot, ...: as Floating, but complex is an error
  TrueDivide,        // integers: np float64, torch default_dtype; otherwise Arithmetic
  Comparison,        // computes in the common dtype, result bool; int64 with uint64 compares exactly
  Logical,           // the truth of each operand in its own dtype, result bool
  Predicate,         // isnan, ...: computes in the operand's own dtype, result bool
  Bitwise,           // bool and integers only
  Shift,             // integers only; np: bool counts as int8
  Integer,           // gcd, lcm: integers only
  Absolute,          // the real dtype of a complex operand; otherwise Arithmetic
  Rounding,          // floor, ceil, trunc: bool and integers unchanged; complex is an error
  Real,              // maximum on real dtypes only, fmod, ...: as Arithmetic without complex
  LoadExponent,      // ldexp: floating first operand, integer second one
  FloatPower,        // float_power: float64, or complex128 with a complex operand
  Select,            // where: the truth of the first operand, then Arithmetic of the second and third
  Numeric,           // power, floor_divide, square, ...: as Arithmetic, but bool counts as int8 (torch: int64)
  BitCount,          // bitwise_count: integers, bool counts as int8; result uint8
  Conjugate,         // conj: as Arithmetic, but np: bool counts as int8
  Sign,              // sign: as Arithmetic, but np: bool is an error
};

// An operator's compute dtype and result dtype.
struct LoopTypes {
  ScalarType compute;  // operands are cast to it (before compute_type(): float16 stays float16 here)
  ScalarType result;
};
// Raises Dtype (np: TypeError "ufunc 'x' not supported for the input types") if the operator does
// not support the operands' dtypes. Raises Overflow if a Python integer does not fit ("Python
// integer 300 out of bounds for uint8"). `dtype` is the caller's dtype=, which overrides the
// operands' dtypes.
TNP_API LoopTypes loop_types(Promotion rule, const char* op, TensorList operands, std::optional<ScalarType> dtype);

}  // namespace tnp
