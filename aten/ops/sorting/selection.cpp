// Selection by rank: topk, kthvalue, medians, mode, and similar operators.
#include <algorithm>
#include <limits>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/cumulative.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/selection.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/fusion/last_use.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/selection.h"
#include "aten/native_functions/shape.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

using Pair = std::tuple<Tensor, Tensor>;

void check_has_order(const Tensor& input, bool bools = false) {
  TNP_CHECK(!input.is_complex() && (bools || !is_bool(input.dtype())), ErrorKind::NotImplemented,
            "not implemented for ", input.dtype());
}

DimVector with_size(IntList sizes, int64_t axis, int64_t n) {
  DimVector out(sizes);
  out[static_cast<size_t>(axis)] = n;
  return out;
}

// Removes `axis`, of size 1, from the results unless `keepdim`.
Pair without_axis(const Tensor& values, const Tensor& indices, const Tensor& input, int64_t axis, bool keepdim) {
  DimVector sizes(values.sizes());
  if (input.dim() == 0)
    sizes.clear();
  else if (!keepdim)
    sizes.erase(static_cast<size_t>(axis));
  else
    return {values, indices};
  return {native::view(values, sizes), native::view(indices, sizes)};
}

void check_not_empty(const Tensor& input, int64_t axis) {
  TNP_CHECK(input.dim() == 0 || input.size(axis) > 0, ErrorKind::Index, "{input} of shape ", input.sizes(),
            " has no elements along axis ", axis);
}

Tensor along(const Tensor& numbers, int64_t axis, int64_t ndim) {
  DimVector line(static_cast<size_t>(ndim), 1);
  line[static_cast<size_t>(axis)] = numbers.numel();
  return tnp::reshape(numbers, line);
}

enum class Rank : uint8_t {
  Kth,        // the k-th smallest element, counted from 0; NaN is the largest
  Median,     // the lower median, or the first NaN
  NanMedian,  // the lower median of the elements that are not NaN
};

// The index of the element with `rank` in a sorted line. The result is one number for all lines, or
// one per line.
Tensor sorted_place(const Tensor& sorted, int64_t axis, Rank rank, int64_t k) {
  const int64_t n = sorted.size(axis), dims[] = {axis};
  const DimVector one = with_size(sorted.sizes(), axis, 1);
  auto everywhere = [&](int64_t place) { return tnp::full(one, Scalar(place), ScalarType::Int64, sorted.device()); };
  if (rank == Rank::Kth) return everywhere(k);
  if (!is_floating(sorted.dtype())) return everywhere((n - 1) / 2);
  const Tensor numbers = tnp::sum(tnp::logical_not(tnp::isnan(sorted)), OptIntList(IntList(dims)), true, std::nullopt);
  const Tensor middle = tnp::floor_divide(numbers - Scalar(1), wrapped_number(Scalar(2)));
  if (rank == Rank::NanMedian) return tnp::clamp(middle, Scalar(0), Scalar(n - 1));
  // NaNs are at the end of a sorted line, in their original order.
  return tnp::where(tnp::lt(numbers, wrapped_number(Scalar(n))), numbers, middle);
}

// Writes `from` to `to`, which may have another shape with as many elements.
void write(const Tensor& to, const Tensor& from) {
  copy_into(view_of(to, from.sizes(), contiguous_strides(from.sizes()), to.address()), from);
}

void ranked(const Tensor& input, int64_t axis, Rank rank, int64_t k, const Tensor& values, const Tensor& indices) {
  if (values.numel() == 0) return;
  const auto [sorted, order] = tnp::stable_sort(input, axis, false);
  const Tensor place = sorted_place(sorted, axis, rank, k);
  write(values, tnp::take_along_dim(sorted, place, axis));
  write(indices, tnp::take_along_dim(order, place, axis));
}

// The median of no elements.
Tensor not_a_number(const Tensor& input) {
  check_has_order(input);
  const Tensor nan = scalar_tensor(Scalar(std::numeric_limits<double>::quiet_NaN()), ScalarType::Float64);
  return tnp::to(tnp::cast(nan, input.dtype()), std::optional(input.device()));
}

Tensor flat(const Tensor& input) { return tnp::reshape(input, DimVector{-1}); }

}  // namespace

