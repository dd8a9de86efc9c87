#include "aten/iterator/layout.h"

#include <algorithm>
#include <numeric>

#include "aten/core/errors/shape_errors.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/iterator.h"

namespace tnp {

bool is_fortran_order(Order order, const Tensor& like) {
  if (order == Order::F) return true;
  return order == Order::A && like.defined() && like.is_column_major() && !like.is_row_major();
}

Tensor at_least_one_axis(const Tensor& t) { return t.dim() == 0 ? view_of(t, {1}, {1}, t.address()) : t; }

DimVector axes_slowest_first(const Tensor& t) {
  DimVector axes(static_cast<size_t>(t.dim()));
  std::iota(axes.begin(), axes.end(), 0);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int64_t a, int64_t b) { return std::abs(t.stride(a)) > std::abs(t.stride(b)); });
  return axes;
}

DimVector axes_in_memory_order(const Tensor& t) {
  // Insertion sort, since axes of stride 0 are not comparable, so std::sort cannot be used. Axes of
  // stride 0 do not move.
  DimVector axes;
  for (int64_t d = t.dim() - 1; d >= 0; --d) axes.push_back(d);  // innermost first
  for (size_t i = 1; i < axes.size(); ++i) {
    int64_t axis = axes[i];
    size_t place = i;
    for (size_t j = i; j-- > 0;) {
      int64_t own = std::abs(t.stride(axis)), other = std::abs(t.stride(axes[j]));
      if (own == 0 || other == 0) continue;
      if (other <= own) break;
      place = j;
    }
    axes.erase(i);
    axes.insert(place, axis);
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

std::optional<DimVector> strides_in_order(IntList sizes, Order order, const Tensor& like) {
  if (order == Order::C) return std::nullopt;
  bool keep =
      order == Order::K && like.defined() && like.dim() == static_cast<int64_t>(sizes.size()) && !like.is_contiguous();
  if (is_fortran_order(order, like) || (keep && like.is_fortran_contiguous())) return fortran_strides(sizes);
  if (!keep) return std::nullopt;
  return dense_strides(sizes, axes_slowest_first(like));
}

DimVector dense_strides(IntList sizes, IntList axes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    auto axis = static_cast<size_t>(axes[i]);
    strides[axis] = step;
    step *= std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

Tensor empty_in_order(IntList sizes, ScalarType dtype, Device device, Order order, const Tensor& like) {
  if (order == Order::C) return empty_tensor(sizes, dtype, device);
  numel_of(sizes);  // detects overflow before strides are computed
  const auto strides = strides_in_order(sizes, order, like);
  return strides ? empty_strided_tensor(sizes, *strides, dtype, device) : empty_tensor(sizes, dtype, device);
}

bool has_order(const Tensor& t, Order order) {
  switch (order) {
    case Order::C:
      return t.is_row_major();
    case Order::F:
      return t.is_column_major();
    case Order::A:
      return t.is_row_major() || t.is_column_major();
    default:
      return true;
  }
}

DimVector infer_shape(IntList shape, int64_t numel) {
  DimVector sizes(shape);
  int64_t known = 1;
  std::optional<size_t> unknown;
  bool overflow = false, zero = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0 && (shape[i] == -1 || dialect().negative_size_is_inferred())) {
      TNP_CHECK(!unknown, ErrorKind::Shape,
                dialect().errors_are_numpys() ? "can only specify one unknown dimension, got shape "
                                              : "only one dimension can be inferred, got shape ",
                shape);
      unknown = i;
    } else {
      TNP_CHECK(shape[i] >= 0, ErrorKind::Shape, "invalid shape dimension ", shape[i], " at index ",
                static_cast<int64_t>(i), " of shape ", shape);
      overflow |= __builtin_mul_overflow(known, shape[i], &known);
      zero |= shape[i] == 0;
    }
  }
  if (zero) known = 0, overflow = false;
  bool fits = !overflow && (unknown ? known != 0 && numel % known == 0 : known == numel);
  if (TNP_UNLIKELY(!fits)) {
    TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape, "cannot reshape array of size ", numel, " into shape ",
              shape);
    TNP_CHECK(known != 0 || numel != 0, ErrorKind::Shape, "cannot reshape tensor of 0 elements into shape ",
              AsList{shape}, " because the unspecified dimension size -1 can be any value and is ambiguous");
    TNP_RAISE(ErrorKind::Shape, "shape '", AsList{shape}, "' is invalid for input of size ", numel);
  }
  if (unknown) sizes[*unknown] = numel / known;
  return sizes;
}

// Splits groups of old axes that are dense within each other ("chunks") into new axes, from the
// last one on.
std::optional<DimVector> view_strides(const Tensor& t, IntList sizes) {
  if (t.is_contiguous() && t.numel() > 0 && numel_of(sizes) == t.numel()) return contiguous_strides(sizes);
  if (t.numel() == 0) return t.sizes() == sizes ? DimVector(t.strides()) : contiguous_strides(sizes);
  if (t.dim() == 0) return DimVector(sizes.size(), 1);
  DimVector strides(sizes.size());
  auto next = static_cast<int64_t>(sizes.size()) - 1;
  int64_t base = t.stride(-1), chunk = 1, placed = 1;
  for (int64_t d = t.dim() - 1; d >= 0; --d) {
    chunk *= t.size(d);
    // The chunk ends where the next axis is not contiguous with it. Axes of size 1 never matter.
    bool ends = d == 0 || (t.size(d - 1) != 1 && t.stride(d - 1) != chunk * base);
    if (!ends) continue;
    for (; next >= 0 && (placed < chunk || sizes[static_cast<size_t>(next)] == 1); --next) {
      strides[static_cast<size_t>(next)] = placed * base;
      placed *= sizes[static_cast<size_t>(next)];
    }
    if (placed != chunk) return std::nullopt;
    if (d > 0) base = t.stride(d - 1), chunk = placed = 1;
  }
  if (next != -1) return std::nullopt;
  return strides;
}

Tensor aligned_copy(const Tensor& t) {
  Tensor copy = empty_in_order(t.sizes(), t.dtype(), t.device(), Order::K, t);
  copy_into(copy, t);
  return copy;
}

Tensor with_plain_bools(const Tensor& t) {
  if (!is_bool(t.dtype())) return t;
  Tensor plain = empty_tensor(t.sizes(), t.dtype(), t.device());
  copy_into(plain, t);
  return plain;
}

void check_fits(const Tensor& value, ScalarType dtype) {
  if (value.is_wrapped_number() && !value.device().is_meta()) check_fits(value.item(), dtype);
}

void check_number_fits(const Tensor& value, ScalarType dtype) {
  if (dialect().errors_are_numpys())
    check_fits(value, dtype);
  else if (value.device().is_cpu() && value.dtype() != dtype)
    check_fits(value.item(), dtype);
}

}  // namespace tnp
