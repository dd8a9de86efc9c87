// Type promotion by NumPy's and PyTorch's rules. promotion_rules.cpp derives the operators' dtypes
// from the common dtypes computed here.
#include "aten/core/numbers/promotion.h"
#include "aten/core/numbers/cast_error.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace tnp {

namespace {

using enum ScalarType;

std::atomic<ScalarType> default_dtypes[2] = {Float32, Float64};  // indexed by Face
std::atomic<ScalarType> default_integer_dtypes[2] = {Int64, Int64};

[[noreturn]] void raise_no_common_dtype(ScalarType a, ScalarType b) {
  TNP_RAISE(ErrorKind::Type, "The DTypes ", a, " and ", b, " do not have a common DType");
}

constexpr ScalarType larger(ScalarType a, ScalarType b) { return element_size(a) >= element_size(b) ? a : b; }

// The signed integer that holds both; float64 if none does (NumPy's rule for int64 with uint64).
constexpr ScalarType mixed_signs(ScalarType sign, ScalarType no_sign) {
  if (element_size(sign) > element_size(no_sign)) return sign;
  switch (no_sign) {
    case UInt8:
      return Int16;
    case UInt16:
      return Int32;
    case UInt32:
      return Int64;
    default:
      return Float64;
  }
}

ScalarType promote_integers(ScalarType a, ScalarType b) {
  if (is_unsigned(a) == is_unsigned(b)) return larger(a, b);
  return is_unsigned(a) ? mixed_signs(b, a) : mixed_signs(a, b);
}

// The smallest float that holds every value of an integer dtype. As in NumPy, float64 counts as
// holding 64 bits.
constexpr ScalarType float_holding(ScalarType integer) {
  return element_size(integer) == 1 ? Float16 : element_size(integer) == 2 ? Float32 : Float64;
}

ScalarType promote_numpy(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);  // the enum is ordered: bool, unsigned, signed, floating, complex
  if (is_bool(a)) return b;
  if (is_complex(b)) {
    ScalarType real = promote_numpy(Float32, to_real(a));
    return real == Float64 || b == Complex128 ? Complex128 : Complex64;
  }
  if (is_integer(b)) return promote_integers(a, b);
  if (is_integer(a)) {
    if (b == BFloat16) {
      if (element_size(a) == 1) return b;
      raise_no_common_dtype(a, b);
    }
    return std::max(float_holding(a), b);
  }
  if (a == Float16 && b == BFloat16) raise_no_common_dtype(a, b);
  return b;
}

ScalarType promote_torch(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (is_bool(a)) return b;
  if (is_complex(b)) return a == Float64 || b == Complex128 ? Complex128 : Complex64;
  if (is_floating(b)) return a == Float16 && b == BFloat16 ? Float32 : b;
  auto barebones = [](ScalarType t) { return t >= UInt16 && t <= UInt64; };
  TNP_CHECK(!barebones(a) && !barebones(b), ErrorKind::Dtype,
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote ", a, " and ", b);
  return promote_integers(a, b);
}

// Accumulates the common dtype of the operands of one category.
class Common {
 public:
  explicit Common(PromotionRules rules) : rules_(rules) {}
  void add(ScalarType t) {
    dtype_ = any_ ? promote_types(dtype_, t, rules_) : t;
    any_ = true;
  }
  bool any() const { return any_; }
  ScalarType dtype() const { return dtype_; }

 private:
  PromotionRules rules_;
  ScalarType dtype_ = Bool;
  bool any_ = false;
};

// NEP 50: a Python number only contributes its kind.
ScalarType apply_weak(ScalarType strong, ScalarType number) {
  if (is_complex(number)) {
    if (is_complex(strong)) return strong;
    return is_floating(strong) ? to_complex(strong) : to_complex(default_dtype(Face::NumPy));
  }
  if (is_floating(number)) return strong >= Float16 ? strong : default_dtype(Face::NumPy);
  return is_bool(strong) ? number : strong;  // `number` is an integer or a bool
}

ScalarType result_type_numpy(std::span<const OperandType> operands) {
  Common strong(PromotionRules::NumPy), weak(PromotionRules::NumPy);
  // Integers are added last, each to the floating dtype found so far. So (int8, uint16, float32)
  // gives float32, although int32, the common dtype of the first two, would give float64 with
  // float32.
  for (const bool integral : {false, true}) {
    for (const OperandType& o : operands) {
      if (is_integral(o.dtype) == integral)
        (o.kind == OperandKind::PythonNumber && !is_bool(o.dtype) ? weak : strong).add(o.dtype);
    }
  }
  if (!weak.any()) return strong.dtype();
  if (!strong.any()) {
    // Only Python numbers: 1 is int64, 1.5 is the default dtype.
    ScalarType number = weak.dtype();
    return is_integral(number) ? number : apply_weak(Bool, number);
  }
  return apply_weak(strong.dtype(), weak.dtype());
}

// PyTorch's combine_categories: a lower category can only raise the kind of a higher one.
ScalarType combine(const Common& higher, const Common& lower) {
  if (!higher.any()) return lower.dtype();
  ScalarType h = higher.dtype(), l = lower.dtype();
  if (!lower.any() || is_complex(h)) return h;
  if (is_floating(h)) return is_complex(l) ? to_complex(h) : h;
  return is_bool(h) || l >= Float16 ? promote_torch(h, l) : h;
}

ScalarType result_type_torch(std::span<const OperandType> operands) {
  Common arrays(PromotionRules::Torch), zero_dim(PromotionRules::Torch), numbers(PromotionRules::Torch);
  for (const OperandType& o : operands) {
    if (o.kind == OperandKind::Array)
      arrays.add(o.dtype);
    else if (o.kind == OperandKind::ZeroDim)
      zero_dim.add(o.dtype);
    else if (is_complex(o.dtype))
      numbers.add(to_complex(default_dtype(Face::Torch)));
    else if (is_floating(o.dtype))
      numbers.add(default_dtype(Face::Torch));
    else
      numbers.add(o.dtype);
  }
  Common lower(PromotionRules::Torch);
  if (zero_dim.any() || numbers.any()) lower.add(combine(zero_dim, numbers));
  return combine(arrays, lower);
}

int kind_order(ScalarType t) {
  return is_bool(t) ? 0 : is_unsigned(t) ? 1 : is_integer(t) ? 2 : is_floating(t) ? 3 : 4;
}

bool can_cast_safely(ScalarType from, ScalarType to) {
  if (from > to) return false;
  if (to == ScalarType::BFloat16)
    return is_integral(from) && element_size(from) == 1;  // promote_numpy would raise for other integers
  return promote_numpy(from, to) == to;
}

}  // namespace