void topk_composite(const Tensor& input, int64_t k, int64_t dim, bool largest, bool /*sorted*/, const Tensor& values,
                    const Tensor& indices) {
  const auto [sorted, order] = tnp::stable_sort(input, dim, largest);
  write(values, tnp::narrow(sorted, dim, 0, k));
  write(indices, tnp::narrow(order, dim, 0, k));
}

void kthvalue_composite(const Tensor& input, int64_t k, int64_t dim, bool /*keepdim*/, const Tensor& values,
                        const Tensor& indices) {
  ranked(input, dim, Rank::Kth, k - 1, values, indices);
}
void median_dim_composite(const Tensor& input, int64_t dim, bool /*keepdim*/, const Tensor& values,
                          const Tensor& indices) {
  ranked(input, dim, Rank::Median, 0, values, indices);
}
void nanmedian_dim_composite(const Tensor& input, int64_t dim, bool /*keepdim*/, const Tensor& values,
                             const Tensor& indices) {
  ranked(input, dim, Rank::NanMedian, 0, values, indices);
}

Tensor median(const Tensor& input) {
  return input.numel() > 0 ? std::get<0>(tnp::median(flat(input), 0, false)) : not_a_number(input);
}
Tensor nanmedian(const Tensor& input) {
  return input.numel() > 0 ? std::get<0>(tnp::nanmedian(flat(input), 0, false)) : not_a_number(input);
}

// Finds the longest run of equal elements in the sorted lines. For each element, the length of its
// run up to this element is its index minus the index of the run's first element.
Pair mode(const Tensor& input, int64_t dim, bool keepdim) {
  const int64_t axis = wrap_dim(dim, input.dim());
  check_not_empty(input, axis);
  check_has_order(input, true);
  const NoGradGuard no_grad;
  const Tensor source = at_least_one_axis(input);
  const int64_t n = source.size(axis);
  const auto [sorted, order] = tnp::stable_sort(source, axis, false);
  Tensor place = tnp::zeros(with_size(source.sizes(), axis, 1), ScalarType::Int64, source.device());
  if (n > 1) {
    const Tensor numbers =
        along(tnp::arange(Scalar(1), Scalar(n), Scalar(1), ScalarType::Int64, source.device()), axis, source.dim());
    const Tensor begins = tnp::ne(tnp::narrow(sorted, axis, 1, n - 1), tnp::narrow(sorted, axis, 0, n - 1));
    const Tensor begun = tnp::where(begins, numbers, wrapped_number(Scalar(0)));
    const Tensor lengths = numbers - std::get<0>(tnp::cummax(begun, axis));
    const Tensor parts[] = {place, lengths};
    place = tnp::argmax(tnp::cat(parts, axis), axis, true);
  }
  return without_axis(tnp::take_along_dim(sorted, place, axis), tnp::take_along_dim(order, place, axis), input, axis,
                      keepdim);
}

Tensor msort(const Tensor& input) { return std::get<0>(tnp::sort(input, 0, false, true)); }

Pair aminmax(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  TNP_CHECK(!input.is_complex(), ErrorKind::Type, "not implemented for ", input.dtype());
  if (dim) check_not_empty(input, wrap_dim(*dim, input.dim()));
  const int64_t axes[] = {dim.value_or(0)};
  const OptIntList over = dim ? OptIntList(IntList(axes)) : std::nullopt;
  const fusion::UsedAgain again(input);
  return {tnp::amin(input, over, keepdim), tnp::amax(input, over, keepdim)};
}

Tensor nonzero_static(const Tensor& input, int64_t size, int64_t fill_value) {
  TNP_CHECK(size >= 0, ErrorKind::Shape, "{size} must not be negative, but is ", size);
  const Tensor found = tnp::nonzero(input);
  const int64_t count = std::min(size, found.size(0));
  const DimVector sizes{size, input.dim()};
  const Tensor out = tnp::full(sizes, Scalar(fill_value), ScalarType::Int64, input.device());
  tnp::copy_(tnp::narrow(out, 0, 0, count), tnp::narrow(found, 0, 0, count), false);
  return out;
}

}  // namespace tnp::native
