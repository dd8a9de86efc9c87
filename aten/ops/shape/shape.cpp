// Shape operators composed of the views in views.cpp: they have no autograd node of their own.
#include <algorithm>
#include <numeric>

#include "aten/core/errors/shape_errors.h"
#include "aten/core/needs_derivatives.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/shape.h"
#include "aten/ops/shape/several_views.h"

namespace tnp::native {

namespace {

DimVector reversed(IntList list) {
  DimVector out;
  out.resize_uninitialized(list.size());
  int64_t* to = out.end();
  for (int64_t v : list) *--to = v;
  return out;
}

Tensor reversed_axes(const Tensor& input) {
  if (!needs_derivatives(input)) {
    const auto ndim = static_cast<size_t>(input.dim());
    const int64_t *size = input.sizes().data(), *stride = input.strides().data();
    int64_t sizes[kMaxDims], strides[kMaxDims];
    for (size_t d = 0; d < ndim; ++d) sizes[d] = size[ndim - 1 - d], strides[d] = stride[ndim - 1 - d];
    return view_of(input, IntList(sizes, ndim), IntList(strides, ndim), input.address());
  }
  DimVector axes(static_cast<size_t>(input.dim()));
  std::iota(axes.begin(), axes.end(), 0);
  return tnp::permute(input, reversed(axes));
}

// Fast path of view() for a row-major array that is not recorded: the new strides follow from
// `sizes` alone. `sizes` must have the same number of elements as `input`, and at most kMaxDims
// axes.
Tensor view_of_rows(const Tensor& input, IntList sizes) {
  int64_t strides[kMaxDims], step = 1;
  for (size_t d = sizes.size(); d-- > 0; step *= sizes[d]) strides[d] = step;
  return view_of(input, sizes, IntList(strides, sizes.size()), input.address());
}

Tensor all_of(const Tensor& input) { return tnp::alias(input); }

Tensor reshape_rows_first(const Tensor& input, IntList sizes, std::optional<bool> copy) {
  if (!copy.value_or(false)) {
    if (input.is_contiguous() && input.numel() > 0 && sizes.size() <= kMaxDims && !needs_derivatives(input)) {
      return view_of_rows(input, sizes);
    }
    if (auto strides = view_strides(input, sizes)) {
      return needs_derivatives(input) || sizes.size() > kMaxDims ? tnp::view(input, sizes)
                                                                 : view_of(input, sizes, *strides, input.address());
    }
  }
  TNP_CHECK(copy.value_or(true), ErrorKind::Value, "Unable to avoid creating a copy while reshaping.");
  return tnp::reshape_copy(input, sizes);
}

bool shares_storage(const Tensor& a, const Tensor& b) { return &a.storage() == &b.storage(); }

}  // namespace

Tensor reshape_copy(const Tensor& input, IntList shape) {
  TNP_CHECK(numel_of(shape) == input.numel(), ErrorKind::Shape, "cannot reshape array of size ", input.numel(),
            " into shape ", shape);
  Tensor out = empty_tensor(shape, input.dtype(), input.device());
  copy_into(view_of(out, input.sizes(), contiguous_strides(input.sizes()), out.address()), input);
  return out;
}

Tensor reshape(const Tensor& input, IntList shape, Order order, std::optional<bool> copy) {
  TNP_CHECK(order != Order::K, ErrorKind::Value, "order 'K' is not permitted for reshaping");
  DimVector sizes = infer_shape(shape, input.numel());
  if (!is_fortran_order(order, input)) return reshape_rows_first(input, sizes, copy);
  if (sizes.size() < 2) return reshape_rows_first(reversed_axes(input), sizes, copy);
  return reversed_axes(reshape_rows_first(reversed_axes(input), reversed(sizes), copy));
}

Tensor reshape_as(const Tensor& input, const Tensor& other) { return tnp::reshape(input, other.sizes()); }
Tensor view_as(const Tensor& input, const Tensor& other) { return tnp::view(input, other.sizes()); }

// Always contiguous: x[::-1] could be a view, but callers of ravel() may index by address.
Tensor ravel(const Tensor& input, Order order) {
  const bool as_in_memory = order == Order::K && !input.is_row_major();
  Tensor row = as_in_memory ? tnp::reshape(tnp::permute(input, axes_in_memory_order(input)), {-1})
                            : tnp::reshape(input, {-1}, order == Order::K ? Order::C : order);
  return row.is_row_major() ? row : tnp::clone(row, Order::C);
}

Tensor flatten(const Tensor& input, int64_t start_dim, int64_t end_dim) {
  int64_t start = wrap_dim(start_dim, input.dim(), "start_dim"), end = wrap_dim(end_dim, input.dim(), "end_dim");
  TNP_CHECK(start <= end, ErrorKind::Shape, "{start_dim} ", start_dim, " comes after {end_dim} ", end_dim);
  if (input.dim() == 0) return tnp::reshape(input, {1});
  if (start == end) return input;
  DimVector sizes(input.sizes().subspan(0, static_cast<size_t>(start)));
  int64_t product = 1;
  for (int64_t d = start; d <= end; ++d) product *= input.size(d);
  sizes.push_back(product);
  sizes.append(input.sizes().subspan(static_cast<size_t>(end) + 1));
  return tnp::reshape(input, sizes);
}

Tensor flatten_copy(const Tensor& input, Order order) {
  Tensor row = native::ravel(input, order);
  return shares_storage(row, input) ? tnp::clone(row, Order::C) : row;
}

Tensor unflatten(const Tensor& input, int64_t dim, IntList sizes) {
  int64_t axis = wrap_dim(dim, input.dim());
  TNP_CHECK(input.dim() > 0, ErrorKind::Shape, "unflatten() needs {input} with at least one dimension");
  DimVector parts = infer_shape(sizes, input.size(axis)), all(input.sizes().subspan(0, static_cast<size_t>(axis)));
  all.append(parts);
  all.append(input.sizes().subspan(static_cast<size_t>(axis) + 1));
  return tnp::reshape(input, all);
}

Tensor transpose(const Tensor& input, int64_t dim0, int64_t dim1) {
  int64_t a = wrap_dim(dim0, input.dim(), "dim0"), b = wrap_dim(dim1, input.dim(), "dim1");
  DimVector axes(static_cast<size_t>(input.dim()));
  std::iota(axes.begin(), axes.end(), 0);
  if (input.dim() > 0) std::swap(axes[static_cast<size_t>(a)], axes[static_cast<size_t>(b)]);
  return tnp::permute(input, axes);
}

Tensor transpose_axes(const Tensor& input, OptIntList axes) {
  if (!axes) return reversed_axes(input);
  TNP_CHECK(static_cast<int64_t>(axes->size()) == input.dim(), ErrorKind::Value, "axes don't match array");
  DimVector wrapped = wrap_dims(*axes, input.dim(), "axes");
  return tnp::permute(input, wrapped);
}

Tensor t(const Tensor& input) {
  TNP_CHECK(input.dim() <= 2, ErrorKind::Shape, "t() expects {input} with at most 2 dimensions, got ", input.dim());
  return input.dim() < 2 ? all_of(input) : tnp::permute(input, {1, 0});
}

Tensor matrix_transpose(const Tensor& input) {
  TNP_CHECK(input.dim() >= 2, ErrorKind::Shape, "Input array must be at least 2-dimensional, but it is ", input.dim());
  return native::transpose(input, -2, -1);
}

namespace {

// Raises PyTorch's error if two of `dims`, the argument `name` of movedim(), are one axis.
void check_not_repeated(const Tensor& input, IntList dims, const char* name) {
  DimVector axes;
  for (int64_t d : dims) {
    const int64_t axis = wrap_dim(d, input.dim(), name);
    TNP_CHECK(std::find(axes.begin(), axes.end(), axis) == axes.end(), ErrorKind::RepeatedAxis,
              "movedim: repeated dim in `{", name, "}` (", AsList{dims}, ")");
    axes.push_back(axis);
  }
}

}  // namespace

Tensor movedim(const Tensor& input, IntList source, IntList destination) {
  if (!dialect().errors_are_numpys()) {
    check_not_repeated(input, source, "source");
    check_not_repeated(input, destination, "destination");
  }
  DimVector from = wrap_dims(source, input.dim(), "source"), to = wrap_dims(destination, input.dim(), "destination");
  TNP_CHECK(from.size() == to.size(), ErrorKind::Shape,
            dialect().errors_are_numpys() ? "" : "movedim: Invalid source or destination dims: ",
            "{source} and {destination} must have the same number of elements, got ", source, " and ", destination);
  if (input.dim() == 0) return all_of(input);
  DimVector axes(static_cast<size_t>(input.dim()), -1);
  for (size_t i = 0; i < to.size(); ++i) axes[static_cast<size_t>(to[i])] = from[i];
  int64_t rest = 0;
  for (auto& axis : axes) {
    if (axis >= 0) continue;
    while (std::find(from.begin(), from.end(), rest) != from.end()) ++rest;
    axis = rest++;
  }
  return tnp::permute(input, axes);
}

Tensor rollaxis(const Tensor& input, int64_t dim, int64_t start) {
  int64_t ndim = input.dim(), axis = wrap_dim(dim, ndim), before = start < 0 ? start + ndim : start;
  TNP_CHECK(before >= 0 && before <= ndim, ErrorKind::Axis, "'start' arg requires ", -ndim, " <= start < ", ndim + 1,
            ", but ", start, " was passed in");
  if (axis < before) --before;
  return native::movedim(input, {axis}, {before});
}

Tensor squeeze(const Tensor& input, OptIntList dim) {
  DimVector axes;
  if (dim) {
    for (int64_t d : wrap_dims(*dim, input.dim())) {
      if (input.dim() > 0 && input.size(d) == 1) axes.push_back(d);
    }
  } else {
    for (int64_t d = 0; d < input.dim(); ++d) {
      if (input.size(d) == 1) axes.push_back(d);
    }
  }
  return axes.empty() ? all_of(input) : tnp::squeeze_dims(input, axes);
}

Tensor squeeze_strict(const Tensor& input, OptIntList dim) {
  if (!dim) return native::squeeze(input, dim);
  // As in NumPy: this function accepts axis 0 for a 0-d array, "for backwards compatibility
  // reasons".
  if (input.dim() == 0 && dim->size() == 1 && ((*dim)[0] == 0 || (*dim)[0] == -1)) return all_of(input);
  DimVector axes = wrap_dims(*dim, input.dim());
  for (int64_t d : axes) {
    TNP_CHECK(input.size(d) == 1, ErrorKind::Value,
              "cannot select an axis to squeeze out which has size not equal to one");
  }
  return axes.empty() ? all_of(input) : tnp::squeeze_dims(input, axes);
}

Tensor expand_as(const Tensor& input, const Tensor& other) { return tnp::expand(input, other.sizes()); }

Tensor broadcast_to(const Tensor& input, IntList size) { return tnp::expand(input, size); }

Tensor broadcast_to_readonly(const Tensor& input, IntList size) {
  for (int64_t n : size) {
    TNP_CHECK(n >= 0, ErrorKind::Value, "all elements of broadcast shape must be non-negative, got ", size);
  }
  Tensor view = tnp::expand(input, size);
  view.impl()->writeable = false;
  return view;
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  DimVector sizes;
  for (const Tensor& t : tensors) sizes = broadcast_shapes(sizes, t.sizes());
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) out.push_back(tnp::expand(t, sizes));
  return out;
}

