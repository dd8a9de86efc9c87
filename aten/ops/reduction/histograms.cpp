// Histograms, nansum and nanmean, and std_mean and var_mean.
#include <algorithm>
#include <cmath>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/histograms.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/statistics.h"
#include "aten/functions/transcendental.h"
#include "aten/fusion/last_use.h"
#include "aten/native_functions/histograms.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

using Pair = std::tuple<Tensor, Tensor>;

Tensor flat(const Tensor& t) { return tnp::reshape(t, DimVector{-1}); }

struct Range {
  double low, high;
};

// Returns the range [low, high]. If low == high, returns the range of all elements. If this range
// is empty as well, it is extended by `half` on each side.
Range range_of(const Tensor& input, double low, double high, double half) {
  if (low == high && input.numel() > 0) {
    const fusion::UsedAgain again(input);
    low = tnp::amin(input, std::nullopt, false).item<double>();
    high = tnp::amax(input, std::nullopt, false).item<double>();
  }
  TNP_CHECK(std::isfinite(low) && std::isfinite(high), ErrorKind::Domain, "the range [", low, ", ", high,
            "] is not finite");
  if (low == high) low -= half, high += half;
  return {low, high};
}

void check_histogram(const Tensor& input, const Tensor& weight) {
  TNP_CHECK(input.dtype() == ScalarType::Float32 || input.dtype() == ScalarType::Float64, ErrorKind::NotImplemented,
            "not implemented for ", input.dtype());
  if (!weight.defined()) return;
  TNP_CHECK(weight.dtype() == input.dtype() && weight.sizes() == input.sizes(), ErrorKind::Shape, "{weight} of ",
            weight.dtype(), " and shape ", weight.sizes(), " must have the dtype and shape of {input}: ", input.dtype(),
            " and shape ", input.sizes());
}

// Counts into bins. Elements beyond the edges go to an extra bin, which is discarded.
Pair counted(const Tensor& input, const Tensor& edges, const Tensor& weight, bool density) {
  const int64_t bins = edges.numel() - 1;
  const Tensor x = flat(input), last = tnp::select(edges, 0, bins);
  Tensor places = tnp::searchsorted(edges, x, false, true) - Scalar(1);
  places = tnp::where(tnp::eq(x, last), wrapped_number(Scalar(bins - 1)), places);
  const Tensor inside = tnp::logical_and(tnp::ge(x, tnp::select(edges, 0, 0)), tnp::le(x, last));
  places = tnp::where(inside, places, wrapped_number(Scalar(bins)));
  const Tensor sums = tnp::zeros(DimVector{bins + 1}, input.dtype(), input.device());
  const Tensor amount = weight.defined() ? flat(weight) : tnp::ones_like(x);
  Tensor hist = tnp::narrow(tnp::index_add(sums, 0, places, amount), 0, 0, bins);
  if (density) {
    const Tensor widths = tnp::narrow(edges, 0, 1, bins) - tnp::narrow(edges, 0, 0, bins);
    hist = hist / (tnp::sum(hist, std::nullopt, false, std::nullopt) * widths);
  } else {
    hist = tnp::clone(hist);
  }
  return {hist, edges};
}

}  // namespace

Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool out_int32, bool right) {
  TNP_CHECK(boundaries.dim() == 1, ErrorKind::Shape, "{boundaries} must have one dimension, but their shape is ",
            boundaries.sizes());
  return tnp::searchsorted(boundaries, input, out_int32, right);
}

Tensor bucketize_Scalar(const Scalar& input, const Tensor& boundaries, bool out_int32, bool right) {
  return native::bucketize(tnp::to(wrapped_number(input), std::optional(boundaries.device())), boundaries, out_int32,
                           right);
}

Tensor histc(const Tensor& input, int64_t bins, const Scalar& min, const Scalar& max) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  TNP_CHECK(bins > 0, ErrorKind::Domain, "{bins} must be positive, but is ", bins);
  const NoGradGuard no_grad;
  const Range range = range_of(input, min.to<double>(), max.to<double>(), 1);
  TNP_CHECK(range.low < range.high, ErrorKind::Domain, "{max} must be larger than {min}, but is ", range.high,
            " after ", range.low);
  const Tensor x = tnp::cast(flat(input), compute_type(input.dtype()));
  const Tensor inside = tnp::logical_and(x >= Scalar(range.low), x <= Scalar(range.high));
  const Tensor shares = (x - Scalar(range.low)) / Scalar(range.high - range.low) * Scalar(static_cast<double>(bins));
  const Tensor places = tnp::cast(tnp::where(inside, shares, wrapped_number(Scalar(-1.0))), ScalarType::Int64);
  const Tensor counts =
      tnp::count_values(tnp::where(inside, tnp::clamp(places, Scalar(0), Scalar(bins - 1)), places), bins);
  return tnp::cast(counts, input.dtype());
}

