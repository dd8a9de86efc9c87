#include "aten/dispatch/direct.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "aten/core/all_calls.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/parallel.h"
#include "aten/dispatch/checks.h"
#include "aten/dispatch/one_line.h"
#include "aten/fusion/mode.h"

namespace tnp {

namespace {

// Whether a finite number becomes infinite as float32. The general path reports that. The comparison
// raises no floating-point flag for NaN.
bool overflows_float32(double number) {
  constexpr double least = 0x1.ffffffp127;  // rounds to infinity
  return std::isgreaterequal(std::abs(number), least) && std::isfinite(number);
}

// Whether the check of the operator surely passes. Divisors are searched for zeros.
TNP_COLD bool passes_check(const PointwiseOp& op, const DirectOperands& operands, ScalarType dtype, const OneLine& line,
                           int64_t numel) {
  if (checks::accepts_any_elements(op.check, dtype, operands.constants[op.nin - 1])) return true;
  if (op.check != &checks::zero_divisor || operands.constants[op.nin - 1]) return false;
  const char* const divisors = line.data[op.nin];
  const int64_t stride = line.strides[op.nin];
  bool passes = true;
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      for (int64_t i = 0; i < numel && passes; ++i) {
        T divisor;
        std::memcpy(&divisor, divisors + i * stride, sizeof divisor);
        passes = divisor != 0;
      }
    }
  });
  return passes;
}

}  // namespace

bool takes_directly(ScalarType dtype, const Scalar& value) {
  if (dtype == ScalarType::Complex128) return !value.is_bool();
  if (dtype == ScalarType::Float32 || dtype == ScalarType::Float64)
    return !value.is_complex() && !value.is_bool() &&
           !(dtype == ScalarType::Float32 && overflows_float32(value.to<double>()));
  return is_integer(dtype) && value.is_integral() && !value.is_bool() && value.fits(dtype);
}

Tensor run_direct(const PointwiseOp& op, const DirectOperands& operands, TensorImpl* out) {
  if (sees_all_calls()) return {};
  const int n = op.nin;
  const TensorImpl* last = nullptr;
  for (int i = n; i-- > 0 && !last;) last = operands.inputs[i];
  const auto rules = static_cast<int>(promotion_rules());
  const PointwiseLoop* loop = op.direct[rules][static_cast<int>(last->dtype)].load(std::memory_order_acquire);
  if (TNP_UNLIKELY(!loop)) return {};
  if (out && out->access() != Access::Direct) return {};
  OneLine line;
  alignas(16) char constants[3][16];
  for (int i = 0; i < n; ++i) {
    const ScalarType dtype = loop->types[i + 1];
    const TensorImpl* t = operands.inputs[i];
    if (TNP_UNLIKELY(!t)) {
      // Requires one common dtype, since a number's dtype follows from the other operands'.
      if (dtype != last->dtype || !takes_directly(dtype, *operands.constants[i])) return {};
      visit_dtype(dtype, [&]<class T>() { *reinterpret_cast<T*>(constants[i]) = operands.constants[i]->to<T>(); });
      line.add_number(i + 1, constants[i]);
      continue;
    }
    if (TNP_UNLIKELY(t->dtype != dtype) || !line.add(i + 1, *t)) return {};
  }
  const TensorImpl& model = line.shape ? *line.shape : *last;
  const int64_t numel = model.numel;
  if (static_cast<double>(numel) * op.cost > static_cast<double>(kParallelWork)) return {};
  if (TNP_UNLIKELY(op.check != nullptr) && !passes_check(op, operands, loop->types[n], line, numel)) return {};
  if (TNP_UNLIKELY(fusion::takes(numel * element_size(loop->types[0]))) && !out) return {};
  Tensor result;
  if (out) {
    if (out->dtype != loop->types[0] || !line.add_out(0, *out, model.sizes, operands.inputs, n)) return {};
    out->storage->prepare_change();
    result = Tensor(intrusive_ptr<TensorImpl>(out));
    result.bump_version();
    if (has_error_watch()) take_floating_point_flags();  // raised by earlier code
  } else {
    line.strides[0] = element_size(loop->types[0]);
    intrusive_ptr<Storage> storage = new_storage(static_cast<size_t>(numel * line.strides[0]), Device{});
    line.data[0] = storage->data();
    result = Tensor(make_intrusive<TensorImpl>(std::move(storage), loop->types[0], model.sizes, numel, line.data[0]));
  }
  if (TNP_LIKELY(numel > 0)) loop->loop(line.data, line.strides, numel);
  if (has_error_watch()) {
    if (const FloatingPointErrors errors = take_floating_point_flags(); TNP_UNLIKELY(errors)) {
      if (op.watched_as && !out) return {};  // the regular path determines whether the flags were already set
      if (op.watched_as) report_floating_point_errors(op.watched_as, errors);
    }
  }
  return result;
}

}  // namespace tnp