Tensor narrow(const Tensor& input, int64_t dim, int64_t start, int64_t length) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Shape, "narrow() cannot be applied to a 0-dim tensor");
  int64_t axis = wrap_dim(dim, input.dim()), size = input.size(axis);
  TNP_CHECK(length >= 0, ErrorKind::Shape, "{length} must be non-negative, got ", length);
  TNP_CHECK(start >= -size && start <= size, ErrorKind::Index, "{start} ", start, " is out of bounds for axis ", axis,
            " with size ", size);
  if (start < 0) start += size;
  TNP_CHECK(length <= size - start, ErrorKind::Shape, "{start} (", start, ") + {length} (", length,
            ") exceeds dimension size (", size, ").");
  return tnp::slice(input, axis, start, length, 1);
}

std::vector<Tensor> unbind(const Tensor& input, int64_t dim) {
  TNP_CHECK(input.dim() > 0, dialect().errors_are_numpys() ? ErrorKind::Shape : ErrorKind::Index,
            "Input array must be at least 1-d.");
  int64_t axis = wrap_dim(dim, input.dim());
  std::vector<Tensor> out;
  out.reserve(static_cast<size_t>(input.size(axis)));
  for (int64_t i = 0; i < input.size(axis); ++i) out.push_back(tnp::select(input, axis, i));
  return several_views(std::move(out));
}

