#include "aten/autograd/formulas_reduction.h"

#include <algorithm>

#include "aten/autograd/formulas.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/statistics.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"
#include "aten/ops/operators.h"

namespace tnp::formulas {

namespace {

// Returns the axes that were reduced. An empty list means no axis in NumPy's dialect and all axes
// in torch's. The backward pass may run in another dialect than the forward pass, so the shape of
// the result decides between the two.
DimVector axes_of(IntList sizes, const OptIntList& dim, IntList result) {
  auto ndim = static_cast<int64_t>(sizes.size());
  bool all = !dim || (dim->empty() && !(result == sizes));
  DimVector axes;
  if (all)
    for (int64_t d = 0; d < ndim; ++d) axes.push_back(d);
  else
    for (int64_t d : *dim)
      if (ndim > 0) axes.push_back(d < 0 ? d + ndim : d);
  return axes;
}

int64_t count_of(IntList sizes, const DimVector& axes) {
  int64_t n = 1;
  for (int64_t d : axes) n *= sizes[static_cast<size_t>(d)];
  return n;
}

// Inserts axes of size 1 where axes were reduced.
Tensor with_kept_axes(const Tensor& t, IntList sizes, const DimVector& axes) {
  DimVector shape = sizes;
  for (int64_t d : axes) shape[static_cast<size_t>(d)] = 1;
  return t.sizes() == IntList(shape) ? t : reshape(t, shape);
}

Tensor constant(IntList sizes, const Scalar& value, const Tensor& like) {
  Tensor t = empty_tensor(sizes, like.dtype(), like.device());
  fill_with(t, value);
  return t;
}

// Shifts x by one position along `dim`, up (by = 1) or down (by = -1), and fills the free position
// with `fill`.
Tensor shifted(const Tensor& x, int64_t dim, int by, const Scalar& fill) {
  int64_t n = x.size(dim);
  if (n == 0) return x;
  DimVector sizes = x.sizes();
  sizes[static_cast<size_t>(dim)] = 1;
  Tensor edge = constant(sizes, fill, x);
  Tensor rest = narrow(x, dim, by > 0 ? 0 : 1, n - 1);
  Tensor pieces[] = {by > 0 ? edge : rest, by > 0 ? rest : edge};
  return cat(pieces, dim);
}

Tensor reversed(const Tensor& x, int64_t dim) { return flip(x, IntList(&dim, 1)); }

// A transformation does not read values: x may have a zero.
bool has_zero(const Tensor& x) {
  return x.device().is_wrapped() || any(x == Scalar(0), std::nullopt, false).item().to<bool>();
}

// The number of elements that were reduced to each result. This is one number, or with a mask a
// tensor with one number per result.
Tensor count_reduced(const Tensor& grad, IntList sizes, const DimVector& axes, const Tensor& mask) {
  if (!mask.defined()) return wrapped_number(Scalar(static_cast<double>(count_of(sizes, axes))));
  Tensor ones = cast(expand(mask, sizes), to_real(grad.dtype()));
  return axes.empty() ? ones : sum(ones, OptIntList(IntList(axes)), true, std::nullopt);
}

}  // namespace

Tensor expand_reduced(const Tensor& grad, IntList sizes, const OptIntList& dim, const Tensor& mask) {
  Tensor expanded = expand(with_kept_axes(grad, sizes, axes_of(sizes, dim, grad.sizes())), sizes);
  return mask.defined() ? masked(expanded, mask) : expanded;
}

Tensor mean_backward(const Tensor& grad, IntList sizes, const OptIntList& dim, const Tensor& mask) {
  DimVector axes = axes_of(sizes, dim, grad.sizes());
  Tensor share = with_kept_axes(grad, sizes, axes) / count_reduced(grad, sizes, axes, mask);
  Tensor expanded = expand(share, sizes);
  return mask.defined() ? masked(expanded, mask) : expanded;
}

Tensor prod_backward(const Tensor& grad, const Tensor& input, const Tensor& result, const OptIntList& dim,
                     const Tensor& mask, const Tensor& initial) {
  Tensor x = conjugated(input);
  if (mask.defined()) x = where(mask, x, wrapped_number(Scalar(1)));
  if (!has_zero(x)) return expand_reduced(grad * conjugated(result), input.sizes(), dim, mask) / x;
  DimVector axes = axes_of(input.sizes(), dim, grad.sizes()), order, back(input.sizes().size());
  for (int64_t d = 0; d < input.dim(); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  auto last = static_cast<int64_t>(order.size());
  order.append(axes);
  DimVector sizes;
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    sizes.push_back(input.size(order[i]));
  }
  DimVector flat(IntList(sizes).first(static_cast<size_t>(last)));
  flat.push_back(count_of(input.sizes(), axes));
  x = reshape(permute(x, order), flat);
  Tensor before = cumprod(shifted(x, last, 1, Scalar(1)), last, std::nullopt);
  Tensor after = reversed(cumprod(shifted(reversed(x, last), last, 1, Scalar(1)), last, std::nullopt), last);
  Tensor others = permute(reshape(before * after, sizes), back);
  Tensor share = initial.defined() ? grad * conjugated(initial) : grad;
  return expand_reduced(share, input.sizes(), dim, mask) * others;
}

Tensor prod_initial_backward(const Tensor& grad, const Tensor& input, const OptIntList& dim, const Tensor& mask) {
  DimVector axes = axes_of(input.sizes(), dim, grad.sizes());
  ReduceOptions options;
  options.where = mask;
  Tensor others = axes.empty() && mask.defined() ? where(mask, input, wrapped_number(Scalar(1)))
                  : axes.empty()                 ? input
                                                 : prod(input, OptIntList(IntList(axes)), true, grad.dtype(), options);
  return with_kept_axes(grad, input.sizes(), axes) * conjugated(others);
}

Tensor var_backward(const Tensor& grad, const Tensor& input, const OptIntList& dim, double correction,
                    const Tensor& mask) {
  IntList sizes = input.sizes();
  DimVector axes = axes_of(sizes, dim, grad.sizes());
  // no axis is reduced, so the gradient is 0 (NaN where the input is NaN)
  if (axes.empty()) return masked(grad, input != input);
  ReduceOptions options;
  options.where = mask;
  Tensor middle = mean(input, OptIntList(IntList(axes)), true, std::nullopt, options);
  Tensor divisor =
      mask.defined() ? maximum(count_reduced(grad, sizes, axes, mask) - Scalar(correction), wrapped_number(Scalar(0.0)))
                     : wrapped_number(Scalar(std::max(static_cast<double>(count_of(sizes, axes)) - correction, 0.0)));
  Tensor slope = with_kept_axes(grad, sizes, axes) * Scalar(2) / divisor * (input - middle);
  return mask.defined() ? masked(slope, mask) : slope;
}

// The square root has no derivative at 0; the gradient there is 0, as in PyTorch.
Tensor std_backward(const Tensor& grad, const Tensor& input, const Tensor& result, const OptIntList& dim,
                    double correction, const Tensor& mask) {
  Tensor half = masked(grad / (result * Scalar(2)), result != Scalar(0));
  return var_backward(half, input, dim, correction, mask);
}

namespace {

// Marks the extrema of a reduction: 1 for each element, and for `initial`, that equals the result,
// else 0. All axes are kept. `count` is the number of extrema, which share the gradient evenly.
struct Best {
  Tensor elements, initial, count;
};

Best best_of(const Tensor& input, const Tensor& result, const DimVector& axes, const Tensor& mask,
             const Tensor& initial) {
  const ScalarType type = to_real(result.dtype());
  const Tensor extremum = with_kept_axes(result, input.sizes(), axes);
  Best best;
  best.elements = cast(input == extremum, type);
  if (mask.defined()) best.elements = masked(best.elements, mask);
  best.count = axes.empty() ? best.elements : sum(best.elements, OptIntList(IntList(axes)), true, std::nullopt);
  if (initial.defined()) {
    best.initial = cast(cast(initial, result.dtype()) == extremum, type);
    best.count = best.count + best.initial;
  }
  return best;  // where the extremum is NaN, no element equals it: 0 / 0 gives NaN
}

}  // namespace

Tensor extremum_backward(const Tensor& grad, const Tensor& input, const Tensor& result, const OptIntList& dim,
                         const Tensor& mask, const Tensor& initial) {
  DimVector axes = axes_of(input.sizes(), dim, result.sizes());
  if (axes.empty() && !initial.defined()) return mask.defined() ? masked(grad, mask) : grad;
  Best best = best_of(input, result, axes, mask, initial);
  return expand_reduced(grad, input.sizes(), dim) * (best.elements / best.count);
}

Tensor evenly_shared_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  const Tensor equal = logical_or(input == result, logical_and(isnan(input), isnan(result)));
  const Tensor elements = cast(equal, to_real(result.dtype()));
  return grad * (elements / sum(elements));
}

