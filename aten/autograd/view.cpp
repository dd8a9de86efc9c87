// Gradients through views and through in-place operations on them. See Note [Views] in view.h.
#include "aten/autograd/view.h"

#include <algorithm>

#include "aten/autograd/linear.h"
#include "aten/autograd/released.h"
#include "aten/core/new_wrapped.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

ViewGeometry::ViewGeometry(const Tensor& v, const Tensor& b)
    : base(b),
      base_strides(b.strides()),
      view(v),
      view_strides(v.strides()),
      offset(innermost_part(v).address() - innermost_part(b).address()) {
  TNP_CHECK(!v.is_unaligned() && !b.is_unaligned(), ErrorKind::NotImplemented,
            "the derivative of an in-place operation on unaligned views is not implemented");
}

bool shares_derivative(const Tensor& view, const Tensor& base) {
  return is_differentiable(view.dtype()) && is_differentiable(base.dtype()) &&
         to_real(view.dtype()) == to_real(base.dtype());
}

bool is_apart(const Tensor& view) {
  const ViewOrigin origin = view.is_view() ? view.impl()->origin : ViewOrigin::Recorded;
  return origin == ViewOrigin::NoGrad || origin == ViewOrigin::Inference;
}

bool follows_base(const Tensor& t) {
  if (!t.is_view() || is_apart(t)) return false;
  if (AutogradMeta* meta = autograd_meta(t); meta && meta->requires_grad) return false;  // the view is a leaf itself
  return shares_derivative(t, Tensor(t.impl()->base));
}

namespace {

ByteRange extent(IntList sizes, IntList strides, int64_t itemsize) {
  // These tensors exist, so their size in bytes did not overflow.
  return byte_range(sizes, strides, itemsize, itemsize).value();  // NOLINT(bugprone-unchecked-optional-access)
}

// A new tensor with the layout of the base. If elements of the base share memory (an external,
// broadcast array), their gradients share memory as well.
// Beside `like`, if a transformation computes with gradients.
Tensor empty_like_base(const ViewGeometry& g, const Tensor& like) {
  return empty_strided_tensor(g.base.sizes, g.base_strides, g.base.dtype,
                              like.device().is_wrapped() ? like.device() : g.base.device);
}

// Returns the view's part of `x`. `x` must have the layout of the base. The operation is not
// recorded.
Tensor part(const Tensor& x, const ViewGeometry& g) {
  if (TNP_UNLIKELY(x.device().is_wrapped())) {
    TNP_CHECK(g.view.dtype == x.dtype() && !may_overlap(g.view.sizes, g.view_strides), ErrorKind::NotImplemented,
              "a recorded change in place of such a view within a transformation");
    return tnp::as_strided(x, g.view.sizes, g.view_strides,
                           innermost_part(x).storage_offset() + g.offset / element_size(g.view.dtype));
  }
  if (numel_of(g.view.sizes) == 0) return view_of(x, g.view.sizes, g.view_strides, x.address(), g.view.dtype);
  auto [low, high] = extent(g.base.sizes, g.base_strides, element_size(g.base.dtype));
  auto [view_low, view_high] = extent(g.view.sizes, g.view_strides, element_size(g.view.dtype));
  TNP_CHECK(view_low + g.offset >= low && view_high + g.offset <= high, ErrorKind::NotImplemented,
            "the derivative of a view of shape ", IntList(g.view.sizes),
            " that reaches outside of its base is not implemented; the base has shape ", IntList(g.base.sizes));
  return view_of(x, g.view.sizes, g.view_strides, x.address() + g.offset, g.view.dtype);
}

// Zeroes all bytes of a new tensor, including gaps between elements, since this file also reads the
// gaps.
void zero_storage(const Tensor& t) {
  if (TNP_UNLIKELY(t.device().is_wrapped())) return fill_with(t, Scalar(0));
  int64_t n = static_cast<int64_t>(t.storage().bytes()) / t.itemsize();
  fill_with(view_of(t, {n}, {1}, t.storage().data()), Scalar(0));
}

Tensor in_base_layout(const Tensor& x, const ViewGeometry& g, bool copy) {
  if (!copy && x.strides() == IntList(g.base_strides) && x.dtype() == g.base.dtype) return x;
  Tensor result = empty_like_base(g, x);
  copy_into(result, x);
  return result;
}

// Node of an in-place operation on a view, from the base's perspective.
class CopySlices final : public Node {
 public:
  CopySlices(const Tensor& view, const Tensor& base, intrusive_ptr<Node> fn, int self_edge)
      : geometry_(view, base), fn_(std::move(fn)), self_edge_(self_edge) {
    input_meta.push_back(geometry_.base);
    next_edges.push_back(gradient_edge(base));
    for (size_t i = 0; i < fn_->next_edges.size(); ++i) {
      if (static_cast<int>(i) != self_edge_) next_edges.push_back(fn_->next_edges[i]);
    }
  }
  const char* name() const override { return "CopySlices"; }

