#include "aten/dispatch/outputs.h"

#include <algorithm>

#include "aten/core/numbers/promotion.h"
#include "aten/dispatch/out.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/overlap.h"

namespace tnp {

namespace {

// Whether a kernel may write its result directly to `out` while it reads the operands.
bool takes(const Tensor& out, const Output& wanted, std::initializer_list<const Tensor*> operands) {
  if (out.dtype() != wanted.dtype || out.dtype() != wanted.computed) return false;
  if (out.is_unaligned()) return false;
  // Complex numbers only need the alignment of their parts, but NVIDIA's libraries access them as
  // aligned pairs.
  if (!out.device().is_cpu() &&
      reinterpret_cast<uintptr_t>(out.address()) % static_cast<uintptr_t>(out.itemsize()) != 0)
    return false;
  if (wanted.strides ? out.strides() != IntList(*wanted.strides) : !out.is_contiguous()) return false;
  return std::none_of(operands.begin(), operands.end(),
                      [&](const Tensor* t) { return t->defined() && may_share_memory(*t, out); });
}

bool is_among(const Tensor& out, std::initializer_list<const Tensor*> operands) {
  return std::any_of(operands.begin(), operands.end(), [&](const Tensor* t) { return t->is_same(out); });
}

void fit(const Tensor& out, const Output& wanted) {
  wanted.strides ? fit_out(out, wanted.sizes, *wanted.strides) : fit_out(out, wanted.sizes);
}

}  // namespace

Tensor Outputs::new_output(const Output& wanted, ScalarType dtype) const {
  return wanted.strides ? empty_strided_tensor(wanted.sizes, *wanted.strides, dtype, device_)
                        : empty_tensor(wanted.sizes, dtype, device_);
}

void Outputs::allocate(std::initializer_list<const Tensor*> operands) {
  TNP_INTERNAL_ASSERT(count_ == capacity_);
  for (size_t i = 0; i < count_; ++i) {
    const Output& wanted = described_[i];
    if (!wanted.exists) continue;
    if (TNP_UNLIKELY(options_ && options_->out.defined())) {
      const Tensor& out = options_->out;
      check_out_dtype(options_->out_dtype, wanted.dtype, out.dtype());
      check_out_takes(out, wanted.dtype, device_);
      if (takes_another_size(out, wanted.sizes)) {
        if (is_among(out, operands)) {
          written_[i] = new_output(wanted, wanted.computed);
          continue;  // finish() resizes it
        }
        fit(out, wanted);
      }
      check_out(out, wanted.sizes, wanted.dtype, device_);
      if (takes(out, wanted, operands)) {
        out.bump_version();
        written_[i] = out;
        continue;
      }
    }
    written_[i] = new_output(wanted, wanted.computed);
  }
}

Tensor Outputs::finish(size_t i) {
  const Output& wanted = described_[i];
  Tensor written = std::move(written_[i]);
  if (TNP_UNLIKELY(options_ && options_->out.defined())) {
    const Tensor& out = options_->out;
    fit(out, wanted);
    if (!written.is_same(out)) copy_into(out, written, Casting::Unsafe);  // the cast has been checked
    return out;
  }
  Tensor cast = new_output(wanted, wanted.dtype);
  copy_into(cast, written, Casting::Unsafe);
  return cast;
}

}  // namespace tnp
