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
#include "aten/iterator/dense.h"
#include "aten/kernels/cpu/sorting/selection.h"
#include "aten/native_functions/cumulative.h"
#include "aten/operator_tables/comparison.h"
#include "aten/operator_tables/transcendental.h"
#include "aten/ops/reduction/fold.h"

namespace tnp::native {

namespace {

using Pair = std::tuple<Tensor, Tensor>;

Pair running_extremum(const Tensor& input, int64_t dim, bool largest) {
  const int64_t axis = wrap_dim(dim, input.dim());
  TNP_CHECK(!input.is_complex(), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  const NoGradGuard no_grad;
  if (input.dim() == 0) return {tnp::clone(input), tnp::zeros({}, ScalarType::Int64, input.device())};
  if (input.device().is_cpu()) {
    const Tensor values = empty_tensor(input.sizes(), input.dtype()),
                 indices = empty_tensor(input.sizes(), ScalarType::Int64);
    running_extremum_lines(to_dense(input, input.dtype()), axis, largest, values, indices);
    return {values, indices};
  }
  const auto& op = largest ? pointwise_ops::maximum : pointwise_ops::minimum;
  const Tensor values = fold_running_associative(op, input, axis, std::nullopt, {});
  DimVector line(static_cast<size_t>(input.dim()), 1);
  line[static_cast<size_t>(axis)] = input.size(axis);
  const Tensor numbers = tnp::reshape(tnp::arange(Scalar(input.size(axis)), ScalarType::Int64, input.device()), line);
  Tensor stands_here = tnp::eq(input, values);
  if (is_floating(input.dtype())) stands_here = tnp::logical_or(stands_here, tnp::isnan(input));
  const Tensor places = tnp::where(stands_here, numbers, wrapped_number(Scalar(0)));
  return {values, fold_running_associative(pointwise_ops::maximum, places, axis, std::nullopt, {})};
}

}  // namespace

Pair cummax(const Tensor& input, int64_t dim) { return running_extremum(input, dim, true); }
Pair cummin(const Tensor& input, int64_t dim) { return running_extremum(input, dim, false); }

Tensor logcumsumexp(const Tensor& input, int64_t dim) {
  const int64_t axis = wrap_dim(dim, input.dim());
  TNP_CHECK(!is_integral(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  if (input.dim() == 0 || input.numel() == 0) return tnp::clone(input);
  if (input.is_complex())
    return fold_running_associative(pointwise_ops::logaddexp_complex, input, axis, std::nullopt, {});
  // 16-bit floats are computed in float32, so that they are rounded only once, at the end.
  const Tensor wide = tnp::cast(input, compute_type(input.dtype()));
  const Tensor sums = fold_running_associative(pointwise_ops::logaddexp, wide, axis, std::nullopt, {});
  return sums.dtype() == input.dtype() ? sums : tnp::cast(sums, input.dtype());
}

}  // namespace tnp::native
