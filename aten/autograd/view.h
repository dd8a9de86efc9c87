// Views on the tape: the geometry of a view within its base, and what that means for gradients.
//
// Note [Views] A view and its base are one memory, so an in-place operation on either changes the value, and thus the
// history, of both. The base (`TensorImpl::base`, never itself a view) owns the history:
//   * In-place on a view: the base's new grad_fn is a CopySlices, which cuts the view's part out of the gradient, hands
//     it to the operator's own node, and puts back what the view's old value gets.
//   * A view whose base has been changed since (view_version != history_version) drops its grad_fn for an
//     AsStridedBackward from the base, made when somebody asks for it.
// Both need only where the view's elements lie in the base: offset, sizes, strides of any sign, dtype. `x.real` of a
// complex x is a view like others: the real part of the gradient lies where the real part of x does.
// A view made by an operator without a derivative formula (or before its base was tracked) is served the same way.
// A view made under no_grad does not follow its base (TensorImpl::made_without_grad), nor does a detached tensor: it
// has no base.
#pragma once

#include "aten/autograd/variable.h"

namespace tnp {

struct ViewGeometry {
  ViewGeometry(const Tensor& view, const Tensor& base);
  InputMeta base;
  DimVector base_strides;
  InputMeta view;
  DimVector view_strides;
  int64_t offset;  // bytes from the base's first element to the view's, of any sign
};

// Whether gradients of the view's dtype can lie in a gradient of the base's: same dtype, or
// real numbers as parts of complex ones (view_as_real, view_as_complex).
bool shares_derivative(const Tensor& view, const Tensor& base);
// Whether the tensor is a view whose history is its base's.
bool follows_base(const Tensor& t);
// Gives a view that follows its base a new grad_fn if the base's history changed.
void refresh_view_history(const Tensor& view);
// Records an in-place operation on a view: the base gets a CopySlices.
void rebase_view(const Tensor& view, const intrusive_ptr<Node>& node, int self_edge);

// Whether two elements may share memory: not if each stride exceeds the reach of all smaller ones.
bool may_overlap(IntList sizes, IntList strides);

// Linear maps between gradients of the base and of the view, differentiable:
Tensor gather_view(const Tensor& x, const ViewGeometry& g);   // the view's part of x; may be a view of x
Tensor scatter_view(const Tensor& x, const ViewGeometry& g);  // zeros with x added in the view's part
Tensor zero_view(const Tensor& x, const ViewGeometry& g);     // a copy of x with zeros in the view's part

}  // namespace tnp
