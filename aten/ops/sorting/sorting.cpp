// sort, argsort, partition, lexsort and searchsorted: checks arguments and prepares the lines to
// sort.
#include <algorithm>
#include <numeric>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/needs_derivatives.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/shape.h"
#include "aten/native_functions/sorting.h"
#include "aten/ops/copying/beside.h"

namespace tnp::native {

namespace {

void check_sort_options(const std::optional<std::string_view>& kind, const std::optional<std::string_view>& order,
                        std::optional<bool> stable) {
  TNP_CHECK(!(kind && stable), ErrorKind::Value,
            "`kind` and keyword parameters can't be provided at the same time. Use only one of them.");
  if (kind) {
    bool known = !kind->empty() && std::string_view("qQhHmMsS").find((*kind)[0]) != std::string_view::npos;
    TNP_CHECK(known, ErrorKind::Value, "sort kind must be one of 'quick', 'heap', or 'stable' (got '", *kind, "')");
  }
  TNP_CHECK(!order, ErrorKind::Value, "Cannot specify order when the array has no fields.");
}

void check_partition_options(std::string_view kind, const std::optional<std::string_view>& order) {
  TNP_CHECK(kind == "introselect", ErrorKind::Value, "select kind must be 'introselect' (got '", kind, "')");
  TNP_CHECK(!order, ErrorKind::Value, "Cannot specify order when the array has no fields.");
}

bool is_stable(const std::optional<std::string_view>& kind, std::optional<bool> stable) {
  if (!kind) return stable.value_or(false);
  char first = (*kind)[0];
  return first == 's' || first == 'S' || first == 'm' || first == 'M';
}

// Returns the indices `kth` in ascending order, with negative ones converted. If `t` has no
// elements, returns an empty list without checking `kth`.
DimVector wrap_kth(IntList kth, const Tensor& t, int64_t axis) {
  const int64_t n = t.size(axis);
  DimVector out;
  if (t.numel() == 0) return out;
  for (int64_t k : kth) {
    int64_t wrapped = k < 0 ? k + n : k;
    TNP_CHECK(wrapped >= 0 && wrapped < n, ErrorKind::Value, "kth(=", k, ") out of bounds (", n, ")");
    out.push_back(wrapped);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Tensor sorted(const Tensor& source, int64_t axis, bool stable) {
  NoGradGuard guard;
  return tnp::sorted_lines(source, axis, stable);
}

Tensor argsorted(const Tensor& source, int64_t axis, bool descending) {
  NoGradGuard guard;
  return tnp::stable_argsort(source, axis, descending);
}

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& input, int64_t dim, bool descending, bool /*stable*/) {
  int64_t axis = wrap_dim(dim, input.dim());
  NoGradGuard guard;
  auto [values, indices] = tnp::stable_sort(at_least_one_axis(input), axis, descending);
  if (input.dim() > 0) return {values, indices};
  return {native::view(values, {}), native::view(indices, {})};
}

void permute_lines_composite(const Tensor& input, const Tensor& indices, int64_t dim, const Tensor& out) {
  copy_into(at_least_one_axis(out), tnp::take_along_dim(input, indices, dim));
}

Tensor argsort(const Tensor& input, int64_t dim, bool descending, bool /*stable*/) {
  int64_t axis = wrap_dim(dim, input.dim());
  Tensor source = at_least_one_axis(input), indices = argsorted(source, axis, descending);
  return input.dim() > 0 ? indices : native::view(indices, {});
}

Tensor argsort_by_kind(const Tensor& input, std::optional<int64_t> dim, std::optional<std::string_view> kind,
                       std::optional<std::string_view> order, std::optional<bool> stable, bool descending) {
  check_sort_options(kind, order, stable);
  Tensor source = input;
  if (!dim || input.dim() == 0) {
    NoGradGuard guard;
    source = tnp::reshape(input, {-1});
  }
  int64_t axis = wrap_dim(dim.value_or(-1), source.dim());
  return argsorted(source, axis, descending);
}

Tensor sort_values(const Tensor& input, std::optional<int64_t> dim, std::optional<std::string_view> kind,
                   std::optional<std::string_view> order, std::optional<bool> stable, bool descending) {
  check_sort_options(kind, order, stable);
  Tensor source = dim ? input : tnp::reshape(input, {-1});
  int64_t axis = wrap_dim(dim.value_or(-1), source.dim());
  if (descending || needs_derivatives(source)) return std::get<0>(tnp::sort(source, axis, descending, true));
  return sorted(source, axis, is_stable(kind, stable));
}

void sort_(const Tensor& self, int64_t dim, std::optional<std::string_view> kind, std::optional<std::string_view> order,
           std::optional<bool> stable) {
  check_sort_options(kind, order, stable);
  int64_t axis = wrap_dim(dim, self.dim());
  check_writeable(self, "sort array");
  if (needs_derivatives(self)) return void(tnp::copy_(self, std::get<0>(tnp::sort(self, axis, false, true))));
  tnp::sort_lines_(self, axis, is_stable(kind, stable));
}

void sort_lines_composite(const Tensor& self, int64_t dim, bool stable) {
  copy_into(self, tnp::sorted_lines(self, dim, stable));
}

Tensor partition(const Tensor& input, IntList kth, std::optional<int64_t> dim, std::string_view kind,
                 std::optional<std::string_view> order) {
  check_partition_options(kind, order);
  Tensor source = dim ? input : tnp::reshape(input, {-1});
  int64_t axis = wrap_dim(dim.value_or(-1), source.dim());
  DimVector places = wrap_kth(kth, source, axis);
  if (needs_derivatives(source)) return std::get<0>(tnp::sort(source, axis, false, true));
  return tnp::partitioned_lines(source, places, axis);
}

// A sorted array is also partitioned.
void partitioned_lines_composite(const Tensor& input, IntList /*kth*/, int64_t dim, const Tensor& out) {
  tnp::sorted_lines(input, dim, false, {out});
}
void partition_lines_composite(const Tensor& self, IntList /*kth*/, int64_t dim) {
  copy_into(self, tnp::sorted_lines(self, dim, false));
}
void argpartitioned_lines_composite(const Tensor& input, IntList /*kth*/, int64_t dim, const Tensor& out) {
  tnp::stable_argsort(input, dim, false, {out});
}

void partition_(const Tensor& self, IntList kth, int64_t dim, std::string_view kind,
                std::optional<std::string_view> order) {
  check_partition_options(kind, order);
  int64_t axis = wrap_dim(dim, self.dim());
  DimVector places = wrap_kth(kth, self, axis);
  check_writeable(self, "partition array");
  if (needs_derivatives(self)) return void(tnp::copy_(self, std::get<0>(tnp::sort(self, axis, false, true))));
  tnp::partition_lines_(self, places, axis);
}

Tensor argpartition(const Tensor& input, IntList kth, std::optional<int64_t> dim, std::string_view kind,
                    std::optional<std::string_view> order) {
  check_partition_options(kind, order);
  Tensor source = input;
  if (!dim || input.dim() == 0) {
    NoGradGuard guard;
    source = tnp::reshape(input, {-1});
  }
  int64_t axis = wrap_dim(dim.value_or(-1), source.dim());
  DimVector places = wrap_kth(kth, source, axis);
  NoGradGuard guard;
  return tnp::argpartitioned_lines(source, places, axis);
}

Tensor lexsort(TensorList keys, int64_t dim) {
  TNP_CHECK(!keys.empty(), ErrorKind::Type, "need sequence of keys with len > 0 in lexsort");
  for (const Tensor& key : keys) {
    TNP_CHECK(key.sizes() == keys[0].sizes(), ErrorKind::Value, "all keys need to be the same shape");
    if (key.device() != keys[0].device()) raise_devices_differ(keys[0].device(), key.device());
  }
  if (keys[0].dim() == 0) {
    TNP_CHECK(dim == 0 || dim == -1, ErrorKind::Axis, "{dim} ", dim, " is out of bounds for array of dimension 0");
    return tnp::zeros({}, ScalarType::Int64, keys[0].device());
  }
  int64_t axis = wrap_dim(dim, keys[0].dim());
  NoGradGuard guard;
  const Tensor indices = tnp::stable_argsort(keys[0], axis, false);
  for (const Tensor& key : keys.subspan(1)) tnp::reorder_lines_(indices, key, axis);
  return indices;
}

void reorder_lines_composite(const Tensor& self, const Tensor& keys, int64_t dim) {
  const Tensor order = tnp::stable_argsort(tnp::permute_lines(keys, self, dim), dim, false);
  copy_into(self, tnp::permute_lines(self, order, dim));
}

Tensor searchsorted_np(const Tensor& sorted_sequence, const Tensor& input, bool right,
                       std::optional<std::string_view> side, const Tensor& sorter) {
  if (side) {
    bool known = !side->empty() && std::string_view("lLrR").find((*side)[0]) != std::string_view::npos;
    TNP_CHECK(known, ErrorKind::Value, "search side must be 'left' or 'right' (got '", *side, "')");
    right = (*side)[0] == 'r' || (*side)[0] == 'R';
  }
  TNP_CHECK(sorted_sequence.dim() >= 1, ErrorKind::Shape,
            "object of too small depth for desired array: {sorted_sequence} is 0-d");
  TNP_CHECK(sorted_sequence.dim() == 1, ErrorKind::Shape,
            "object too deep for desired array: {sorted_sequence} has shape ", sorted_sequence.sizes());
  const Device device = sorted_sequence.device();
  int64_t n = sorted_sequence.size(0);
  Tensor order;
  if (sorter.defined()) {
    TNP_CHECK(is_integral(sorter.dtype()) && (!is_bool(sorter.dtype()) || sorter.numel() == 0), ErrorKind::Type,
              "sorter must only contain integers");
    TNP_CHECK(sorter.dim() == 1, ErrorKind::Type, "could not parse sorter argument");
    TNP_CHECK(sorter.size(0) == n, ErrorKind::Shape, "sorter.size must equal a.size");
    order = native::cast(sorter, ScalarType::Int64, Order::C);
    TNP_CHECK(n == 0 || (tnp::min(order).item<int64_t>() >= 0 && tnp::max(order).item<int64_t>() < n), ErrorKind::Shape,
              "Sorter index out of range.");
  }
  ScalarType common = promote_types(sorted_sequence.dtype(), input.dtype());
  auto as_row = [&](const Tensor& t) {
    return t.dtype() == common && t.is_contiguous() ? with_plain_bools(t) : native::cast(t, common, Order::C);
  };
  // A 0-d input on the CPU is accepted for a sequence on a GPU, and is moved there.
  return tnp::search_sorted(as_row(sorted_sequence), order, as_row(input.dim() == 0 ? beside(device, input) : input),
                            right);
}

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& input, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
  if (side) {
    TNP_CHECK(*side == "left" || *side == "right", ErrorKind::Domain, "{side} must be 'left' or 'right', not '", *side,
              "'");
    TNP_CHECK(!(right && *side == "left"), ErrorKind::Domain, "{side} is 'left', but {right} is True");
    right = *side == "right";
  }
  const bool one_line = sorted_sequence.dim() == 1, number = input.dim() == 0 && !one_line;
  bool fits = one_line || (sorted_sequence.dim() > 0 && sorted_sequence.dim() == input.dim());
  for (int64_t d = 0; fits && !one_line && d + 1 < input.dim(); ++d) fits = sorted_sequence.size(d) == input.size(d);
  TNP_CHECK(fits && !number, ErrorKind::Shape, "{sorted_sequence} of shape ", sorted_sequence.sizes(),
            " and {input} of shape ", input.sizes(),
            " must agree in all axes but the last, unless {sorted_sequence} has one axis");
  Tensor order;
  if (sorter.defined()) {
    TNP_CHECK(sorter.sizes() == sorted_sequence.sizes(), ErrorKind::Shape, "{sorter} of shape ", sorter.sizes(),
              " must have the shape of {sorted_sequence}, ", sorted_sequence.sizes());
    TNP_CHECK(sorter.dtype() == ScalarType::Int64, ErrorKind::Dtype, "{sorter} must be of int64, not of ",
              sorter.dtype());
    order = sorter.is_contiguous() ? sorter : native::clone(sorter, Order::C, std::nullopt);
    TNP_CHECK(order.numel() == 0 || order.device().is_meta() ||
                  (tnp::min(order).item<int64_t>() >= 0 && tnp::max(order).item<int64_t>() < sorted_sequence.size(-1)),
              ErrorKind::Domain, "{sorter} is out of range");
  }
  const ScalarType common = result_type(sorted_sequence, input);
  auto dense = [&](const Tensor& t) {
    return t.dtype() == common && t.is_contiguous() ? with_plain_bools(t) : native::cast(t, common, Order::C);
  };
  const Tensor places = tnp::search_sorted(dense(sorted_sequence), order, dense(input), right);
  return out_int32 ? native::cast(places, ScalarType::Int32, Order::C) : places;
}

Tensor searchsorted_Scalar(const Tensor& sorted_sequence, const Scalar& input, bool out_int32, bool right,
                           std::optional<std::string_view> side, const Tensor& sorter) {
  TNP_CHECK(sorted_sequence.dim() == 1, ErrorKind::Shape, "{sorted_sequence} of shape ", sorted_sequence.sizes(),
            " is searched for a number: it must have one dimension");
  const Tensor key = beside(sorted_sequence.device(), wrapped_number(input));
  return native::searchsorted(sorted_sequence, key, out_int32, right, side, sorter);
}

}  // namespace tnp::native
