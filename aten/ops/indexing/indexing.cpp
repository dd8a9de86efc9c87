// Operators that select elements by integer arrays and masks. All of them call index() and
// put_indexed_(), whose kernels and gradients are written once: see Note [Index arrays].
#include "aten/ops/indexing/indexing.h"

#include <algorithm>
#include <string>

#include "aten/core/errors/dtype_names.h"
#include "aten/core/errors/pending_warnings.h"
#include "aten/core/errors/shape_errors.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/iterator/layout.h"
#include "aten/iterator/overlap.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions/indexing.h"
#include "aten/ops/copying/beside.h"

namespace tnp {

std::vector<Tensor> mask_indices(const Tensor& mask) {
  return is_bool(mask.dtype()) ? tnp::true_indices(mask) : tnp::nonzero_tuple(mask);
}

void check_mask_shape(const Tensor& input, const Tensor& mask, int64_t first) {
  if (first + mask.dim() > input.dim()) raise_too_many_indices(input.dim(), first + mask.dim());
  const bool empty_fits = dialect().empty_mask_fits_any_axis();
  for (int64_t d = 0; d < mask.dim(); ++d) {
    if (mask.size(d) == input.size(first + d) || (empty_fits && mask.size(d) == 0)) continue;
    TNP_CHECK(dialect().errors_are_numpys(), ErrorKind::Index, "The shape of the mask ", AsList{mask.sizes()},
              " at index ", d, " does not match the shape of the indexed tensor ", AsList{input.sizes()}, " at index ",
              first + d);
    TNP_RAISE(ErrorKind::Index, "boolean index did not match indexed array along axis ", first + d,
              "; size of axis is ", input.size(first + d), " but size of corresponding boolean axis is ", mask.size(d));
  }
}

Tensor number_like(const Tensor& t, const Scalar& value) {
  check_fits(value, t.dtype());
  return scalar_tensor(value, t.dtype(), t.device());
}

void warn_of_expanded(const Tensor& changed, const char* op) {
  if (TNP_LIKELY(changed.is_contiguous()) || !dialect().changes_apart()) return;
  for (size_t d = 0; d < changed.sizes().size(); ++d) {
    if (changed.sizes()[d] <= 1 || changed.strides()[d] != 0) continue;
    return warn_caller(std::string("Use of ") + op +
                       " on expanded tensors is deprecated. Please clone() the tensor before performing this "
                       "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor");
  }
}

IndexMode parse_mode(std::optional<std::string_view> given) {
  const std::string_view mode = given.value_or("raise");
  if (mode == "raise") return IndexMode::Raise;
  if (mode == "wrap") return IndexMode::Wrap;
  TNP_CHECK(mode == "clip", ErrorKind::Value, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '", mode, "')");
  return IndexMode::Clip;
}

namespace native {

namespace {

Tensor flat(const Tensor& t) { return tnp::reshape(t, {-1}); }

// Checks indices and returns them on `device`. Accepts integers of any width and bools, as NumPy's
// take() and put() do, and an empty float tensor, since an empty list becomes one. Indices on the
// CPU may index a tensor on another device.
Tensor as_indices(const Tensor& given, const char* name, Device device) {
  const Tensor index = beside(device, given);
  if (index.numel() == 0 && is_floating(index.dtype()))
    return empty_tensor(index.sizes(), ScalarType::Int64, index.device());
  TNP_CHECK(is_integral(index.dtype()), ErrorKind::Type, "{", name, "}: Cannot cast array data from dtype('",
            index.dtype(), "') to dtype('int64') according to the rule 'safe'");
  return index.dtype() == ScalarType::Bool ? tnp::cast(index, ScalarType::Int64) : index;
}

// Wraps or clips indices into the range 0 to `size` - 1 for the modes 'wrap' and 'clip'. In mode
// 'raise', returns `index` unchanged.
Tensor in_range(const Tensor& index, int64_t size, IndexMode mode) {
  if (mode == IndexMode::Raise || size == 0) return index;
  Tensor out = empty_tensor(index.sizes(), ScalarType::Int64, index.device());
  copy_into(out, index);
  if (mode == IndexMode::Clip) return tnp::clamp(out, Scalar(0), Scalar(size - 1));
  return tnp::remainder(out, wrapped_number(Scalar(size)));
}

// The numbers 0 to n - 1 along axis `dim`, in a tensor with `ndim` axes. All other axes have size
// 1.
Tensor positions_along(int64_t n, int64_t dim, int64_t ndim, Device device) {
  DimVector sizes(static_cast<size_t>(ndim), 1);
  sizes[static_cast<size_t>(dim)] = n;
  return tnp::reshape(tnp::arange(Scalar(n), ScalarType::Int64, device), sizes);
}

// The index arrays, one per axis, by which index() selects as take_along_dim() does: `index` for
// axis `dim`, and the element's own position for each other axis.
std::vector<Tensor> along(const Tensor& input, const Tensor& index, int64_t dim) {
  std::vector<Tensor> indices;
  indices.reserve(static_cast<size_t>(input.dim()));
  for (int64_t d = 0; d < input.dim(); ++d) {
    indices.push_back(d == dim ? index : positions_along(input.size(d), d, input.dim(), input.device()));
  }
  return indices;
}

void check_along(const Tensor& input, const Tensor& index, bool flattened) {
  TNP_CHECK(is_integer(index.dtype()), ErrorKind::Index, "{indices} must be an integer array");
  TNP_CHECK(!flattened || index.dim() == 1, ErrorKind::Value,
            "when {dim}=None, {indices} must have a single dimension.");
  TNP_CHECK(flattened || input.dim() == index.dim(), ErrorKind::Value,
            "{indices} and {input} must have the same number of dimensions");
}

// Converts masks to integer tensors, one per axis of the mask.
std::vector<Tensor> without_masks(const Tensor& self, TensorList indices) {
  std::vector<Tensor> out;
  for (const Tensor& i : indices) {
    const bool bytes = i.defined() && i.dtype() == ScalarType::UInt8 && !dialect().errors_are_numpys();
    if (!i.defined() || !(bytes || is_bool(i.dtype()))) {
      out.push_back(i);
      continue;
    }
    if (bytes) warn_caller("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
    check_mask_shape(self, i, static_cast<int64_t>(out.size()));
    for (Tensor& axis : mask_indices(bytes ? tnp::cast(i, ScalarType::Bool) : i)) out.push_back(std::move(axis));
  }
  return out;
}

}  // namespace

void gather_line_composite(const Tensor& input, const Tensor& index, const Tensor& out) {
  copy_into(out, tnp::index(input, TensorList(&index, 1), 0));
}

std::vector<Tensor> true_indices_composite(const Tensor& mask) { return tnp::nonzero_tuple(mask); }

bool is_all_true_composite(const Tensor& mask) { return tnp::all(mask, std::nullopt, false).item<bool>(); }

Tensor select_rows_composite(const Tensor& rows, const Tensor& mask) {
  return tnp::index(rows, tnp::true_indices(mask), 0);
}

bool put_rows_composite(const Tensor& self, const Tensor& mask, const Tensor& values) {
  const std::vector<Tensor> places = tnp::true_indices(mask);
  if (places[0].numel() != values.size(0)) return false;
  tnp::put_indexed_(self, places, values, false, 0);
  return true;
}

const Tensor& index_put_(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  TNP_CHECK(values.dtype() == self.dtype() || dialect().errors_are_numpys(), ErrorKind::Dtype,
            "{values} must be of {self}'s dtype ", self.dtype(), ", not of ", values.dtype());
  warn_of_expanded(self, "index_put_");
  check_no_overlap(self, values);
  for (const Tensor& i : indices)
    if (i.defined()) check_no_overlap(self, i);
  return tnp::put_indexed_(self, without_masks(self, indices), values, accumulate, -1);
}

Tensor take(const Tensor& input, const Tensor& index, std::optional<int64_t> dim,
            std::optional<std::string_view> mode) {
  Tensor from = !dim || input.dim() == 0 ? flat(input) : input;
  int64_t axis = dim ? wrap_dim(*dim, std::max<int64_t>(input.dim(), 1)) : 0;
  TNP_CHECK(dim || dialect().errors_are_numpys() || index.dtype() == ScalarType::Int64, ErrorKind::Dtype,
            "expected {index} of int64, not of ", index.dtype());
  Tensor places = as_indices(index, "index", input.device());
  TNP_CHECK(from.size(axis) > 0 || places.numel() == 0, ErrorKind::Index,
            "cannot do a non-empty take from an empty axes.");
  std::vector<Tensor> indices(static_cast<size_t>(axis + 1));
  indices.back() = in_range(places, from.size(axis), parse_mode(mode));
  return tnp::index(from, indices, axis);
}

Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index) {
  TNP_CHECK(index.dim() <= 1, ErrorKind::Index, "{index} is supposed to be a vector");
  TNP_CHECK(is_integer(index.dtype()), ErrorKind::Dtype, "expected {index} of an integer dtype, not ", index.dtype());
  const Tensor from = input.dim() == 0 ? flat(input) : input;
  const int64_t axis = wrap_dim(dim, from.dim());
  std::vector<Tensor> places(static_cast<size_t>(axis + 1));
  places.back() = flat(index);
  const Tensor chosen = tnp::index(from, places, axis, static_cast<int64_t>(Counting::FromStart));
  return input.dim() == 0 ? tnp::reshape(chosen, DimVector{}) : chosen;
}

Tensor take_along_axis_np(const Tensor& input, const Tensor& indices, std::optional<int64_t> dim) {
  Tensor from = dim ? input : flat(input);
  check_along(from, indices, !dim);
  int64_t axis = dim ? wrap_dim(*dim, from.dim()) : 0;
  return tnp::index(from, along(from, indices, axis), 0);
}

Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<int64_t> dim) {
  TNP_CHECK(indices.dtype() == ScalarType::Int64, ErrorKind::Dtype, "dtype of {indices} should be Long but got ",
            InTorch{indices.dtype()});
  TNP_CHECK(!dim || input.dim() == indices.dim(), ErrorKind::Shape,
            "{input} and {indices} should have the same number of dimensions, but got ", input.dim(),
            " dimensions for {input}, and ", indices.dim(), " dimensions for {indices}");
  return native::take_along_axis_np(input, dim ? indices : flat(indices), dim);
}

}  // namespace native

