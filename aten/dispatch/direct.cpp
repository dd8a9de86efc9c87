#include "aten/dispatch/direct.h"

#include <algorithm>
#include <cmath>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/parallel.h"
#include "aten/dispatch/one_line.h"
#include "aten/fusion/mode.h"

namespace tnp {

namespace {

// NumPy's name of the operation whose errors are reported, or null if none are. The name is "cast"
// if a number overflows in the compute dtype.
TNP_COLD const char* watched_as(const PointwiseOp& op, const DirectOperands& operands, ScalarType dtype) {
  for (int i = 0; i < op.nin; ++i) {
    if (dtype != ScalarType::Float32 || !operands.constants[i]) continue;
    const double number = operands.constants[i]->to<double>();
    if (std::isfinite(number) && std::isinf(static_cast<float>(number))) return "cast";
  }
  return op.watched_as;
}

}  // namespace

bool takes_directly(ScalarType dtype, const Scalar& value) {
  if (dtype == ScalarType::Float32 || dtype == ScalarType::Float64) return !value.is_complex() && !value.is_bool();
  return is_integer(dtype) && value.is_integral() && !value.is_bool() && value.fits(dtype);
}

Tensor run_direct(const PointwiseOp& op, const DirectOperands& operands, TensorImpl* out) {
  const int n = op.nin;
  const TensorImpl* last = nullptr;
  for (int i = n; i-- > 0 && !last;) last = operands.inputs[i];
  const auto rules = static_cast<int>(promotion_rules());
  const PointwiseLoop* loop = op.direct[rules][static_cast<int>(last->dtype)].load(std::memory_order_acquire);
  if (TNP_UNLIKELY(!loop)) return {};
  if (out && out->access() != Access::Direct) return {};
  if (out && has_error_watch()) take_floating_point_flags();
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
  if (TNP_UNLIKELY(fusion::takes(numel * element_size(loop->types[0]))) && !out) return {};
  Tensor result;
  if (out) {
    if (out->dtype != loop->types[0] || !line.add_out(0, *out, model.sizes, operands.inputs, n)) return {};
    out->storage->prepare_change();
    out->storage->bump_version();
    result = Tensor(intrusive_ptr<TensorImpl>(out));
  } else {
    line.strides[0] = element_size(loop->types[0]);
    intrusive_ptr<Storage> storage = new_storage(static_cast<size_t>(numel * line.strides[0]), Device{});
    line.data[0] = storage->data();
    result = Tensor(make_intrusive<TensorImpl>(std::move(storage), loop->types[0], model.sizes, numel, line.data[0]));
  }
  if (TNP_LIKELY(numel > 0)) loop->loop(line.data, line.strides, numel);
  if (has_error_watch()) {
    if (const FloatingPointErrors errors = take_floating_point_flags(); TNP_UNLIKELY(errors)) {
      const char* operation = watched_as(op, operands, last->dtype);
      if (operation && !out) return {};  // the regular path determines whether the flags were already set
      if (operation) report_floating_point_errors(operation, errors);
    }
  }
  return result;
}

}  // namespace tnp
