// Composite reductions: extrema with indices, cumulative extrema, and NumPy's ptp, cumsum and
// cumprod.
#include <algorithm>
#include <cstring>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/needs_derivatives.h"
#include "aten/core/numbers/promotion.h"
#include "aten/dispatch/out.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/fusion/last_use.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/watched.h"
#include "aten/native_functions/reductions.h"
#include "aten/operator_tables/comparison.h"
#include "aten/ops/operators.h"
#include "aten/ops/out.h"
#include "aten/ops/reduction/fold.h"

namespace tnp {

namespace {

std::tuple<Tensor, Tensor> with_indices(const Tensor& input, const Tensor& indices, int64_t dim, bool keepdim) {
  dim = wrap_dim(dim, input.dim());
  const Tensor values = tnp::pick_along(input, indices, dim);
  if (keepdim || input.dim() == 0) return {values, indices};
  DimVector sizes = values.sizes();
  sizes.erase(static_cast<size_t>(dim));
  auto drop = [&](const Tensor& t) { return view_of(t, sizes, contiguous_strides(sizes), t.address()); };
  return {drop(values), drop(indices)};
}

void check_not_empty(const Tensor& input, int64_t dim) {
  TNP_CHECK(input.dim() == 0 || input.size(wrap_dim(dim, input.dim())) > 0, ErrorKind::Index, "{input} of shape ",
            input.sizes(), " has no elements along {dim} ", dim);
}

// The cumulative extremum by `op` (maximum or minimum). If gradients are recorded, each result is
// gathered from the last preceding element that equals the extremum (PyTorch's rule for cummax).
Tensor running_extremum(const PointwiseOp& op, const Tensor& input, int64_t dim) {
  Tensor values = fold_running_associative(op, input, dim, std::nullopt, {});
  if (!needs_derivatives(input)) return values;
  DimVector line(input.sizes().size(), 1);
  line[static_cast<size_t>(dim)] = input.size(dim);
  const Tensor numbers = tnp::reshape(tnp::arange(Scalar(input.size(dim)), ScalarType::Int64, input.device()), line);
  const Tensor stands_here =
      tnp::logical_or(tnp::eq(input, values), tnp::logical_and(tnp::isnan(input), tnp::isnan(values)));
  const Tensor places = tnp::where(stands_here, numbers, wrapped_number(Scalar(0)));
  return tnp::take_along_dim(input, fold_running_associative(pointwise_ops::maximum, places, dim, std::nullopt, {}),
                             dim);
}

}  // namespace

void native::pick_along_composite(const Tensor& input, const Tensor& indices, int64_t dim, const Tensor& out) {
  copy_into(out, input.dim() == 0 ? input : tnp::take_along_dim(input, indices, dim));
}

Tensor native::cumulative_maximum(const Tensor& input, int64_t dim) {
  return running_extremum(pointwise_ops::maximum, input, dim);
}
Tensor native::cumulative_minimum(const Tensor& input, int64_t dim) {
  return running_extremum(pointwise_ops::minimum, input, dim);
}
Tensor native::cumulative_fmax(const Tensor& input, int64_t dim) {
  return running_extremum(pointwise_ops::fmax, input, dim);
}
Tensor native::cumulative_fmin(const Tensor& input, int64_t dim) {
  return running_extremum(pointwise_ops::fmin, input, dim);
}

Tensor native::max(const Tensor& input) { return tnp::amax(input, std::nullopt, false); }
Tensor native::min(const Tensor& input) { return tnp::amin(input, std::nullopt, false); }
Tensor native::max_other(const Tensor& input, const Tensor& other) { return tnp::maximum(input, other); }
Tensor native::min_other(const Tensor& input, const Tensor& other) { return tnp::minimum(input, other); }
std::tuple<Tensor, Tensor> native::max_dim(const Tensor& input, int64_t dim, bool keepdim) {
  check_not_empty(input, dim);
  const fusion::UsedAgain again(input);
  return with_indices(input, tnp::argmax(input, dim, true), dim, keepdim);
}
std::tuple<Tensor, Tensor> native::min_dim(const Tensor& input, int64_t dim, bool keepdim) {
  check_not_empty(input, dim);
  const fusion::UsedAgain again(input);
  return with_indices(input, tnp::argmin(input, dim, true), dim, keepdim);
}
Tensor native::ptp(const Tensor& input, OptIntList dim, bool keepdim, const Tensor& out) {
  const fusion::UsedAgain again(input);
  if (!out.defined()) return tnp::amax(input, dim, keepdim) - tnp::amin(input, dim, keepdim);
  // NumPy stores the maximum in out= before it subtracts the minimum.
  const ScalarType together = promote_types(input.dtype(), out.dtype());
  const Tensor x = together == input.dtype() ? input : tnp::cast(input, together);
  const Tensor least = tnp::amin(x, dim, keepdim);
  check_out(out, least.sizes(), least.dtype(), least.device());
  PointwiseOptions options;
  options.out[0] = out;
  return tnp::sub(tnp::amax(x, dim, keepdim), least, options);
}

// As in NumPy's add.accumulate: with `out`, the sums are computed in the common dtype, and cast to
// out's dtype.
Tensor native::cumsum_np(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype,
                         const Tensor& out) {
  const FloatingPointWatch watch(watched_on(input.device(), "accumulate"));
  if (!dtype && out.defined()) dtype = promote_types(input.dtype(), out.dtype());
  if (out.defined() && out.dtype() != dtype) return into_out(out, tnp::cumsum(input, dim, dtype));
  return tnp::cumsum(input, dim, dtype, {out});
}
Tensor native::cumprod_np(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype,
                          const Tensor& out) {
  const FloatingPointWatch watch(watched_on(input.device(), "accumulate"));
  if (!dtype && out.defined()) dtype = promote_types(input.dtype(), out.dtype());
  if (out.defined() && out.dtype() != dtype) return into_out(out, tnp::cumprod(input, dim, dtype));
  return tnp::cumprod(input, dim, dtype, {out});
}

}  // namespace tnp
