// AccumulateGrad, and the adding up of gradients.
#include "aten/autograd/accumulate_grad.h"

#include <mutex>

#include "aten/autograd/linear.h"
#include "aten/functions/arithmetic.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

namespace {

std::mutex accumulator_mutex;  // guards AutogradMeta::accumulator of all leaves; held for a few instructions

class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& leaf) : leaf_(leaf) {
    sequence_nr = UINT64_MAX;  // nothing waits for it, so run it (and free the gradient) at once
    input_meta.emplace_back(leaf);
    pre_hooks.push_back([this](Tensors& grads) {
      if (grads[0].defined()) {
        if (auto hooks = autograd_meta(leaf_)->hooks) hooks->run(grads[0], false);
      }
    });
  }
  ~AccumulateGrad() override {
    std::lock_guard lock(accumulator_mutex);
    AutogradMeta* meta = autograd_meta(leaf_);
    if (meta && meta->accumulator == this) meta->accumulator = nullptr;
  }
  const char* name() const override { return "AccumulateGrad"; }
  Tensors apply(Tensors&& grads) override {
    if (grads[0].defined()) accumulate_into(make_autograd_meta(leaf_).grad, std::move(grads[0]));
    return {};
  }

 private:
  Tensor leaf_;
};

}  // namespace

intrusive_ptr<Node> accumulator_of(const Tensor& leaf) {
  AutogradMeta& meta = make_autograd_meta(leaf);
  std::lock_guard lock(accumulator_mutex);
  if (meta.accumulator && meta.accumulator->try_retain()) {
    intrusive_ptr<Node> alive(meta.accumulator);
    meta.accumulator->release();  // the reference that try_retain took
    return alive;
  }
  auto made = make_intrusive<AccumulateGrad>(leaf);
  meta.accumulator = made.get();
  return made;
}

bool is_exclusive(const Tensor& t) {
  return t.impl()->use_count() == 1 && t.impl()->storage->use_count() == 1 && t.impl()->writeable &&
         t.storage().owns_memory();
}

void accumulate_into(Tensor& slot, Tensor&& grad) {
  if (grad_enabled()) {
    slot = slot.defined() ? add(slot, grad) : identity_copy(grad);
  } else if (slot.defined()) {
    if (slot.requires_grad()) {  // made by a backward with create_graph: its history must not see a new value
      slot = add(slot, grad);
    } else {
      PointwiseOptions options;
      options.out[0] = slot;
      add(slot, grad, options);
    }
  } else if (is_exclusive(grad) && grad.is_contiguous() && !grad.requires_grad()) {
    slot = std::move(grad);
  } else {
    slot = identity_copy(grad);
  }
}

void accumulate_into(Tensor& slot, const Tensor& grad) {
  Tensor shared = grad;
  accumulate_into(slot, std::move(shared));
}

}  // namespace tnp
