// The promotion rules named in native_functions.yaml (`promotion:`): an operator's compute and
// result dtypes.
#include "aten/core/numbers/no_loop.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/numbers/range.h"

namespace tnp {

namespace {

using enum ScalarType;

[[noreturn]] void raise_unsupported(const char* op, TensorList operands) {
  if (dialect().errors_are_numpys()) {
    TNP_RAISE(ErrorKind::Dtype,
              "ufunc '{op}' not supported for the input types, and the inputs could not be safely "
              "coerced to any supported types according to the casting rule ''safe''");
  }
  std::string types;
  for (const Tensor& t : operands) {
    if (!types.empty()) types += ", ";
    append(types, t.dtype());
  }
  TNP_RAISE(ErrorKind::NotImplemented, "\"", op, "\" is not implemented for ", types);
}

[[noreturn]] void raise_no_matching_loop(ScalarType dtype) {
  TNP_RAISE(ErrorKind::Dtype,
            "No loop matching the specified signature and casting was found for ufunc {op} (dtype=", dtype, ")");
}

// Note [bfloat16 among integers and float16] As in ml_dtypes, promote_types finds no common dtype
// of bfloat16 with these. A ufunc still finds a loop: the first one whose dtype holds both. That
// dtype is the result of promotion with float32 in place of bfloat16. A Python float leaves
// bfloat16 unchanged, like every other floating dtype. ml_dtypes differs: NumPy's weak floats do
// not apply to it, so it gives float32 (and np.result_type(bfloat16, 1.0) float64).
ScalarType promote_in_loop(ScalarType a, ScalarType b) {
  if (promotion_rules() == PromotionRules::NumPy) {
    auto narrow = [](ScalarType t) { return (is_integer(t) && element_size(t) > 1) || t == Float16; };
    if (a == BFloat16 && narrow(b))
      a = Float32;
    else if (b == BFloat16 && narrow(a))
      b = Float32;
  }
  return promote_types(a, b);
}

ScalarType common_dtype(TensorList operands) {
  ScalarType first = operands[0].dtype();
  bool any_bfloat = false, same = true;
  for (const Tensor& t : operands) {
    any_bfloat |= t.dtype() == BFloat16;
    same = same && t.dtype() == first && !t.is_wrapped_number();
  }
  if (TNP_LIKELY(same)) return first;
  if (any_bfloat && promotion_rules() == PromotionRules::NumPy) {
    OperandType merged[2] = {{Bool, OperandKind::Array}, {Bool, OperandKind::PythonNumber}};
    for (const Tensor& t : operands) {
      ScalarType& part = merged[t.is_wrapped_number()].dtype;
      part = promote_in_loop(part, t.dtype());
    }
    return result_type(merged);
  }
  if (operands.size() == 2) return result_type(operands[0], operands[1]);
  return result_type(operands);
}

// NumPy: the narrowest of float16, float32 and float64 to which each operand casts safely. Operands
// are considered one by one: (int8, uint8) gives float16, although their common dtype is int16.
ScalarType floating_dtype(TensorList operands) {
  bool numpy = promotion_rules() == PromotionRules::NumPy;
  ScalarType common = common_dtype(operands);
  if (!numpy) return is_integral(common) ? floating_dtype_of_integers() : common;
  if (!is_integral(common) && !(common == Float64 && operands.size() > 1)) return common;
  ScalarType narrowest = Bool;
  bool weak_integer = false, strong_integer = false;
  for (const Tensor& t : operands) {
    ScalarType d = t.dtype();
    if (t.is_wrapped_number() && !is_bool(d)) {
      if (!is_integral(d)) return common;
      weak_integer = true;
      continue;
    }
    strong_integer |= !is_bool(d);
    ScalarType own = !is_integral(d) ? d : element_size(d) == 1 ? Float16 : element_size(d) == 2 ? Float32 : Float64;
    if (narrowest == BFloat16 && own == Float16 && is_integral(d)) continue;
    if (narrowest == Float16 && own == BFloat16) {
      narrowest = own;
      continue;
    }
    narrowest = promote_in_loop(narrowest, own);
  }
  if (weak_integer && !strong_integer) return floating_dtype_of_integers();
  return narrowest == Float64 && is_integral(common) ? floating_dtype_of_integers() : narrowest;
}

// A Python integer gets the dtype of the arrays it is combined with, so it has to fit (NEP 50).
void check_python_integers(TensorList operands, ScalarType compute) {
  if (!is_integer(compute) || promotion_rules() != PromotionRules::NumPy) return;
  for (const Tensor& t : operands) {
    if (t.is_wrapped_number() && is_integer(t.dtype()) && TNP_UNLIKELY(!t.item().fits(compute))) {
      TNP_RAISE(ErrorKind::Overflow, "Python integer ", t.item(), " out of bounds for ", compute);
    }
  }
}

// Comparisons are exact: 300 is larger than any uint8, and int64 is compared with uint64 as
// integers. The result is UInt64 with a signed operand only for such a mixed comparison: see
// mixed_comparison in dispatch/pointwise.cpp.
ScalarType comparison_dtype(TensorList operands) {
  bool any_signed = false, any_uint64 = false, all_integers = true, misfit = false;
  for (const Tensor& t : operands) {
    bool weak = t.is_wrapped_number();
    all_integers = all_integers && is_integer(t.dtype());
    any_signed |= is_signed_integer(t.dtype()) && (!weak || t.item<int64_t>() < 0);
    any_uint64 |= t.dtype() == UInt64;
  }
  if (all_integers && any_signed && any_uint64) return UInt64;
  ScalarType common = common_dtype(operands);
  if (!is_integer(common)) return common;
  for (const Tensor& t : operands) misfit |= t.is_wrapped_number() && !t.item().fits(common);
  return !misfit ? common : any_uint64 ? UInt64 : Int64;
}

bool any_complex(TensorList operands) {
  for (const Tensor& t : operands)
    if (is_complex(t.dtype())) return true;
  return false;
}
bool any_bool(TensorList operands) {
  for (const Tensor& t : operands)
    if (is_bool(t.dtype())) return true;
  return false;
}

LoopTypes of_operands(Promotion rule, const char* op, TensorList operands) {
  bool numpy = promotion_rules() == PromotionRules::NumPy;
  ScalarType t = Bool;
  switch (rule) {
    case Promotion::Arithmetic:
      t = common_dtype(operands);
      break;
    case Promotion::Numeric:
      t = common_dtype(operands);
      if (is_bool(t)) t = numpy ? Int8 : Int64;
      break;
    case Promotion::Conjugate:
      t = common_dtype(operands);
      if (is_bool(t) && numpy) t = Int8;
      break;
    case Promotion::Sign:
      t = common_dtype(operands);
      if (is_bool(t) && numpy) throw NoLoopError(op, operands.size(), Bool, false);
      break;
    case Promotion::BitCount:
      t = common_dtype(operands);
      if (!is_integral(t)) raise_unsupported(op, operands);
      return {is_bool(t) ? Int8 : t, UInt8};
    case Promotion::ArithmeticNoBool:
      t = common_dtype(operands);
      if (is_bool(t) || (!numpy && operands.size() > 1 && any_bool(operands)))
        throw NoLoopError(op, operands.size(), Bool, false);
      break;
    case Promotion::Floating:
      t = floating_dtype(operands);
      break;
    case Promotion::FloatingReal:
      if (any_complex(operands)) raise_unsupported(op, operands);
      t = floating_dtype(operands);
      break;
    case Promotion::TrueDivide:
      t = common_dtype(operands);
      if (is_integral(t)) t = floating_dtype_of_integers();
      break;
    case Promotion::FloatPower:
      return any_complex(operands) ? LoopTypes{Complex128, Complex128} : LoopTypes{Float64, Float64};
    case Promotion::Comparison:
      return {comparison_dtype(operands), Bool};
    case Promotion::Logical: {
      t = operands[0].dtype();
      for (const Tensor& o : operands)
        if (o.dtype() != t) t = Bool;
      return {t, Bool};
    }
    case Promotion::Predicate:
      t = common_dtype(operands);
      return {t, Bool};
    case Promotion::Bitwise:
      t = common_dtype(operands);
      if (!is_integral(t)) raise_unsupported(op, operands);
      break;
    case Promotion::Shift:
      t = common_dtype(operands);
      if (!is_integral(t) || (!numpy && is_bool(t))) raise_unsupported(op, operands);
      if (is_bool(t)) t = Int8;
      break;
    case Promotion::Integer:
      t = common_dtype(operands);
      if (!is_integer(t)) raise_unsupported(op, operands);
      break;
    case Promotion::Absolute:
      t = common_dtype(operands);
      if (is_bool(t) && !numpy) raise_unsupported(op, operands);
      return {t, to_real(t)};
    case Promotion::Rounding:
      t = common_dtype(operands);
      if (is_complex(t) || (is_bool(t) && !numpy)) raise_unsupported(op, operands);
      break;
    case Promotion::Real:
      t = common_dtype(operands);
      if (is_complex(t)) raise_unsupported(op, operands);
      break;
    case Promotion::LoadExponent:
      if (any_complex(operands) || !is_integral(operands[1].dtype()) || operands[1].dtype() == UInt64)
        raise_unsupported(op, operands);
      t = floating_dtype(operands.first(1));
      return {t, t};
    case Promotion::Select:
      t = common_dtype(operands.subspan(1));  // NumPy's where() wraps integers that do not fit
      if (!numpy && !is_reduced_float(t))
        for (const Tensor& number : operands.subspan(1))
          if (number.is_wrapped_number()) check_fits(number.item(), t);
      return {t, t};
  }
  check_python_integers(operands, t);
  return {t, t};
}

LoopTypes of_dtype(Promotion rule, const char* op, TensorList operands, ScalarType dtype) {
  switch (rule) {
    case Promotion::Comparison:
    case Promotion::Logical:
    case Promotion::Predicate:
      if (!is_bool(dtype)) raise_no_matching_loop(dtype);
      return of_operands(rule, op, operands);
    case Promotion::Floating:
    case Promotion::TrueDivide:
      if (is_integral(dtype)) raise_no_matching_loop(dtype);
      break;
    case Promotion::FloatPower:
      if (dtype != Float64 && dtype != Complex128) raise_no_matching_loop(dtype);
      break;
    case Promotion::LoadExponent:
      // checks the operands; the exponent's dtype is not checked against dtype=
      of_operands(rule, op, operands);
      [[fallthrough]];
    case Promotion::FloatingReal:
      if (!is_floating(dtype)) raise_no_matching_loop(dtype);
      break;
    case Promotion::Bitwise:
      if (!is_integral(dtype)) raise_no_matching_loop(dtype);
      break;
    case Promotion::Integer:
    case Promotion::Shift:
      if (!is_integer(dtype)) raise_no_matching_loop(dtype);
      break;
    case Promotion::Rounding:
    case Promotion::Real:
      if (is_complex(dtype)) raise_no_matching_loop(dtype);
      break;
    case Promotion::ArithmeticNoBool:
    case Promotion::Sign:
      if (is_bool(dtype)) throw NoLoopError(op, operands.size(), Bool, false);
      break;
    case Promotion::Numeric:
    case Promotion::Conjugate:
      if (is_bool(dtype)) raise_no_matching_loop(dtype);
      break;
    case Promotion::BitCount:
      if (dtype != UInt8) raise_no_matching_loop(dtype);
      return of_operands(rule, op, operands);
    case Promotion::Absolute:
      if (is_complex(dtype)) raise_no_matching_loop(dtype);
      if (any_complex(operands) && (dtype == Float32 || dtype == Float64)) return {to_complex(dtype), dtype};
      break;
    case Promotion::Arithmetic:
    case Promotion::Select:
      break;
  }
  check_python_integers(operands, dtype);
  return {dtype, dtype};
}

}  // namespace

LoopTypes loop_types(Promotion rule, const char* op, TensorList operands, std::optional<ScalarType> dtype) {
  return dtype ? of_dtype(rule, op, operands, *dtype) : of_operands(rule, op, operands);
}

}  // namespace tnp