Tensor choose_along(const Tensor& input, const Tensor& index, int64_t dim, Counting counting) {
  return tnp::index(input, native::along(input, index, dim), 0, static_cast<int64_t>(counting));
}

namespace native {

Tensor gather(const Tensor& input, int64_t dim, const Tensor& index) {
  TNP_CHECK(is_integer(index.dtype()), ErrorKind::Dtype, "expected {index} of an integer dtype, not ", index.dtype());
  int64_t axis = wrap_dim(dim, input.dim());
  if (index.numel() == 0 && index.dim() != input.dim())
    return tnp::reshape(tnp::narrow(flat(input), 0, 0, 0), index.sizes());
  if (input.dim() == 0 || index.dim() == 0) {
    TNP_CHECK(input.dim() <= 1 && index.dim() <= 1, ErrorKind::Shape,
              "{index} must have the same number of dimensions as {input}");
    return tnp::reshape(choose_along(flat(input), flat(index), 0, Counting::FromStartElseRuntime), index.sizes());
  }
  TNP_CHECK(input.dim() == index.dim(), ErrorKind::Shape, "{index} must have the same number of dimensions as {input}");
  Tensor from = input;
  for (int64_t d = 0; d < input.dim(); ++d) {
    TNP_CHECK(d == axis || index.size(d) <= input.size(d), ErrorKind::Shape, "size does not match at dimension ", d,
              ": {index} ", index.sizes(), " is larger than {input} ", input.sizes(), " apart from dimension ", axis);
    if (d != axis && index.size(d) < from.size(d)) from = tnp::narrow(from, d, 0, index.size(d));
  }
  return choose_along(from, index, axis, Counting::FromStartElseRuntime);
}

namespace {

// Removes leading axes of size 1 until at most `ndim` axes are left, since values that are assigned
// may have such extra axes.
Tensor without_leading_ones(Tensor t, int64_t ndim) {
  while (t.dim() > ndim && t.size(0) == 1) t = tnp::select(t, 0, 0);
  return t;
}

}  // namespace

void put_along_dim_(const Tensor& self, const Tensor& indices, const Tensor& values, std::optional<int64_t> dim) {
  check_writeable(self, "assignment destination");
  if (!dim) {
    check_along(self, indices, true);
    native::put_repeated_(self, indices, tnp::expand(without_leading_ones(values, 1), indices.sizes()), "raise");
    return;
  }
  check_along(self, indices, false);
  int64_t axis = wrap_dim(*dim, self.dim());
  tnp::put_indexed_(self, along(self, indices, axis), without_leading_ones(values, self.dim()), false, 0);
}

Tensor masked_select(const Tensor& input, const Tensor& mask) {
  TNP_CHECK(is_bool(mask.dtype()), ErrorKind::Dtype, "masked_select: expected BoolTensor for {mask}, not ",
            mask.dtype());
  DimVector shape = broadcast_shapes(input.sizes(), mask.sizes());
  Tensor from = flat(tnp::expand(input, shape));
  return tnp::index(from, mask_indices(flat(tnp::expand(mask, shape))), 0);
}

namespace {

void check_mask(const Tensor& mask, const Tensor& value) {
  TNP_CHECK(is_bool(mask.dtype()), ErrorKind::Dtype, "only supports boolean masks, but got {mask} of ", mask.dtype());
  TNP_CHECK(value.dim() == 0, ErrorKind::Shape, "{value} must be 0-d, not of shape ", value.sizes());
}

}  // namespace

Tensor masked_fill(const Tensor& input, const Tensor& mask, const Tensor& value) {
  check_mask(mask, value);
  check_number_fits(value, input.dtype());
  return tnp::where(mask, tnp::cast(value, input.dtype()), input);
}
Tensor masked_fill_scalar(const Tensor& input, const Tensor& mask, const Scalar& value) {
  return tnp::masked_fill(input, mask, number_like(input, value));
}
const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value) {
  check_mask(mask, value);
  check_number_fits(value, self.dtype());
  warn_of_expanded(self, "masked_fill_");
  check_apart(self, mask);
  tnp::copyto(self, tnp::cast(value, self.dtype()), Casting::Unsafe, tnp::expand(mask, self.sizes()));
  return self;
}
const Tensor& masked_fill__scalar(const Tensor& self, const Tensor& mask, const Scalar& value) {
  return tnp::masked_fill_(self, mask, number_like(self, value));
}

