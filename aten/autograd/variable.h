// Autograd state of a tensor, and the entry points of operators to the tape. Both Python types
// share this state.
#pragma once

#include <utility>

#include "aten/autograd/node.h"
#include "aten/core/recording.h"

namespace tnp {

struct AutogradMeta;
using TensorHook = std::function<Tensor(const Tensor&)>;  // may return an undefined tensor to keep the gradient

// The hooks of one tensor, in order of registration. The tensor and the node that calls them share
// ownership. The hooks thus outlive the tensor, as in PyTorch, and the node does not keep the
// tensor alive.
struct TensorHooks {
  std::vector<std::pair<size_t, TensorHook>> hooks;
  AutogradMeta* retained = nullptr;  // receives the gradient for retain_grad(); null once that tensor is gone
  void run(Tensor& grad, bool accumulate_retained);
  // Hooks of a leaf, called with it after its gradient has been accumulated. Their results are
  // ignored.
  std::vector<std::pair<size_t, TensorHook>> after_accumulation;
  void run_after_accumulation(const Tensor& leaf) const;
};

struct TNP_API AutogradMeta final : AutogradMetaInterface {
  ~AutogradMeta() override;

  Tensor grad;                  // of a leaf, or after retain_grad()
  intrusive_ptr<Node> grad_fn;  // null for leaves
  Node* accumulator = nullptr;  // a leaf's AccumulateGrad, if it exists; it owns the leaf, not vice versa
  uint32_t output_nr = 0;
  bool requires_grad = false;  // of a leaf, as set
  bool retains_grad = false;
  // Counts the in-place operations recorded for this tensor or a view of it. A view whose `view_version` differs from
  // its base's `history_version` gets a new grad_fn; see Note [Views] in autograd/view.h.
  uint32_t history_version = 0;
  uint32_t view_version = 0;
  std::shared_ptr<TensorHooks> hooks;
};

TNP_API AutogradMeta* autograd_meta(const Tensor& t);  // null if it has none
TNP_API AutogradMeta& make_autograd_meta(const Tensor& t);

// The edge that the gradient of `t` flows to: its grad_fn, or its AccumulateGrad; empty if it needs
// none.
TNP_API Edge gradient_edge(const Tensor& t);
TNP_API intrusive_ptr<Node> grad_fn_of(const Tensor& t);  // regenerated for views that were changed in place

// --- called by generated code
//
// Note [Recording] The order that keeps every check right:
//   if (!any_needs_recording(inputs...)) return kernel(...);       // in the caller's grad mode: views remember it
//   make the node; set_next_edges; save inputs; { NoGradGuard; run the kernel }; set_history; save outputs
// and in place: check_inplace (always); make the node; set_next_edges; save inputs (self with
// SavedTensor::before_inplace); { NoGradGuard; run, which bumps the storage's version };
// rebase_history; save outputs. Only code that writes to existing memory of a tensor bumps the
// version: pointwise with out=, copy_into, fill_with.
//
// Fills the node's next_edges for its differentiable inputs, in order.
TNP_API void set_next_edges(Node& node, std::initializer_list<const Tensor*> inputs);
TNP_API void set_next_edges(Node& node, TensorList inputs);  // appends
// Makes `result` output number `output_nr` of `node`. Does nothing if `result` is undefined (an
// unused output), if its dtype is not differentiable, or if the operator returned one of its
// inputs. Handles views; see set_view_history.
TNP_API void set_history(const Tensor& result, const intrusive_ptr<Node>& node, uint32_t output_nr = 0);
// The part that set_history and rebase_history share, for views and other tensors: sets grad_fn,
// moves hooks.
void set_history_of(const Tensor& t, const intrusive_ptr<Node>& node, uint32_t output_nr);
// set_history for an in-place operator: `self` was a leaf or had another history. Rebases a view's
// base. `self_edge` is the index of self among the node's next_edges (-1: the old value of self has
// no gradient, as in copy_). A view must be the node's only output.
TNP_API void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node, int self_edge = 0,
                            uint32_t output_nr = 0);
// Call before an in-place operator: raises Runtime for a leaf that requires grad or a view of one,
// and ReadOnly.
TNP_API void check_inplace(const Tensor& self, bool recording);
// Call before an array changes shape, dtype or memory but stays the same object. Raises Runtime if
// it requires grad, has a gradient, or is part of a graph, since saved references would silently
// become wrong.
TNP_API void check_untracked(const Tensor& self, const char* operation);
// Raises Runtime for out= with operands that require grad ("{out} ... do not support automatic
// differentiation").
TNP_API void check_out_is_not_recorded(bool recording, const Tensor& out);
// Registers a view that an operator made of `base`, so that in-place changes of either update the
// other's history.
TNP_API void set_view_history(const Tensor& view, const Tensor& base, const intrusive_ptr<Node>& node,
                              uint32_t output_nr = 0);

TNP_API Tensor detach(const Tensor& t);  // shares memory and version, without history; not a view of t
TNP_API void detach_(const Tensor& t);   // forgets the history; raises Runtime for views
TNP_API void retain_grad(const Tensor& t);
TNP_API size_t add_hook(const Tensor& t, TensorHook hook);
TNP_API size_t add_hook_after_accumulation(const Tensor& leaf, TensorHook hook);  // raises Runtime unless it is a leaf
TNP_API void remove_hook(const std::shared_ptr<TensorHooks>& hooks, size_t id);
TNP_API void remove_hook(const Tensor& t, size_t id);

}  // namespace tnp
