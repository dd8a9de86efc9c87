// The tape: nodes, and the edges between them.
//
// A Node computes the gradients of its inputs from the gradients of its outputs. Edges point from a
// node to the nodes that computed its inputs. Generated nodes (aten/autograd_nodes/<family>.h) come
// from the `derivative` formulas.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aten/core/memory/intrusive_ptr.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

class Node;
class SavedTensor;
struct SavedTensorHooks;
struct TensorHooks;

struct Edge {
  intrusive_ptr<Node> node;  // null if this input needs no gradient
  uint32_t input_nr = 0;     // index of the input among the outputs of `node`
  explicit operator bool() const { return static_cast<bool>(node); }
};

using Tensors = std::vector<Tensor>;

// The shape, dtype and device of an input, to which the engine adjusts the input's gradient. The
// engine sums the gradient over broadcast axes, casts the gradient to the input's dtype, and takes
// the real part if the input is real.
struct InputMeta {
  InputMeta() = default;
  explicit InputMeta(const Tensor& t) : sizes(t.sizes()), dtype(t.dtype()), device(t.device()) {}
  DimVector sizes;
  ScalarType dtype = ScalarType::Float32;
  Device device;
};

class TNP_API Node : public WeaklyKnown {
 public:
  Node();
  ~Node() override;

  virtual const char* name() const = 0;  // "AddBackward0"
  // Computes the gradients of the inputs. grads[i] is the gradient of output i; an undefined tensor
  // stands for zeros. At least one of `grads` is defined. If `materialize_grads` is set, undefined
  // ones have been replaced by zeros. Returns one gradient per next edge; an undefined tensor
  // stands for zeros.
  virtual Tensors apply(Tensors&& grads) = 0;
  virtual void release_variables() {}  // frees saved tensors; called after a backward pass without retain_graph
  // Calls `visit` with the name of each saved tensor. For members of a list it is the list's name after a star.
  virtual void visit_saved(const std::function<void(const char* name, SavedTensor& saved)>& /*visit*/) {}

  // Whether input i needs a gradient; formulas of other inputs are not evaluated.
  bool needs_grad(size_t i) const { return i < next_edges.size() && static_cast<bool>(next_edges[i]); }

  std::vector<Edge> next_edges;       // one per differentiable input
  std::vector<InputMeta> input_meta;  // of the forward operator's OUTPUTS: shapes of the incoming gradients
  uint64_t sequence_nr;               // later nodes run first
  bool materialize_grads = false;     // replace undefined gradients by zeros before apply()
  // The dialect of the forward operator. The derivative formula runs in the same dialect.
  Dialect dialect = tnp::dialect();
  // Calls the hooks of the tensors that the node computed, with the gradients that arrived. It runs before
  // gradients are captured for grad(), and thus also if the node itself does not run.
  virtual void run_tensor_hooks(Tensors& grads);
  struct HooksOfOutput {
    uint32_t output_nr;
    std::shared_ptr<TensorHooks> hooks;
  };
  std::vector<HooksOfOutput> tensor_hooks;
  // Hooks that are called with the incoming gradients before apply() and may replace them. They run
  // in order of registration, after those of tensors.
  std::vector<std::function<void(Tensors& grads)>> pre_hooks;
  // Hooks that are called with (gradients of inputs, gradients of outputs) after apply(). They may
  // replace the gradients of inputs.
  std::vector<std::function<void(Tensors& inputs, const Tensors& outputs)>> post_hooks;

 protected:
  void destroy() override;  // iterative: a long chain must not overflow the stack
};

// Calls the hooks that are registered at the time of the call. Hooks that are added to `hooks`
// meanwhile do not run.
template <class Hook, class... Args>
void run_hooks(const std::vector<Hook>& hooks, Args&... args) {
  for (size_t i = 0, n = hooks.size(); i < n; ++i) {
    const Hook hook = hooks[i];  // a copy, since the hook may add to the list, which then moves in memory
    hook(args...);
  }
}

// A tensor that a derivative formula reads in the backward pass. SavedTensor stores the version of
// the tensor's storage, and `unpack` raises Runtime if the tensor has been modified in place since
// ("one of the variables needed for gradient computation has been modified by an inplace
// operation").
//
// Note [Saved tensors make no cycles]: a node must not own a tensor whose grad_fn is the node
// itself, as the cycle would never be freed. Nor may it own a tensor whose grad_fn may later lead
// back to the node because of an in-place operation. So all tensors except leaves are saved as an
// alias of the memory without history, and `unpack` restores the history.
class TNP_API SavedTensor {
 public:
  SavedTensor() = default;
  // Save outputs after set_history or rebase_history, or pass their `output_nr`.
  SavedTensor(const Tensor& tensor, bool is_output_of_node, uint32_t output_nr = 0);
  // For an in-place operator whose formulas use the old value of `self`. Saves a copy of `self`
  // with the history that `self` has before the operator runs.
  static SavedTensor before_inplace(const Tensor& self);
  // Returns the tensor. `owner` is the node that saved the tensor; it becomes the result's grad_fn
  // if the tensor is the node's own output. The result has no history if `with_history` is false,
  // which is the default while recording is off.
  Tensor unpack(const intrusive_ptr<Node>& owner) const { return unpack(owner.get()); }
  Tensor unpack(Node* owner, bool with_history = grad_enabled()) const;
  // An undefined tensor stays readable.
  void reset() {
    released_ = released_ || data_.defined() || grad_fn_;
    data_ = Tensor();
    grad_fn_ = nullptr;
  }
  // Packs the tensor by `hooks`. Raises Runtime if it is undefined, released or packed already.
  void pack(const SavedTensorHooks& hooks, Node* owner);

 private:
  Tensor data_;
  intrusive_ptr<Node> grad_fn_;
  uint32_t output_nr_ = 0, version_ = 0;
  bool is_output_ = false, is_leaf_ = false, released_ = false;
};

}  // namespace tnp
