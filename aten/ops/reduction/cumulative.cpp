// Cumulative maximum and minimum with indices, and logcumsumexp.
#include "aten/functions/cumulative.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/cumulative.h"
#include "aten/operator_tables/comparison.h"
#include "aten/operator_tables/transcendental.h"
#include "aten/ops/reduction/fold.h"

namespace tnp::native {

namespace {

// Writes the cumulative extremum and the index of the last element that equals it.
void running_extremum(const Tensor& input, int64_t axis, bool largest, const Tensor& values, const Tensor& indices) {
  const auto& op = largest ? pointwise_ops::maximum : pointwise_ops::minimum;
  const Tensor extrema = at_least_one_axis(values), places = at_least_one_axis(indices);
  fold_running_associative(op, input, axis, std::nullopt, extrema);
  DimVector line(static_cast<size_t>(input.dim()), 1);
  line[static_cast<size_t>(axis)] = input.size(axis);
  const Tensor numbers = tnp::reshape(tnp::arange(Scalar(input.size(axis)), ScalarType::Int64, input.device()), line);
  Tensor stands_here = tnp::eq(input, extrema);
  if (is_floating(input.dtype())) stands_here = tnp::logical_or(stands_here, tnp::isnan(input));
  const Tensor last = tnp::where(stands_here, numbers, wrapped_number(Scalar(0)));
  fold_running_associative(pointwise_ops::maximum, last, axis, std::nullopt, places);
}

}  // namespace

void cummax_composite(const Tensor& input, int64_t dim, const Tensor& values, const Tensor& indices) {
  running_extremum(input, dim, true, values, indices);
}
void cummin_composite(const Tensor& input, int64_t dim, const Tensor& values, const Tensor& indices) {
  running_extremum(input, dim, false, values, indices);
}

Tensor logcumsumexp(const Tensor& input, int64_t dim) {
  const int64_t axis = wrap_dim(dim, input.dim());
  TNP_CHECK(!is_integral(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  if (input.dim() == 0 || input.numel() == 0) return tnp::clone(input);
  if (input.is_complex()) return fold_running_associative(pointwise_ops::logaddexp, input, axis, std::nullopt, {});
  // 16-bit floats are computed in float32, so that they are rounded only once, at the end.
  const Tensor wide = tnp::cast(input, compute_type(input.dtype()));
  const Tensor sums = fold_running_associative(pointwise_ops::logaddexp, wide, axis, std::nullopt, {});
  return sums.dtype() == input.dtype() ? sums : tnp::cast(sums, input.dtype());
}

}  // namespace tnp::native
