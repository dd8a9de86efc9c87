// SavedTensor: saves values of the forward pass, and detects that they were overwritten.
#include <atomic>
#include <utility>

#include "aten/autograd/accumulate_grad.h"
#include "aten/autograd/linear.h"
#include "aten/autograd/released.h"
#include "aten/autograd/saved_tensor_hooks.h"
#include "aten/autograd/variable.h"
#include "aten/core/memory/inference.h"
#include "aten/core/threads/thread_object.h"

namespace tnp {

namespace {

// Number of hooks of all threads. While it is 0, saving a tensor reads no thread-local variable.
std::atomic<int> hooks_of_all_threads{0};
struct ThreadsHooks {
  std::vector<std::shared_ptr<const SavedTensorHooks>> all;  // the innermost is last
};
auto& saved_tensor_hooks() { return ThreadObject<ThreadsHooks>::get().all; }

// A packed value with the history of its tensor. It takes the place of the history in a
// SavedTensor, which thus has no member for hooks. It is not part of the graph and never runs.
struct Packed final : Node {
  const char* name() const override { return "Packed"; }
  Tensors apply(Tensors&&) override { return {}; }
  std::unique_ptr<PackedTensor> value;
  intrusive_ptr<Node> history;  // the grad_fn, or the AccumulateGrad of a leaf
};

// Null if the hooks do not pack the tensor.
std::unique_ptr<PackedTensor> packed(const Tensor& t, const SavedTensorHooks& hooks) {
  const uint32_t version = t.version();
  std::unique_ptr<PackedTensor> result;
  {
    NoGradGuard guard;
    result = hooks.pack(t);
  }
  TNP_CHECK(t.version() == version, ErrorKind::Runtime,
            "A saved tensor pack hook is modifying its input in place. The tensors that a pack hook receives must not "
            "be modified by in-place operations.");
  return result;
}

intrusive_ptr<Node> with_history(std::unique_ptr<PackedTensor> value, intrusive_ptr<Node> history) {
  auto result = make_intrusive<Packed>();
  result->value = std::move(value);
  result->history = std::move(history);
  return result;
}

}  // namespace

void push_saved_tensor_hooks(std::shared_ptr<const SavedTensorHooks> hooks) {
  saved_tensor_hooks().push_back(std::move(hooks));
  hooks_of_all_threads.fetch_add(1, std::memory_order_relaxed);
}

void pop_saved_tensor_hooks() {
  if (saved_tensor_hooks().empty()) return;
  saved_tensor_hooks().pop_back();
  hooks_of_all_threads.fetch_sub(1, std::memory_order_relaxed);
}

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output_of_node, uint32_t output_nr) {
  if (!tensor.defined()) return;
  TNP_CHECK(!tensor.storage().is_inference() || inference_mode, ErrorKind::Runtime,
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
            "it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
  version_ = tensor.version();
  is_output_ = is_output_of_node;
  AutogradMeta* meta = autograd_meta(tensor);
  if (is_output_) {
    output_nr_ = meta && meta->grad_fn ? meta->output_nr : output_nr;
    data_ = detach(tensor);
  } else if (tensor.requires_grad()) {
    grad_fn_ = grad_fn_of(tensor);
    is_leaf_ = !grad_fn_;
    if (!is_leaf_) output_nr_ = autograd_meta(tensor)->output_nr;
    data_ = is_leaf_ ? tensor : detach(tensor);
  } else {
    data_ = detach(tensor);
  }
  // Python numbers are saved as tensors; hooks do not receive them.
  if (TNP_UNLIKELY(hooks_of_all_threads.load(std::memory_order_relaxed) != 0) && !saved_tensor_hooks().empty() &&
      !tensor.is_wrapped_number()) {
    const auto hooks = saved_tensor_hooks().back();  // a copy, since the hook may change the list
    if (auto value = packed(is_output_ ? data_ : tensor, *hooks)) {
      grad_fn_ = with_history(std::move(value), is_leaf_ ? accumulator_of(tensor) : std::move(grad_fn_));
      is_leaf_ = false;
      data_ = Tensor();
    }
  }
}

void SavedTensor::pack(const SavedTensorHooks& hooks, Node* owner) {
  TNP_CHECK(
      !released_, ErrorKind::Runtime,
      "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
      "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
      "the graph a second time or if you need to access saved variables after calling backward.");
  TNP_CHECK(
      data_.defined() || !grad_fn_, ErrorKind::Runtime,
      "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
      "allowed at a time.");
  TNP_CHECK(data_.defined(), ErrorKind::Runtime,
            "Calling register_hooks on a saved tensor with value None is forbidden");
  const Tensor tensor = is_output_ ? data_ : unpack(owner, true);
  auto value = packed(tensor, hooks);
  if (!value) return;
  grad_fn_ = with_history(std::move(value), is_leaf_ ? accumulator_of(data_) : std::move(grad_fn_));
  is_leaf_ = false;
  data_ = Tensor();
}

SavedTensor SavedTensor::before_inplace(const Tensor& self) { return SavedTensor(identity_copy(self), false); }

Tensor SavedTensor::unpack(Node* owner, bool with_history) const {
  if (TNP_UNLIKELY(released_)) throw ReleasedGraph();
  if (!data_.defined()) {
    if (TNP_LIKELY(!grad_fn_)) return data_;
    const auto& from = static_cast<const Packed&>(*grad_fn_);
    const Tensor value = from.value->unpack();
    if (!with_history) return value;
    Tensor result = detach(value);
    intrusive_ptr<Node> history = is_output_ ? intrusive_ptr<Node>(owner) : from.history;
    if (!history || !is_differentiable(result.dtype())) return result;
    AutogradMeta& meta = make_autograd_meta(result);
    meta.grad_fn = std::move(history);
    meta.output_nr = output_nr_;
    return result;
  }
  Node* grad_fn = is_output_ ? owner : grad_fn_.get();
  if (TNP_UNLIKELY(data_.version() != version_)) {
    std::string origin;
    if (grad_fn) origin = ", which is output " + std::to_string(output_nr_) + " of " + grad_fn->name() + ",";
    TNP_RAISE(ErrorKind::Runtime,
              "one of the variables needed for gradient computation has been modified by an inplace operation: [",
              data_.dtype(), " ", data_.sizes(), "]", origin, " is at version ", data_.version(), "; expected version ",
              version_, " instead");
  }
  if (is_leaf_ || !grad_fn || !with_history || !is_differentiable(data_.dtype())) return data_;
  Tensor result = detach(data_);
  AutogradMeta& meta = make_autograd_meta(result);
  meta.grad_fn = intrusive_ptr<Node>(grad_fn);
  meta.output_nr = output_nr_;
  return result;
}

}  // namespace tnp