Tensor extremum_initial_backward(const Tensor& grad, const Tensor& input, const Tensor& result, const OptIntList& dim,
                                 const Tensor& mask, const Tensor& initial) {
  DimVector axes = axes_of(input.sizes(), dim, result.sizes());
  Best best = best_of(input, result, axes, mask, initial);
  return with_kept_axes(grad, input.sizes(), axes) * (best.initial / best.count);
}

Tensor picked_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices) {
  if (sizes.empty()) return grad;
  if (dim < 0) dim += static_cast<int64_t>(sizes.size());
  int64_t n = sizes[static_cast<size_t>(dim)];
  DimVector line(sizes.size(), 1);
  line[static_cast<size_t>(dim)] = n;
  const Tensor places = reshape(arange(Scalar(n), ScalarType::Int64, grad.device()), line);
  DimVector axes{dim};
  return masked(expand(with_kept_axes(grad, sizes, axes), sizes), with_kept_axes(indices, sizes, axes) == places);
}

Tensor cumsum_backward(const Tensor& grad, IntList sizes, const std::optional<int64_t>& dim) {
  int64_t along = !dim ? 0 : *dim < 0 ? *dim + static_cast<int64_t>(sizes.size()) : *dim;
  if (sizes.empty()) return reshape(grad, sizes);
  Tensor sums = reversed(cumsum(reversed(grad, along), along, std::nullopt), along);
  return dim ? sums : reshape(sums, sizes);
}

