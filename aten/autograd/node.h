// The tape: nodes, and the edges between them.
//
// A Node computes the gradients of its inputs from the gradients of its outputs. Edges point from a
// node to the nodes that made its inputs. Generated nodes (aten/autograd_nodes/<family>.h) come
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

struct Edge {
  intrusive_ptr<Node> node;  // null: this input needs no gradient
  uint32_t input_nr = 0;     // which output of `node` the input was
  explicit operator bool() const { return static_cast<bool>(node); }
};

using Tensors = std::vector<Tensor>;

// The properties of an input to which the engine adjusts its gradient. The engine sums the gradient
// to the input's shape if that was broadcast, casts it to the input's dtype, and takes the real
// part if the input is real.
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

  virtual const char* name() const = 0;  // "AddBackward"
  // grads[i]: gradient of output i, undefined where it is zero. Returns one gradient per next edge, undefined for zero.
  // At least one of them is defined; the others are zeros if `materialize_grads`.
  virtual Tensors apply(Tensors&& grads) = 0;
  virtual void release_variables() {}  // after a backward without retain_graph

  // Whether input i needs a gradient; formulas of other inputs are not evaluated.
  bool needs_grad(size_t i) const { return i < next_edges.size() && static_cast<bool>(next_edges[i]); }

  std::vector<Edge> next_edges;       // one per differentiable input
  std::vector<InputMeta> input_meta;  // of the forward operator's OUTPUTS: shapes of the incoming gradients
  uint64_t sequence_nr;               // later nodes run first
  bool materialize_grads = false;     // replaces undefined gradients by zeros, if another one is defined
  // The dialect of the forward operator, in which the formula runs too.
  Dialect dialect = tnp::dialect();
  // Called with the incoming gradients before apply; may replace them. In order of registration.
  std::vector<std::function<void(Tensors& grads)>> pre_hooks;
  // Called with (grad inputs, grad outputs) after apply; may replace the former.
  std::vector<std::function<void(Tensors& inputs, const Tensors& outputs)>> post_hooks;

 protected:
  void destroy() override;  // iterative: a long chain must not overflow the stack
};

// Calls the hooks that are registered now; a hook may register others, also in this list.
template <class Hook, class... Args>
void run_hooks(const std::vector<Hook>& hooks, Args&... args) {
  for (size_t i = 0, n = hooks.size(); i < n; ++i) {
    const Hook hook = hooks[i];  // a copy: the list may move while it runs
    hook(args...);
  }
}

// A tensor that a formula needs later. It remembers the storage's version: `unpack` raises Runtime
// if the tensor has been modified in place since ("one of the variables needed for gradient
// computation has been modified by an inplace operation").
//
// Note [Saved tensors make no cycles]: a node must not own a tensor whose grad_fn is the node
// itself, as the cycle would never be freed. Nor may it own one that gets a grad_fn leading back to
// the node by a later in-place operation. So all tensors except leaves are saved as an alias of the
// memory without history, and `unpack` restores the history.
class TNP_API SavedTensor {
 public:
  SavedTensor() = default;
  // Save outputs after set_history or rebase_history, or pass their `output_nr`.
  SavedTensor(const Tensor& tensor, bool is_output_of_node, uint32_t output_nr = 0);
  // For an in-place operator whose formulas use the old value of `self`: saves a copy, with the
  // history of self before the operator runs.
  static SavedTensor before_inplace(const Tensor& self);
  // `owner`: the node that saved it, needed if the tensor is that node's own output, since no
  // reference cycle is kept. Without recording the result has no history, unless `with_history`.
  Tensor unpack(const intrusive_ptr<Node>& owner) const { return unpack(owner.get()); }
  Tensor unpack(Node* owner, bool with_history = grad_enabled()) const;
  void reset() {
    data_ = Tensor();
    grad_fn_ = nullptr;
    released_ = true;
  }

 private:
  Tensor data_;
  intrusive_ptr<Node> grad_fn_;
  uint32_t output_nr_ = 0, version_ = 0;
  bool is_output_ = false, is_leaf_ = false, released_ = false;
};

}  // namespace tnp
