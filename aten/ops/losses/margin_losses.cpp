// Multi-class and multi-label hinge losses, of other operators.
#include "aten/core/errors/shape_errors.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/cumulative.h"
#include "aten/functions/indexing.h"
#include "aten/functions/nn.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/statistics.h"
#include "aten/native_functions/losses.h"
#include "aten/ops/operators.h"

namespace tnp::native {

// max(0, .) has the gradient 0 at 0, as PyTorch's losses have.
Tensor _multi_margin_rows(const Tensor& input, const Tensor& target, int64_t p, double margin, const Tensor& weight) {
  const Tensor place = tnp::unsqueeze(target, 1);
  Tensor beyond = tnp::relu(Scalar(margin) - tnp::gather(input, 1, place) + input);
  if (p == 2) beyond = beyond * beyond;
  if (weight.defined()) beyond = beyond * tnp::unsqueeze(tnp::index_select(weight, 0, target), 1);
  return tnp::mean(tnp::scatter(beyond, 1, place, Scalar(0.0)), IntList{1});
}

Tensor _multilabel_margin_rows(const Tensor& input, const Tensor& target) {
  const Scalar zero(int64_t{0}), none(int64_t{-1});
  const int64_t rows = input.size(0), classes = input.size(1);
  // A target counts if the smallest one up to it is not negative.
  const Tensor counted = std::get<0>(tnp::cummin(target, 1)) >= zero;
  // Numbers behind the first -1 stand for a class behind all others.
  const Tensor own = tnp::where(counted, target, wrapped_number(Scalar(classes)));
  const Tensor all = tnp::ones({rows, classes + 1}, ScalarType::Bool, input.device());
  const Tensor others = tnp::narrow(tnp::scatter(all, 1, own, Scalar(false)), 1, 0, classes);
  // Raises an error for classes out of range.
  const Tensor scores = tnp::gather(input, 1, tnp::where(target == none, wrapped_number(zero), target));
  const Tensor margins = tnp::relu(tnp::unsqueeze(Scalar(1.0) - scores, 2) + tnp::unsqueeze(input, 1));
  const Tensor taken = tnp::logical_and(tnp::unsqueeze(counted, 2), tnp::unsqueeze(others, 1));
  const Tensor sums = tnp::sum(tnp::where(taken, margins, wrapped_number(Scalar(0.0))), IntList{1, 2});
  return sums / Scalar(static_cast<double>(classes));
}

}  // namespace tnp::native
