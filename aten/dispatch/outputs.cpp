#include "aten/dispatch/outputs.h"

#include "aten/core/promotion.h"
#include "aten/dispatch/out.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/overlap.h"

namespace tnp {

namespace {

// Whether a kernel may write its result there, while it reads the operands.
bool takes(const Tensor& out, const Output& wanted, std::initializer_list<const Tensor*> operands) {
  if (out.dtype() != wanted.dtype || out.dtype() != wanted.computed) return false;
  if (out.is_unaligned()) return false;
  if (wanted.strides ? out.strides() != IntList(*wanted.strides) : !out.is_contiguous()) return false;
  return std::none_of(operands.begin(), operands.end(),
                      [&](const Tensor* t) { return t->defined() && may_share_memory(*t, out); });
}

}  // namespace

void Outputs::allocate(std::initializer_list<const Tensor*> operands) {
  TNP_INTERNAL_ASSERT(count_ == capacity_);
  for (size_t i = 0; i < count_; ++i) {
    const Output& wanted = described_[i];
    if (!wanted.exists) continue;
    if (TNP_UNLIKELY(options_ && options_->out.defined())) {
      const Tensor& out = options_->out;
      check_out(out, wanted.sizes, wanted.dtype, device_);
      if (takes(out, wanted, operands)) {
        out.storage().bump_version();
        written_[i] = out;
        continue;
      }
    }
    written_[i] = wanted.strides ? empty_strided_tensor(wanted.sizes, *wanted.strides, wanted.computed, device_)
                                 : empty_tensor(wanted.sizes, wanted.computed, device_);
  }
}

Tensor Outputs::finish(size_t i) {
  const Output& wanted = described_[i];
  Tensor written = std::move(written_[i]);
  if (TNP_UNLIKELY(options_ && options_->out.defined())) {
    const Tensor& out = options_->out;
    if (!written.is_same(out)) copy_into(out, written, Casting::Unsafe);  // whether it may be cast, is known
    return out;
  }
  Tensor cast = wanted.strides ? empty_strided_tensor(wanted.sizes, *wanted.strides, wanted.dtype, device_)
                               : empty_tensor(wanted.sizes, wanted.dtype, device_);
  copy_into(cast, written, Casting::Unsafe);
  return cast;
}

}  // namespace tnp