Tensor compress(const Tensor& condition, const Tensor& input, std::optional<int64_t> dim) {
  TNP_CHECK(condition.dim() == 1, ErrorKind::Value, "{condition} must be a 1-d array");
  return tnp::take(input, mask_indices(condition)[0], dim, "raise");
}

Tensor extract(const Tensor& condition, const Tensor& input) {
  return tnp::take(flat(input), mask_indices(flat(condition))[0], 0, "raise");
}

void put_repeated_(const Tensor& self, const Tensor& index, const Tensor& values,
                   std::optional<std::string_view> mode) {
  check_writeable(self, "assignment destination");
  Tensor places = flat(as_indices(index, "index", self.device()));
  IndexMode out_of_range = parse_mode(mode);
  TNP_CHECK(self.numel() > 0 || places.numel() == 0, ErrorKind::Index, "cannot replace elements of an empty array");
  places = in_range(places, self.numel(), out_of_range);
  Tensor from = beside(self.device(), flat(values));
  if (places.numel() == 0 || from.numel() == 0) return;
  // NumPy repeats the values if there are fewer values than indices, and ignores surplus values
  if (from.numel() != places.numel() && from.numel() != 1) {
    Tensor again = positions_along(places.numel(), 0, 1, places.device());
    from = tnp::take(from, again, 0, "wrap");
  }
  if (self.is_contiguous()) {
    std::vector<Tensor> indices{places};
    tnp::put_indexed_(flat(self), indices, from, false, 0);
    return;
  }
  // If `self` has gaps, it cannot be viewed as a vector. So each flat index is converted to one
  // index per axis.
  const int64_t size = self.numel();
  Tensor wide = tnp::cast(places, ScalarType::Int64);
  int64_t lowest = 0;
  if (!wide.device().is_meta()) {
    lowest = tnp::min(wide).item<int64_t>();
    wrap_index(lowest, 0, size);
    wrap_index(tnp::max(wide).item<int64_t>(), 0, size);
  }
  if (lowest < 0) wide = tnp::remainder(wide, wrapped_number(Scalar(size)));
  std::vector<Tensor> indices(static_cast<size_t>(self.dim()));
  for (int64_t d = self.dim(); d-- > 0;) {
    const Tensor extent = wrapped_number(Scalar(self.size(d)));
    indices[static_cast<size_t>(d)] = tnp::remainder(wide, extent);
    wide = tnp::floor_divide(wide, extent);
  }
  tnp::put_indexed_(self, indices, from, false, 0);
}

}  // namespace native
}  // namespace tnp
