// Autograd state of a tensor, and the entry points of operators to the tape. Both Python types
// share this state.
#pragma once

#include <utility>

#include "aten/autograd/node.h"
#include "aten/core/requires_grad.h"

namespace tnp {

struct AutogradMeta;
using TensorHook = std::function<Tensor(const Tensor&)>;  // may return an undefined tensor to keep the gradient

// The hooks of one tensor, in order of registration. The tensor and the node that calls them share
// ownership. The hooks thus outlive the tensor, as in PyTorch, and the node does not keep the
// tensor alive.
struct TensorHooks {
  std::vector<std::pair<size_t, TensorHook>> hooks;
  AutogradMeta* retained = nullptr;  // receives the gradient for retain_grad(); null after the tensor was destroyed
  void run(Tensor& grad, bool accumulate_retained);
  // Hooks of a leaf, called with the leaf after its gradient has been accumulated. Their results
  // are ignored.
  std::vector<std::pair<size_t, TensorHook>> after_accumulation;
  void run_after_accumulation(const Tensor& leaf) const;
};

struct TNP_API AutogradMeta final : AutogradMetaInterface {
  ~AutogradMeta() override;
  void made_view_without_grad(TensorImpl& view) const override;

  Tensor grad;                  // set for leaves, and for other tensors after retain_grad()
  intrusive_ptr<Node> grad_fn;  // null for leaves
  Node* accumulator = nullptr;  // a leaf's AccumulateGrad, if it exists; it owns the leaf, not vice versa
  uint32_t output_nr = 0;
  bool requires_grad = false;  // for leaves only: the user's setting
  bool retains_grad = false;
  // Counts the in-place operations recorded for this tensor or a view of it. A view whose
  // `view_version` differs from its base's `history_version` gets a new grad_fn; see Note [Views]
  // in autograd/view.h.
  uint32_t history_version = 0;
  uint32_t view_version = 0;
  std::shared_ptr<TensorHooks> hooks;
};

TNP_API AutogradMeta* autograd_meta(const Tensor& t);  // null if `t` has no autograd state
TNP_API AutogradMeta& make_autograd_meta(const Tensor& t);

// The edge that the gradient of `t` flows to. The edge leads to the grad_fn of `t`, or for a leaf
// to its AccumulateGrad. It is empty if `t` does not require grad.
TNP_API Edge gradient_edge(const Tensor& t);
TNP_API intrusive_ptr<Node> grad_fn_of(const Tensor& t);  // regenerated for views that were changed in place

// --- called by generated code
//
// Note [Setting the history] The required order of steps. Out of place:
//   if (!compute_requires_grad(inputs...)) return kernel(...);       // in the caller's grad mode: views remember it
//   make the node; set_next_edges; save inputs; { NoGradGuard; run the kernel }; set_history; save outputs
// In place: check_inplace (always); make the node; set_next_edges; save inputs (self with
// SavedTensor::before_inplace); { NoGradGuard; run, which bumps the storage's version };
// rebase_history; save outputs. Only code that writes to existing memory of a tensor bumps the
// version: pointwise with out=, copy_into, fill_with.
//
// Appends one edge per tensor of `inputs` to the node's next_edges.
TNP_API void set_next_edges(Node& node, std::initializer_list<const Tensor*> inputs);
TNP_API void set_next_edges(Node& node, TensorList inputs);  // appends
// Makes `result` output number `output_nr` of `node`. Does nothing if `result` is undefined (an
// unused output), if its dtype is not differentiable, or if the operator returned one of its
// inputs. Handles views; see set_view_history.
TNP_API void set_history(const Tensor& result, const intrusive_ptr<Node>& node, uint32_t output_nr = 0);
// Implementation shared by set_history and rebase_history, for views and all other tensors: sets
// the grad_fn and moves the hooks.
void set_history_of(const Tensor& t, const intrusive_ptr<Node>& node, uint32_t output_nr);
// Replaces the history of `self` after an in-place operator. If `self` is a view, also replaces the
// history of its base. `self_edge` is the index of self among the node's next_edges, or -1 if the
// old value of self gets no gradient, as in copy_. A view must be the node's only output.
TNP_API void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node, int self_edge = 0,
                            uint32_t output_nr = 0);
// Call before an in-place operator. Raises Runtime if `self` is a leaf that requires grad, or a
// view of such a leaf. Raises ReadOnly if `self` is read-only.
TNP_API void check_inplace(const Tensor& self, bool requires_grad);
// Call before an array changes shape, dtype or memory but stays the same object. Raises Runtime if
// the array requires grad, has a gradient, or is part of a graph, because the graph's references to
// the array would silently become wrong.
TNP_API void check_untracked(const Tensor& self, const char* operation);
// Raises Runtime if `requires_grad` is set, that is, if an operand of a call with out= requires
// grad ("{out} ... do not support automatic differentiation").
TNP_API void check_out_requires_no_grad(bool requires_grad, const Tensor& out);
// Registers `view`, which an operator created from `base`. In-place changes of one of the two then
// update the history of the other.
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
