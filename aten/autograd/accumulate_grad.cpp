// AccumulateGrad nodes, and the accumulation of gradients.
#include "aten/autograd/accumulate_grad.h"

#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "aten/autograd/linear.h"
#include "aten/autograd/sparse_gradients.h"
#include "aten/autograd/view.h"
#include "aten/core/threads/fork.h"
#include "aten/core/threads/parallel.h"
#include "aten/functions/arithmetic.h"
#include "aten/iterator/layout.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

namespace {

std::mutex accumulator_mutex;  // guards AutogradMeta::accumulator of all leaves; held for a few instructions
[[maybe_unused]] const bool held = (hold_at_fork(accumulator_mutex), true);

// Lock held while a gradient is accumulated, since other threads may have a gradient for the same
// leaf. Accumulation may take long and release the GIL. A thread that waits for the lock releases
// the GIL as well, since the holder may need it. One lock serves several leaves.
class AccumulationLock {
 public:
  explicit AccumulationLock(const Tensor& slot) : lock_(mutex_of(slot), std::try_to_lock) {
    if (!lock_) {
      LongWork wait;
      lock_.lock();
    }
  }

 private:
  static ForkSafeMutex& mutex_of(const Tensor& slot) {
    static auto& all = *new std::array<ForkSafeMutex, 64>;  // never destroyed: threads may outlive static objects
    return all[reinterpret_cast<uintptr_t>(&slot) * 0x9E3779B97F4A7C15u >> 58];
  }
  std::unique_lock<ForkSafeMutex> lock_;
};

thread_local LeafWatch* leaf_watch = nullptr;

}  // namespace

LeafWatch* set_leaf_watch(LeafWatch* watch) { return std::exchange(leaf_watch, watch); }
void tell_leaf_watch(const Tensor& leaf) {
  if (TNP_UNLIKELY(leaf_watch != nullptr)) leaf_watch->reached(leaf);
}

namespace {

class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& leaf) : leaf_(leaf) {
    sequence_nr = kAccumulators;
    input_meta.emplace_back(leaf);
  }
  ~AccumulateGrad() override {
    std::lock_guard lock(accumulator_mutex);
    AutogradMeta* meta = autograd_meta(leaf_);
    if (meta && meta->accumulator == this) meta->accumulator = nullptr;
  }
  const char* name() const override { return "AccumulateGrad"; }
  void run_tensor_hooks(Tensors& grads) override {
    if (!grads[0].defined()) return;
    if (auto hooks = autograd_meta(leaf_)->hooks) hooks->run(grads[0], false);
  }
  Tensors apply(Tensors&& grads) override {
    if (!grads[0].defined()) return {};
    tell_leaf_watch(leaf_);
    AutogradMeta& meta = make_autograd_meta(leaf_);
    // As in PyTorch, hooks that run after the node receive the gradient that the leaf adopts.
    accumulate_into(meta.grad, std::move(grads[0]), leaf_, post_hooks.empty() ? 1 : 2);
    if (auto hooks = meta.hooks) hooks->run_after_accumulation(leaf_);
    return {};
  }
  const Tensor& leaf() const { return leaf_; }

 private:
  Tensor leaf_;
};

}  // namespace

Tensor leaf_of(const Node& node) {
  const auto* accumulator = dynamic_cast<const AccumulateGrad*>(&node);
  return accumulator ? accumulator->leaf() : Tensor();
}

intrusive_ptr<Node> accumulator_of(const Tensor& leaf) {
  AutogradMeta& meta = make_autograd_meta(leaf);
  std::lock_guard lock(accumulator_mutex);
  if (meta.accumulator && meta.accumulator->try_retain()) {
    intrusive_ptr<Node> alive(meta.accumulator);
    meta.accumulator->release();  // the reference that try_retain took
    // `x.data = ...` may have changed the leaf's dtype, device or shape since the node was created.
    const InputMeta& then = alive->input_meta[0];
    if (then.dtype == leaf.dtype() && then.device == leaf.device() && IntList(then.sizes) == leaf.sizes()) return alive;
  }
  auto made = make_intrusive<AccumulateGrad>(leaf);
  meta.accumulator = made.get();
  return made;
}

bool is_exclusive(const Tensor& t, uint32_t num_owners) {
  return t.impl()->use_count() <= num_owners && t.impl()->storage->use_count() == 1 && t.impl()->writeable &&
         t.storage().owns_memory() && !may_overlap(t.sizes(), t.strides());
}

namespace {

bool has_strides(const Tensor& t, IntList strides) {
  if (t.is_unaligned()) return false;
  for (size_t d = 0; d < strides.size(); ++d)
    if (t.sizes()[d] != 1 && t.strides()[d] != strides[d]) return false;
  return true;
}

// The strides of the gradient of a leaf: on the torch face its own if it is dense in another order of
// axes than row-major, such as channels last. nullopt: row-major.
std::optional<DimVector> strides_for(const Tensor& leaf) {
  if (TNP_LIKELY(!leaf.defined() || leaf.is_contiguous()) || leaf.is_unaligned()) return std::nullopt;
  if (dialect().errors_are_numpys()) return std::nullopt;
  DimVector dense = dense_strides(leaf.sizes(), axes_slowest_first(leaf));
  return has_strides(leaf, dense) ? std::optional(std::move(dense)) : std::nullopt;
}

}  // namespace

void accumulate_into(Tensor& slot, Tensor&& grad, const Tensor& leaf, uint32_t num_owners) {
  Tensor before, sum;  // destroyed after the lock is released
  AccumulationLock lock(slot);
  before = slot;  // a copy of the handle, since another thread may replace `slot` meanwhile
  if (TNP_UNLIKELY(is_sparse(grad) || (before.defined() && is_sparse(before)))) {
    sum = before.defined() ? sum_of_sparse_gradients(before, grad) : own_sparse_gradient(grad);
  } else if (grad_enabled()) {
    sum = before.defined() ? add(before, grad) : identity_copy(grad, strides_for(leaf));
  } else if (before.defined()) {
    if (!before.requires_grad()) {
      PointwiseOptions options;
      options.out[0] = before;
      add(before, grad, options);
      return;
    }
    // The existing gradient was computed with create_graph. A graph may have saved it, so it must
    // not change in place.
    sum = add(before, grad);
  } else {
    const std::optional<DimVector> strides = strides_for(leaf);
    const bool fits = strides ? has_strides(grad, *strides) : grad.is_contiguous();
    sum = fits && is_exclusive(grad, num_owners) && !grad.requires_grad() ? std::move(grad)
                                                                          : identity_copy(grad, strides);
  }
  slot = std::move(sum);
}

void accumulate_into(Tensor& slot, const Tensor& grad) {
  Tensor shared = grad;
  accumulate_into(slot, std::move(shared));
}

}  // namespace tnp
