#include "aten/dispatch/direct.h"

#include <algorithm>
#include <cmath>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/parallel.h"
#include "aten/fusion/mode.h"

namespace tnp {

namespace {

bool same_sizes(const DimVector& a, const DimVector& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// The byte step between elements, for a tensor with is_direct().
int64_t step_of(const TensorImpl& t, int64_t element_size) {
  return TNP_LIKELY(t.is_contiguous) ? element_size : t.strides[0] * element_size;
}

struct Span {
  const char *begin, *end;
};

Span span_of(const TensorImpl& t) {
  const int64_t size = element_size(t.dtype), last = t.numel > 0 ? (t.numel - 1) * step_of(t, size) : -size;
  return {t.data + std::min<int64_t>(last, 0), t.data + std::max<int64_t>(last, 0) + size};
}

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
  const TensorImpl* shape = nullptr;
  char* data[4];
  int64_t strides[4];
  alignas(16) char constants[3][16];
  for (int i = 0; i < n; ++i) {
    const ScalarType dtype = loop->types[i + 1];
    const TensorImpl* t = operands.inputs[i];
    if (TNP_UNLIKELY(!t)) {
      // Requires one common dtype, since a number's dtype follows from the other operands'.
      if (dtype != last->dtype || !takes_directly(dtype, *operands.constants[i])) return {};
      visit_dtype(dtype, [&]<class T>() { *reinterpret_cast<T*>(constants[i]) = operands.constants[i]->to<T>(); });
      data[i + 1] = constants[i];
      strides[i + 1] = 0;
      continue;
    }
    if (TNP_UNLIKELY(t->dtype != dtype)) return {};
    data[i + 1] = t->data;
    if (t->sizes.empty()) {
      strides[i + 1] = 0;
      continue;
    }
    strides[i + 1] = step_of(*t, element_size(dtype));
    if (shape && !same_sizes(shape->sizes, t->sizes)) return {};
    shape = t;
  }
  const TensorImpl& model = shape ? *shape : *last;
  const int64_t numel = model.numel;
  if (static_cast<double>(numel) * op.cost > static_cast<double>(kParallelWork)) return {};
  if (TNP_UNLIKELY(fusion::takes(numel * element_size(loop->types[0]))) && !out) return {};
  Tensor result;
  if (out) {
    if (out->dtype != loop->types[0] || !out->writeable || !same_sizes(out->sizes, model.sizes)) return {};
    if (!out->is_contiguous && out->strides[0] == 0) return {};
    const Span written = span_of(*out);  // compares memory, not storages: see overlap.h
    for (int i = 0; i < n; ++i) {
      const TensorImpl* t = operands.inputs[i];
      if (!t || t == out) continue;
      const Span read = span_of(*t);
      if (read.begin < written.end && written.begin < read.end) return {};
    }
    out->storage->prepare_change();
    out->storage->bump_version();
    result = Tensor(intrusive_ptr<TensorImpl>(out));
    data[0] = out->data;
    strides[0] = step_of(*out, element_size(loop->types[0]));
  } else {
    strides[0] = element_size(loop->types[0]);
    intrusive_ptr<Storage> storage = new_storage(static_cast<size_t>(numel * strides[0]), Device{});
    data[0] = storage->data();
    result = Tensor(make_intrusive<TensorImpl>(std::move(storage), loop->types[0], model.sizes, numel, data[0]));
  }
  if (TNP_LIKELY(numel > 0)) loop->loop(data, strides, numel);
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
