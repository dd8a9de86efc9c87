// Which dtype a result has: one table function with two rule sets, NumPy's (NEP 50) and PyTorch's.
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

// The dtype of two arrays of these dtypes together. Raises Type where there is none.
TNP_API ScalarType promote_types(ScalarType a, ScalarType b, PromotionRules rules = promotion_rules());

// What an operand counts as: NumPy's rules know arrays (of any dimension) and Python numbers, PyTorch's also 0-d
// tensors, which only raise the kind (bool < integer < float < complex).
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
// SameKind under PyTorch's rules is torch.can_cast: any integer to any other, only float to integer and complex to real
// are forbidden.
TNP_API bool can_cast(ScalarType from, ScalarType to, Casting casting = Casting::Safe,
                      PromotionRules rules = promotion_rules());

// What `zeros()` makes without a dtype. torch_np: float32; np: float64, or what _set_default_dtype() said.
TNP_API ScalarType default_dtype(Face face = dialect().face());
// What Python's integers make, and what narrower integers are summed in. torch_np: int64; np: int64, or int32 where
// _set_default_dtype() said so.
TNP_API ScalarType default_integer_dtype(Face face = dialect().face());
// The same for one integer: int64 if the default does not hold it.
TNP_API ScalarType dtype_of_integer(int64_t value, Face face = dialect().face());
// Of floats, or of integers: whatever `dtype` is. Errors: Type unless it is floating, or int32 or int64 with
// Face::NumPy.
TNP_API void set_default_dtype(ScalarType dtype, Face face);
// What integers become where a floating result is due (exp, division, mean): the default dtype of whose rules hold.
TNP_API ScalarType floating_dtype_of_integers(PromotionRules rules = promotion_rules());
// The dtype in which integers and bools are summed: the default, or what is wider; unsigned ones stay so by NumPy's
// rules.
TNP_API ScalarType integer_sum_dtype(ScalarType t);

// NumPy and PyTorch mean different things by the same operator; each such difference is one of these rules, named
// in native_functions.yaml (`promotion:`), and decided in promotion_rules.cpp.
enum class Promotion : uint8_t {
  Arithmetic,        // add, mul, ...: the common dtype, loop and result alike
  ArithmeticNoBool,  // subtract, negative: as Arithmetic, bool is an error
  Floating,          // exp, sin, ...: integers become floating (np: float16/32/64 by width; torch: default_dtype)
  FloatingReal,      // arctan2, hypot, ...: as Floating, complex is an error
  TrueDivide,        // integers: np float64, torch default_dtype; otherwise Arithmetic
  Comparison,        // computes in the common dtype, result bool; int64 with uint64 compares exactly
  Logical,           // each operand's own truth, result bool
  Predicate,         // isnan, ...: each dtype by itself, result bool
  Bitwise,           // bool and integers only
  Shift,             // integers only; np: bool counts as int8
  Integer,           // gcd, lcm: integers only
  Absolute,          // the real dtype of a complex operand; otherwise Arithmetic
  Rounding,          // floor, ceil, trunc: bool and integers unchanged; complex is an error
  Real,              // maximum on real dtypes only, fmod, ...: Arithmetic without complex
  LoadExponent,      // ldexp: floating first operand, integer second one
  FloatPower,        // float_power: float64, or complex128 with a complex operand
  Select,            // where: the first operand's truth, then Arithmetic of the others
  Numeric,           // power, floor_divide, square, ...: as Arithmetic, but bool counts as int8 (torch: int64)
  BitCount,          // bitwise_count: integers, bool counts as int8; result uint8
};

// The dtypes in which an operator computes its operands and of its result.
struct LoopTypes {
  ScalarType compute;  // operands are cast to this (before compute_type(): float16 stays float16 here)
  ScalarType result;
};
// Raises Dtype (np: TypeError "ufunc 'x' not supported for the input types") if the operator does not take them;
// Overflow if a Python integer does not fit ("Python integer 300 out of bounds for uint8").
// `dtype` is the caller's dtype=, which overrides what the operands say.
TNP_API LoopTypes loop_types(Promotion rule, const char* op, TensorList operands, std::optional<ScalarType> dtype);

}  // namespace tnp