Pair histogram(const Tensor& input, const Tensor& bins, const Tensor& weight, bool density) {
  check_histogram(input, weight);
  TNP_CHECK(bins.dtype() == input.dtype(), ErrorKind::Dtype, "{bins} are of ", bins.dtype(), ", {input} is of ",
            input.dtype());
  TNP_CHECK(bins.dim() == 1 && bins.numel() > 0, ErrorKind::Shape,
            "{bins} must be one-dimensional and not empty, but their shape is ", bins.sizes());
  const NoGradGuard no_grad;
  return counted(input, tnp::clone(bins, Order::C), weight, density);
}

Pair histogram_bin_ct(const Tensor& input, int64_t bins, std::optional<std::span<const double>> range,
                      const Tensor& weight, bool density) {
  check_histogram(input, weight);
  TNP_CHECK(bins > 0, ErrorKind::Domain, "{bins} must be positive, but is ", bins);
  TNP_CHECK(!range || range->size() == 2, ErrorKind::Shape, "{range} must be two numbers, not ",
            static_cast<int64_t>(range ? range->size() : 0));
  const NoGradGuard no_grad;
  Range ends{0, 0};
  if (range) {
    ends = {(*range)[0], (*range)[1]};
    TNP_CHECK(std::isfinite(ends.low) && std::isfinite(ends.high) && ends.low <= ends.high, ErrorKind::Domain,
              "{range} [", ends.low, ", ", ends.high, "] must be finite and must not decrease");
    if (ends.low == ends.high) ends.low -= 0.5, ends.high += 0.5;
  } else {
    ends = range_of(input, 0, 0, 0.5);
  }
  const Tensor edges = tnp::linspace(Scalar(ends.low), Scalar(ends.high), bins + 1, input.dtype(), input.device());
  return counted(input, edges, weight, density);
}

Tensor nansum(const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype) {
  TNP_CHECK(!input.is_complex(), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  if (!is_floating(input.dtype())) return tnp::sum(input, dim, keepdim, dtype);
  const Tensor numbers = tnp::where(tnp::isnan(input), scalar_tensor(Scalar(0), input.dtype(), input.device()), input);
  return tnp::sum(numbers, dim, keepdim, dtype);
}

Tensor nanmean(const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  const Tensor counts = tnp::sum(tnp::logical_not(tnp::isnan(input)), dim, keepdim, std::nullopt);
  return native::nansum(input, dim, keepdim, dtype) / counts;
}

namespace {

Scalar one_if(bool unbiased) { return Scalar(unbiased ? 1 : 0); }
Pair std_and_mean(const Tensor& input, OptIntList dim, const Scalar& correction, bool keepdim) {
  return {tnp::std(input, dim, correction, keepdim), tnp::mean(input, dim, keepdim, std::nullopt)};
}
Pair var_and_mean(const Tensor& input, OptIntList dim, const Scalar& correction, bool keepdim) {
  return {tnp::var(input, dim, correction, keepdim), tnp::mean(input, dim, keepdim, std::nullopt)};
}

}  // namespace

Pair std_mean_unbiased_all(const Tensor& input, bool unbiased) {
  return std_and_mean(input, std::nullopt, one_if(unbiased), false);
}
Pair std_mean(const Tensor& input, OptIntList dim, const std::optional<Scalar>& correction, bool keepdim) {
  return std_and_mean(input, dim, correction.value_or(Scalar(1)), keepdim);
}
Pair std_mean_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return std_and_mean(input, dim, one_if(unbiased), keepdim);
}
Pair var_mean_unbiased_all(const Tensor& input, bool unbiased) {
  return var_and_mean(input, std::nullopt, one_if(unbiased), false);
}
Pair var_mean(const Tensor& input, OptIntList dim, const std::optional<Scalar>& correction, bool keepdim) {
  return var_and_mean(input, dim, correction.value_or(Scalar(1)), keepdim);
}
Pair var_mean_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return var_and_mean(input, dim, one_if(unbiased), keepdim);
}

}  // namespace tnp::native