Tensor diagonal_readonly(const Tensor& input, int64_t offset, int64_t dim1, int64_t dim2) {
  Tensor view = tnp::diagonal(input, offset, dim1, dim2);
  view.impl()->writeable = false;
  return view;
}

Tensor flip(const Tensor& input, IntList dims) { return tnp::clone(tnp::flip_view(input, dims), Order::C); }

Tensor fliplr_view(const Tensor& input) {
  TNP_CHECK(input.dim() >= 2, ErrorKind::Shape, "Input must be >= 2-d.");
  return tnp::flip_view(input, IntList{1});
}

Tensor flipud_view(const Tensor& input) {
  TNP_CHECK(input.dim() >= 1, ErrorKind::Shape, "Input must be >= 1-d.");
  return tnp::flip_view(input, IntList{0});
}

Tensor fliplr(const Tensor& input) { return tnp::clone(native::fliplr_view(input), Order::C); }
Tensor flipud(const Tensor& input) { return tnp::clone(native::flipud_view(input), Order::C); }

Tensor rot90_view(const Tensor& input, int64_t k, IntList dims) {
  TNP_CHECK(dims.size() == 2, ErrorKind::Shape, "len({dims}) must be 2, got ", dims);
  int64_t ndim = input.dim();
  const auto [first, second] = std::minmax(dims[0], dims[1]);
  const uint64_t apart = static_cast<uint64_t>(second) - static_cast<uint64_t>(first);
  TNP_CHECK(apart != 0 && apart != static_cast<uint64_t>(ndim), ErrorKind::Shape, "{dims} must be different, got ",
            dims);
  for (int64_t d : dims) {
    TNP_CHECK(d >= -ndim && d < ndim, dialect().errors_are_numpys() ? ErrorKind::Shape : ErrorKind::Axis, "{dims} ",
              dims, " out of range for array of dimension ", ndim);
  }
  switch (((k % 4) + 4) % 4) {
    case 0:
      return all_of(input);
    case 2:
      return tnp::flip_view(input, dims);
    case 1:
      return tnp::transpose(tnp::flip_view(input, dims.subspan(1)), dims[0], dims[1]);
    default:
      return tnp::flip_view(tnp::transpose(input, dims[0], dims[1]), dims.subspan(1));
  }
}

