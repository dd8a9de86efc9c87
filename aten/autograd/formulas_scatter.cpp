#include "aten/autograd/formulas_scatter.h"

#include <limits>

#include "aten/core/needs_derivatives.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/cumulative.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/scatter.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/kernels/pointwise.h"
#include "aten/ops/operators.h"

namespace tnp::formulas {

Tensor scattered_lines(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices) {
  const Tensor zeros = tnp::zeros(sizes, grad.dtype(), grad.device());
  return scatter(zeros, dim, reshape(indices, grad.sizes()), grad);
}

Tensor running_extremum_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices) {
  return scatter_add(tnp::zeros(sizes, grad.dtype(), grad.device()), dim, indices, grad);
}

// x_i contributes to each later y_j with weight e^(x_i - y_j). The weighted sums of gradients are
// computed by logcumsumexp too, for numerical range. Complex gradients need one scan. Real
// gradients need two scans, one of the positive and one of the negative gradients.
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim) {
  if (input.dim() == 0 || input.numel() == 0) return grad;
  const int64_t axis = dim < 0 ? dim + input.dim() : dim, axes[] = {axis};
  const Tensor nothing = wrapped_number(Scalar(-std::numeric_limits<double>::infinity()));
  auto weighted = [&](const Tensor& g, const Tensor& present) {
    // Where the gradient is 0, takes the logarithm of 1 instead, which has a derivative.
    const Tensor logs =
        where(present, log(where(present, g, wrapped_number(Scalar(1.0)))) - conjugated(result), nothing);
    const Tensor sums = flip(logcumsumexp(flip(logs, axes), axis), axes) + conjugated(input);
    return exp(sums);
  };
  if (needs_derivatives(grad)) {
    // The formula is linear in the gradient, but its logarithm has no derivative at 0. So the gradient is shifted away
    // from 0.
    const Tensor at_zero = cast(grad == Scalar(0), grad.dtype());
    const Tensor shift = input.is_complex() ? at_zero : abs(grad) * Scalar(2) + at_zero, shifted = grad + shift;
    return weighted(shifted, shifted != Scalar(0)) - weighted(shift, shift != Scalar(0));
  }
  if (input.is_complex()) return weighted(grad, grad != Scalar(0));
  auto part = [&](const Tensor& g) { return weighted(g, g > Scalar(0)); };
  return part(grad) - part(-grad);
}

namespace {

Tensor number_like(const Tensor& t, double value) { return scalar_tensor(Scalar(value), t.dtype(), t.device()); }

struct Lines {
  int64_t dim;
  const Tensor& index;
  Tensor at(const Tensor& t) const { return gather(t, dim, index); }
  Tensor add(const Tensor& to, const Tensor& values) const { return scatter_add(to, dim, index, values); }
  Tensor multiply(const Tensor& to, const Tensor& values) const {
    return scatter_reduce(to, dim, index, values, "prod", true);
  }
};

// Whether each element of `input` is written to.
Tensor touched(const Lines& lines, const Tensor& input, const Tensor& src) {
  return lines.add(zeros_like(input), ones_like(src)) != Scalar(0);
}

}  // namespace

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& input, int64_t dim,
                                                   const Tensor& index, const Tensor& src, std::string_view reduce,
                                                   bool include_self, const Tensor& result,
                                                   std::array<bool, 2> output_mask) {
  if (index.numel() == 0) return {grad, tnp::zeros_like(src)};
  Tensor part = src;  // the part of `src` that the operator reads
  for (int64_t d = 0; d < index.dim(); ++d)
    if (part.size(d) > index.size(d)) part = narrow(part, d, 0, index.size(d));
  const Lines lines{dim, index};
  Tensor to_input, to_part;
  if (reduce == "sum") {
    to_input = grad;
    to_part = lines.at(grad);
  } else if (reduce == "mean") {
    const Tensor before = include_self ? ones_like(grad) : zeros_like(grad);
    const Tensor counts = lines.add(before, ones_like(part));
    to_input = grad / where(counts == Scalar(0), number_like(counts, 1), counts);
    to_part = lines.at(to_input);
  } else if (reduce == "prod") {
    const Tensor x = conjugated(input), y = conjugated(part), no_y = y == Scalar(0), one = number_like(input, 1);
    if (output_mask[0]) to_input = grad * lines.multiply(ones_like(x), y);
    if (output_mask[1]) {
      // The product of the other elements: the product of all nonzero ones, divided by the element
      // itself; 0 if another element is zero.
      const Tensor begun = include_self ? x : where(touched(lines, input, part), one, x);
      const Tensor no_x = begun == Scalar(0);
      const Tensor zeros = lines.at(lines.add(cast(no_x, to_real(grad.dtype())), cast(no_y, to_real(grad.dtype()))));
      if (grad_enabled()) {
        // The formula is constant there, but the second derivative is not 0.
        const Tensor of_src = lines.add(zeros_like(no_x, to_real(grad.dtype())), cast(no_y, to_real(grad.dtype())));
        TNP_CHECK(
            !any(of_src > Scalar(1)).item<bool>(), ErrorKind::Runtime,
            "Double backward is unsupported for src when >1 zeros in src are scattered to the same position in self");
      }
      const Tensor all = lines.at(lines.multiply(where(no_x, one, begun), where(no_y, one, y)));
      const Tensor others = all / where(no_y, one, y);
      to_part = where(zeros == cast(no_y, zeros.dtype()), lines.at(grad) * others, number_like(grad, 0));
    }
  } else {
    const Tensor there = lines.at(result);
    Tensor own = cast(input == result, grad.dtype());
    const Tensor theirs = cast(part == there, grad.dtype());
    if (!include_self) own = where(touched(lines, input, part), number_like(own, 0), own);
    const Tensor counts = lines.add(own, theirs);
    const Tensor share = grad / where(counts == Scalar(0), number_like(counts, 1), counts);
    to_input = own * share;
    to_part = theirs * lines.at(share);
  }
  if (!include_self && output_mask[0]) to_input = scatter(to_input, dim, index, Scalar(0));
  if (!output_mask[1] || part.is_same(src)) return {to_input, to_part};
  const Tensor to_src = tnp::zeros(src.sizes(), grad.dtype(), grad.device());
  Tensor place = to_src;
  for (int64_t d = 0; d < index.dim(); ++d) place = narrow(place, d, 0, index.size(d));
  copy_(place, to_part, false);
  return {to_input, to_src};
}

// Loops over windows or over positions within a window, depending on which number is smaller.
Tensor unfold_backward(const Tensor& grad, IntList sizes, int64_t dimension, int64_t size, int64_t step) {
  if (sizes.empty()) return reshape(grad, sizes);
  const int64_t axis = dimension < 0 ? dimension + static_cast<int64_t>(sizes.size()) : dimension;
  const int64_t windows = grad.size(axis);
  const Tensor out = tnp::zeros(sizes, grad.dtype(), grad.device());
  if (size <= windows) {
    for (int64_t i = 0; i < size; ++i) add_(slice(out, axis, i, windows, step), select(grad, -1, i));
    return out;
  }
  const int64_t last[] = {grad.dim() - 2}, to[] = {axis};
  for (int64_t w = 0; w < windows; ++w)
    add_(narrow(out, axis, w * step, size), movedim(select(grad, axis, w), last, to));
  return out;
}

}  // namespace tnp::formulas