ScalarType promote_types(ScalarType a, ScalarType b, PromotionRules rules) {
  return rules == PromotionRules::NumPy ? promote_numpy(a, b) : promote_torch(a, b);
}

OperandType operand_type(const Tensor& t) {
  return {t.dtype(), t.is_wrapped_number() ? OperandKind::PythonNumber
                     : t.dim() == 0        ? OperandKind::ZeroDim
                                           : OperandKind::Array};
}

ScalarType result_type(std::span<const OperandType> operands, PromotionRules rules) {
  return rules == PromotionRules::NumPy ? result_type_numpy(operands) : result_type_torch(operands);
}

ScalarType result_type(TensorList operands) {
  std::vector<OperandType> types;
  types.reserve(operands.size());
  for (const Tensor& t : operands) types.push_back(operand_type(t));
  return result_type(types);
}

ScalarType result_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype() && !a.is_wrapped_number()) return a.dtype();
  OperandType types[] = {operand_type(a), operand_type(b)};
  return result_type(types);
}

const char* casting_name(Casting casting) {
  constexpr const char* names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  return names[static_cast<int>(casting)];
}

bool can_cast(ScalarType from, ScalarType to, Casting casting, PromotionRules rules) {
  if (from == to || casting == Casting::Unsafe) return true;
  if (casting < Casting::Safe) return false;
  if (casting == Casting::Safe) return can_cast_safely(from, to);
  if (rules == PromotionRules::Torch) {
    return !(is_complex(from) && !is_complex(to)) && !(is_floating(from) && is_integral(to)) && !is_bool(to);
  }
  if (from == ScalarType::BFloat16 && to == ScalarType::Float16)
    return false;  // as in ml_dtypes, which registers no such cast
  return kind_order(from) <= kind_order(to);
}

ScalarType default_dtype(Face face) { return default_dtypes[static_cast<int>(face)].load(std::memory_order_relaxed); }

ScalarType floating_dtype_of_integers(PromotionRules rules) {
  return default_dtype(rules == PromotionRules::NumPy ? Face::NumPy : Face::Torch);
}

ScalarType default_integer_dtype(Face face) {
  return default_integer_dtypes[static_cast<int>(face)].load(std::memory_order_relaxed);
}

ScalarType dtype_of_integer(int64_t value, Face face) {
  return value == static_cast<int32_t>(value) ? default_integer_dtype(face) : Int64;
}

ScalarType integer_sum_dtype(ScalarType t) {
  const bool numpy = promotion_rules() == PromotionRules::NumPy;
  const ScalarType least = default_integer_dtype(numpy ? Face::NumPy : Face::Torch);
  const bool wide = element_size(t) > element_size(least) || least == Int64;
  if (numpy && is_unsigned(t)) return wide ? UInt64 : UInt32;
  return wide ? Int64 : least;
}

void set_default_dtype(ScalarType dtype, Face face) {
  if (face == Face::NumPy && (dtype == Int32 || dtype == Int64)) {
    default_integer_dtypes[static_cast<int>(face)].store(dtype, std::memory_order_relaxed);
    return;
  }
  TNP_CHECK(is_floating(dtype), ErrorKind::Type, "only floating-point types ",
            face == Face::NumPy ? "and int32 and int64 " : "", "are supported as the default type, got ", dtype);
  default_dtypes[static_cast<int>(face)].store(dtype, std::memory_order_relaxed);
}

void raise_cannot_cast_input(const char* op, int64_t number, ScalarType from, ScalarType to, Casting casting) {
  std::string input = "input";
  if (number >= 0) append(input += ' ', number);
  TNP_RAISE(ErrorKind::Casting, "Cannot cast ufunc '", op, "' ", input, " from dtype('", from, "') to dtype('", to,
            "') with casting rule '", casting_name(casting), "'");
}

}  // namespace tnp