Tensor rot90(const Tensor& input, int64_t k, IntList dims) {
  return tnp::clone(native::rot90_view(input, k, dims), Order::C);
}

namespace {

// Copies `source` to `out`, rotated by offsets[d] along each axis from `d` on. Each rotated axis is
// copied in two parts.
void copy_turned(const Tensor& out, const Tensor& source, const DimVector& offsets, size_t d) {
  while (d < offsets.size() && offsets[d] == 0) ++d;
  if (d == offsets.size()) return copy_into(out, source);
  auto axis = static_cast<int64_t>(d);
  int64_t head = offsets[d], tail = source.size(axis) - head;
  copy_turned(native::slice(out, axis, head, tail, 1), native::slice(source, axis, 0, tail, 1), offsets, d + 1);
  copy_turned(native::slice(out, axis, 0, head, 1), native::slice(source, axis, tail, head, 1), offsets, d + 1);
}

}  // namespace

Tensor roll(const Tensor& input, IntList shifts, OptIntList dims) {
  TNP_CHECK(!shifts.empty() || dialect().shifts_broadcast(), ErrorKind::Shape, "{shifts} required");
  if (!dims) {
    TNP_CHECK(shifts.size() == 1 || dialect().shifts_broadcast(), ErrorKind::Shape,
              "{shifts} must be one number where {dims} is None, got ", shifts);
    Tensor rows = input.is_contiguous() ? input : native::clone(input, Order::C, std::nullopt);
    Tensor out = empty_tensor(input.sizes(), input.dtype(), input.device());
    int64_t n = std::max<int64_t>(input.numel(), 1), total = 0;
    for (int64_t s : shifts) total = (total + s % n + n) % n;
    auto flat = [](const Tensor& t) { return view_of(t, {t.numel()}, {1}, t.address()); };
    copy_turned(flat(out), flat(rows), {total}, 0);
    return out;
  }
  size_t count = std::max(shifts.size(), dims->size());
  bool fit =
      shifts.size() == dims->size() || (dialect().shifts_broadcast() && (shifts.size() == 1 || dims->size() == 1));
  TNP_CHECK(fit, ErrorKind::Shape, "{shifts} and {dims} must align: {shifts} ", shifts, " and {dims} ", *dims,
            " must have the same length");
  DimVector offsets(static_cast<size_t>(input.dim()));
  for (size_t i = 0; i < count; ++i) {
    auto axis = static_cast<size_t>(wrap_dim((*dims)[dims->size() == 1 ? 0 : i], input.dim(), "dims"));
    if (input.dim() == 0) break;
    int64_t n = std::max<int64_t>(input.size(static_cast<int64_t>(axis)), 1);
    offsets[axis] = (offsets[axis] + shifts[shifts.size() == 1 ? 0 : i] % n + n) % n;
  }
  Tensor out = empty_in_order(input.sizes(), input.dtype(), input.device(), Order::K, input);
  if (out.numel() > 0) copy_turned(out, input, offsets, 0);
  return out;
}

Tensor real(const Tensor& input) { return input.is_complex() ? tnp::select(tnp::view_as_real(input), -1, 0) : input; }

Tensor imag(const Tensor& input) {
  if (input.is_complex()) return tnp::select(tnp::view_as_real(input), -1, 1);
  TNP_CHECK(dialect().real_numbers_have_imaginary_part(), ErrorKind::Type,
            "imag is not implemented for tensors with non-complex dtypes, got ", input.dtype());
  Tensor zeros = tnp::zeros_like(input);
  zeros.impl()->writeable = false;
  return zeros;
}

Tensor atleast_1d(const Tensor& input) { return input.dim() == 0 ? tnp::reshape(input, {1}) : input; }

Tensor atleast_2d(const Tensor& input) {
  return input.dim() == 0 ? tnp::reshape(input, {1, 1}) : input.dim() == 1 ? tnp::unsqueeze(input, 0) : input;
}

Tensor atleast_3d(const Tensor& input) {
  switch (input.dim()) {
    case 0:
      return tnp::reshape(input, {1, 1, 1});
    case 1:
      return tnp::expand_dims(input, {0, 2});
    case 2:
      return tnp::unsqueeze(input, 2);
    default:
      return input;
  }
}

}  // namespace tnp::native
