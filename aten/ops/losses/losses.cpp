// Gradient of cross entropy. A kernel computes it. If second derivatives are needed, differentiable
// operators compute it.
#include "aten/functions/losses.h"
#include "aten/core/needs_derivatives.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/nn.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/kernels/class_lines.h"
#include "aten/native_functions/losses.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

// For each target, its class and its weight. An ignored target gets class 0 and weight 0.
struct Targets {
  Tensor counted, classes, weights;
  Targets(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignore_index) {
    const Tensor zero = wrapped_number(Scalar(int64_t{0}));
    counted = tnp::ne(target, wrapped_number(Scalar(ignore_index)));
    classes = tnp::where(counted, target, zero);
    if (weight.defined())
      weights = tnp::where(
          counted, tnp::reshape(tnp::index_select(weight, 0, tnp::reshape(classes, IntList{-1})), target.sizes()),
          zero);
    else
      weights = tnp::cast(counted, input.dtype());
  }
};

// Reshapes `weight`, a vector with one element per class, so that it broadcasts along the class
// axis of `input`.
Tensor along_classes(const Tensor& weight, const Tensor& input) {
  DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[static_cast<size_t>(class_axis(input))] = input.size(class_axis(input));
  return tnp::reshape(weight, sizes);
}

}  // namespace

Tensor cross_entropy_backward(const Tensor& grad, const Tensor& input, const Tensor& target, const Tensor& lse,
                              const Tensor& total, const Tensor& weight, int64_t reduction, int64_t ignore_index,
                              double label_smoothing) {
  const ScalarType dtype = compute_type(input.dtype());
  if (!needs_derivatives(grad, input))
    return tnp::cross_entropy_gradient(grad, input, target, lse, total, weight, reduction, ignore_index,
                                       label_smoothing);
  const int64_t axis = class_axis(input), n = input.size(axis);
  const Tensor x = tnp::cast(input, dtype), w = weight.defined() ? tnp::cast(weight, dtype) : weight;
  const Targets targets(x, target, w, ignore_index);
  Tensor g = tnp::cast(grad, dtype);
  // `total`, the sum of the weights, is not used here, because as a result of the forward pass it
  // has a history. The sum is recomputed.
  if (reduction == 1) g = g / tnp::sum(targets.weights, {}, false, {});
  const Tensor none = wrapped_number(Scalar(0.0));
  const Tensor each = tnp::unsqueeze(tnp::where(targets.counted, g, none), axis);
  const Tensor own = tnp::unsqueeze(targets.weights, axis) * Scalar(1 - label_smoothing);
  const double share = n > 0 ? label_smoothing / static_cast<double>(n) : 0;
  const Tensor all =
      w.defined() ? tnp::sum(w, {}, false, {}) * Scalar(share) : wrapped_number(Scalar(share * static_cast<double>(n)));
  const Tensor places = along_classes(tnp::arange(Scalar(n), {}, x.device()), x);
  const Tensor is_own = tnp::eq(places, tnp::unsqueeze(targets.classes, axis));
  const Tensor shift = w.defined() ? along_classes(w, x) * Scalar(share) : wrapped_number(Scalar(share));
  return each * (tnp::softmax(x, axis, {}) * (own + all) - tnp::where(is_own, own, none) - shift);
}

}  // namespace tnp::native
