// Views on the tape: the geometry of a view within its base, and the flow of gradients between
// them.
//
// Note [Views] A view and its base share memory, so an in-place operation on either changes the
// value, and thus the history, of both. The base (`TensorImpl::base`, never itself a view) owns the
// history:
//   * After an in-place operation on a view, the base's new grad_fn is a CopySlices. It extracts
//   the view's part of the gradient, passes this part to the operator's own node, and writes back
//   the gradient of the view's old value.
//   * A view whose base has been changed since (view_version != history_version) replaces its grad_fn by an
//     AsStridedBackward from the base, created on demand.
// Both need only the location of the view's elements in the base: offset, strides of any sign,
// sizes, dtype. `x.real` of a complex x is an ordinary view: the real part of the gradient is where
// the real part of x is. The same mechanism serves a view made by an operator without a derivative
// formula, or before its base was tracked. A view made under no_grad does not follow its base
// (TensorImpl::origin). Nor does a detached tensor, which has no base.
#pragma once

#include "aten/autograd/variable.h"

namespace tnp {

struct ViewGeometry {
  ViewGeometry(const Tensor& view, const Tensor& base);
  InputMeta base;
  DimVector base_strides;
  InputMeta view;
  DimVector view_strides;
  int64_t offset;  // bytes from the base's first element to the view's first element; may be negative
};

// Whether a gradient of the base can contain a gradient of the view. This holds if the dtypes are
// equal, or if one is the real counterpart of the other (view_as_real, view_as_complex).
bool shares_derivative(const Tensor& view, const Tensor& base);
// Whether a view was made under no_grad or in inference mode.
bool is_apart(const Tensor& view);
// Whether `t` is a view that takes its history from its base.
bool follows_base(const Tensor& t);
// Gives a view that follows its base a new grad_fn if the base's history changed.
void refresh_view_history(const Tensor& view);
// Records an in-place operation on a view: the base gets a CopySlices.
void rebase_view(const Tensor& view, const intrusive_ptr<Node>& node, int self_edge);

// Whether two elements of a tensor with these sizes and strides may share memory. Returns false if
// each stride is larger than the range that the axes with smaller strides span.
bool may_overlap(IntList sizes, IntList strides);

// Linear maps between gradients of the base and of the view, differentiable:
Tensor gather_view(const Tensor& x, const ViewGeometry& g);   // the view's part of x; may be a view of x
Tensor scatter_view(const Tensor& x, const ViewGeometry& g);  // zeros with x added in the view's part
Tensor zero_view(const Tensor& x, const ViewGeometry& g);     // a copy of x with zeros in the view's part

}  // namespace tnp
