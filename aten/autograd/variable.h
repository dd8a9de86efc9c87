// What a tensor knows of its own differentiation, and how operators enter the tape. Both Python types see this state.
#pragma once

#include "aten/autograd/node.h"
#include "aten/core/thread_state.h"

namespace tnp {

struct TNP_API AutogradMeta final : AutogradMetaInterface {
  Tensor grad;                        // of a leaf, or where retain_grad() was said
  intrusive_ptr<Node> grad_fn;        // null for leaves
  intrusive_ptr<Node> accumulator;    // a leaf's AccumulateGrad; keeps leaf and node from being made twice
  uint32_t output_nr = 0;
  bool requires_grad = false;         // of a leaf, as set
  bool retains_grad = false;
  // A view of a tensor that is tracked: after an in-place change of either, grad_fn is made anew; see autograd/view.h.
  bool is_differentiable_view = false;
  uint32_t view_version = 0;
  std::vector<std::function<Tensor(const Tensor&)>> hooks;  // called with the gradient, may replace it
};

TNP_API AutogradMeta* autograd_meta(const Tensor& t);       // null if it has none
TNP_API AutogradMeta& make_autograd_meta(const Tensor& t);

// Where the gradient of `t` is to go: its grad_fn, or its AccumulateGrad; empty if it needs none.
TNP_API Edge gradient_edge(const Tensor& t);
TNP_API intrusive_ptr<Node> grad_fn_of(const Tensor& t);    // regenerated for views that were changed in place

// Whether an operator on these must record itself.
inline bool needs_recording(const Tensor& t) { return grad_enabled() && t.defined() && t.requires_grad(); }
TNP_API bool needs_recording(TensorList list);
template <class... Ts>
inline bool any_needs_recording(const Ts&... tensors) { return grad_enabled() && (needs_recording(tensors) || ...); }

// --- called by generated code
// Fills node's next_edges and next_meta for its differentiable inputs, in order.
TNP_API void set_next_edges(Node& node, std::initializer_list<const Tensor*> inputs);
TNP_API void set_next_edges(Node& node, TensorList inputs);
// Makes `result` output number `output_nr` of `node`. Nothing happens if its dtype is not differentiable.
TNP_API void set_history(const Tensor& result, const intrusive_ptr<Node>& node, uint32_t output_nr = 0);
// The same for an in-place operator: `self` was leaf or had another history. Rebases a view's base.
TNP_API void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node);
// Before an in-place operator: raises Runtime for a leaf that requires grad, or a view of one, and ReadOnly.
TNP_API void check_inplace(const Tensor& self, bool recording);
// out= together with operands that require grad: raises Runtime ("{out} ... do not support automatic differentiation").
TNP_API void check_out_is_not_recorded(bool recording, const Tensor& out);
// A view that an operator made of `base`: so that in-place changes through either reach the other's history.
TNP_API void set_view_history(const Tensor& view, const Tensor& base, const intrusive_ptr<Node>& node);

TNP_API Tensor detach(const Tensor& t);                     // shares memory, no history
TNP_API void retain_grad(const Tensor& t);
TNP_API size_t add_hook(const Tensor& t, std::function<Tensor(const Tensor&)> hook);
TNP_API void remove_hook(const Tensor& t, size_t id);

}  // namespace tnp