  Tensors apply(Tensors&& grads) override {
    if (TNP_UNLIKELY(!fn_)) throw ReleasedGraph();
    Tensor slice = gather_view(grads[0], geometry_);
    if (!grad_enabled()) slice = identity_copy(slice);
    Tensors inner{slice};
    run_hooks(fn_->pre_hooks, inner);
    Tensors results;
    {
      DialectGuard guard(fn_->dialect.with(ErrorWatch::Never));
      results = fn_->apply(std::move(inner));
    }
    const Tensors arrived{slice};
    run_hooks(fn_->post_hooks, results, arrived);

    Tensors out;
    Tensor old_value;
    if (self_edge_ >= 0 && static_cast<size_t>(self_edge_) < results.size()) {
      auto i = static_cast<size_t>(self_edge_);
      old_value = validated_gradient(results[i], geometry_.view, *fn_, i);
    }
    out.push_back(needs_grad(0) ? replace_part(grads[0], old_value) : Tensor());
    for (size_t i = 0; i < results.size(); ++i) {
      if (static_cast<int>(i) != self_edge_) out.push_back(std::move(results[i]));
    }
    return out;
  }
  // Releases the operator's node with its saved tensors. The operator's node is not destroyed if it
  // saved one of its own results and a graph refers to that result. A second derivative may need
  // the node later, in this backward pass or in another one.
  void release_variables() override { fn_ = nullptr; }

 private:
  // Returns `grad` with the view's part replaced by `value`, or by zeros if `value` is undefined.
  Tensor replace_part(const Tensor& grad, const Tensor& value) {
    if (grad_enabled()) {
      Tensor rest = zero_view(grad, geometry_);
      return value.defined() ? add(rest, scatter_view(value, geometry_)) : rest;
    }
    Tensor result = in_base_layout(grad, geometry_, true);
    if (value.defined())
      copy_into(part(result, geometry_), value);
    else
      fill_with(part(result, geometry_), Scalar(0));
    return result;
  }

  ViewGeometry geometry_;
  intrusive_ptr<Node> fn_;
  int self_edge_;
};

// A view's grad_fn after its base has changed.
class AsStridedBackward final : public Node {
 public:
  AsStridedBackward(const Tensor& view, const Tensor& base) : geometry_(view, base) {
    input_meta.push_back(geometry_.view);
    next_edges.push_back(gradient_edge(base));
  }
  const char* name() const override { return "AsStridedBackward0"; }
  Tensors apply(Tensors&& grads) override { return {scatter_view(grads[0], geometry_)}; }

 private:
  ViewGeometry geometry_;
};

}  // namespace

bool may_overlap(IntList sizes, IntList strides) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // |stride|, size
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > 1) dims.emplace_back(std::abs(strides[d]), sizes[d]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (auto [stride, size] : dims) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

Tensor gather_view(const Tensor& x, const ViewGeometry& g) {
  Tensor result = part(in_base_layout(detach(x), g, false), g);
  return with_adjoint("AsStridedBackward0", x, result, [g](const Tensor& grad) { return scatter_view(grad, g); });
}

Tensor scatter_view(const Tensor& x, const ViewGeometry& g) {
  Tensor result = empty_like_base(g, x);
  zero_storage(result);
  if (x.numel() != 0) {
    // A broadcast dimension of the view repeats one element of the base. The gradient of that
    // element is the sum along the dimension.
    ViewGeometry once = g;
    Tensor source = detach(x);
    DimVector repeated;
    for (size_t d = 0; d < g.view.sizes.size(); ++d) {
      if (g.view_strides[d] == 0 && g.view.sizes[d] != 1) {
        repeated.push_back(static_cast<int64_t>(d));
        once.view.sizes[d] = 1;
      }
    }
    if (!repeated.empty()) {
      NoGradGuard no_grad;
      source = sum(source, repeated, true, x.dtype());
    }
    const Tensor target = part(result, once);
    if (may_overlap(once.view.sizes, once.view_strides)) {
      // If elements of the view share memory, their gradients are added one after the other.
      NoGradGuard no_grad;
      const int64_t from = (target.address() - result.storage().data()) / target.itemsize(),
                    n = static_cast<int64_t>(result.storage().bytes()) / target.itemsize();
      copy_into(view_of(result, {n}, {1}, result.storage().data(), target.dtype()),
                restride(cast_gradient(source, target.dtype()), once.view_strides, from, {n}, {1}, 0));
    } else {
      copy_into(target, source);
    }
  }
  return with_adjoint("ScatterBackward0", x, result, [g](const Tensor& grad) { return gather_view(grad, g); });
}

Tensor zero_view(const Tensor& x, const ViewGeometry& g) {
  Tensor result = in_base_layout(detach(x), g, true);
  if (numel_of(g.view.sizes) != 0) fill_with(part(result, g), Scalar(0));
  return with_adjoint("ZeroSliceBackward0", x, result, [g](const Tensor& grad) { return zero_view(grad, g); });
}

void refresh_view_history(const Tensor& view) {
  Tensor base(view.impl()->base);
  AutogradMeta* base_meta = autograd_meta(base);
  if (!base_meta || !(base_meta->requires_grad || base_meta->grad_fn)) return;
  AutogradMeta& meta = make_autograd_meta(view);
  if (meta.grad_fn && meta.view_version == base_meta->history_version) return;
  meta.view_version = base_meta->history_version;  // first: set_history_of may ask for the history again
  set_history_of(view, make_intrusive<AsStridedBackward>(view, base), 0);
}

void rebase_view(const Tensor& view, const intrusive_ptr<Node>& node, int self_edge) {
  Tensor base(view.impl()->base);
  TNP_CHECK(shares_derivative(view, base), ErrorKind::NotImplemented,
            "the derivative of an in-place operation on a view of dtype ", view.dtype(), " of a tensor of dtype ",
            base.dtype());
  set_history_of(base, make_intrusive<CopySlices>(view, base, node, self_edge), 0);
  AutogradMeta& base_meta = *autograd_meta(base);
  ++base_meta.history_version;
  view.impl()->origin = ViewOrigin::Recorded;
  if (AutogradMeta* meta = autograd_meta(view)) meta->requires_grad = false;
  refresh_view_history(view);
}

}  // namespace tnp