Tensor cumprod_backward(const Tensor& grad, const Tensor& input, const std::optional<int64_t>& dim) {
  if (input.dim() == 0) return reshape(grad, input.sizes());
  int64_t along = !dim ? 0 : *dim < 0 ? *dim + input.dim() : *dim;
  Tensor x = conjugated(input);
  if (!dim) x = reshape(x, IntList{input.numel()});
  // d y_j / d x_k is the product of x before k times the product of x after k up to j. This needs
  // no division, so elements may be zero.
  Tensor before = cumprod(shifted(x, along, 1, Scalar(1)), along, std::nullopt);
  Tensor after = linear_recurrence(shifted(x, along, -1, Scalar(0)), grad, along, true);
  Tensor result = before * after;
  return dim ? result : reshape(result, input.sizes());
}

Tensor recurrence_input_backward(const Tensor& grad, const Tensor& decay, int64_t dim, bool reverse) {
  if (dim < 0) dim += decay.dim();
  return linear_recurrence(shifted(conjugated(decay), dim, reverse ? 1 : -1, Scalar(0)), grad, dim, !reverse);
}

Tensor recurrence_decay_backward(const Tensor& grad, const Tensor& decay, const Tensor& result, int64_t dim,
                                 bool reverse) {
  if (dim < 0) dim += decay.dim();
  return recurrence_input_backward(grad, decay, dim, reverse) *
         shifted(conjugated(result), dim, reverse ? -1 : 1, Scalar(0));
}

}  // namespace tnp::formulas
