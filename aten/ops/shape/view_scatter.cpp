// Copies of a tensor in which a view is replaced (slice_scatter and others), and writes to
// diagonals.
#include <algorithm>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/numbers/range.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/scatter.h"

namespace tnp::native {

namespace {

// Copies `src` to `view`, a view of `out`, and returns `out`.
Tensor replaced(const Tensor& out, const Tensor& view, const Tensor& src) {
  TNP_CHECK(view.sizes() == src.sizes(), ErrorKind::Shape, "{src} has the shape ", src.sizes(),
            ", but the view that it replaces has ", view.sizes());
  tnp::copy_(view, src, false);
  return out;
}

}  // namespace

Tensor slice_scatter(const Tensor& input, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  const int64_t axis = wrap_dim(dim, input.dim());
  TNP_CHECK(input.dim() > 0, ErrorKind::Index, "slice_scatter() cannot be applied to a 0-dim tensor");
  TNP_CHECK(step > 0, ErrorKind::Domain, "{step} must be positive, but is ", step);
  const int64_t n = input.size(axis);
  auto wrapped = [n](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n); };
  const int64_t first = wrapped(start.value_or(0)), last = std::max(first, wrapped(end.value_or(n)));
  const Tensor out = tnp::clone(input);
  return replaced(out, tnp::slice(out, axis, first, (last - first + step - 1) / step, step), src);
}

Tensor select_scatter(const Tensor& input, const Tensor& src, int64_t dim, int64_t index) {
  const Tensor out = tnp::clone(input);
  return replaced(out, tnp::select(out, dim, index), src);
}

Tensor diagonal_scatter(const Tensor& input, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  const Tensor out = tnp::clone(input);
  return replaced(out, tnp::diagonal(out, offset, dim1, dim2), src);
}

// The copy has the memory layout of `input` including gaps between elements, because elements of
// the replaced view may be in the gaps.
Tensor as_strided_scatter(const Tensor& input, const Tensor& src, IntList size, IntList stride,
                          std::optional<int64_t> storage_offset) {
  const int64_t first = input.storage_offset(), offset = storage_offset.value_or(first);
  tnp::as_strided(input, size, stride, offset);  // raises an error if the view exceeds the memory of `input`
  Tensor memory = tnp::clone(input), own = memory;
  const bool same = first == 0 && memory.strides() == input.strides();
  int64_t end = memory.numel();
  const auto range = byte_range(size, stride, 1, 1);
  if (!same || offset + (range ? range->high : 0) > end) {
    const auto covered = byte_range(input.sizes(), input.strides(), 1, 1);
    end = std::max(first + (covered ? covered->high : 0), offset + (range ? range->high : 0));
    memory = tnp::clone(tnp::as_strided(input, DimVector{end}, DimVector{1}, 0), Order::C);
    own = tnp::as_strided(memory, input.sizes(), input.strides(), first);
  }
  return replaced(own, tnp::as_strided(memory, size, stride, offset), src);
}

Tensor diag_embed(const Tensor& input, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t ndim = input.dim() + 1, rows = wrap_dim(dim1, ndim, "dim1"), columns = wrap_dim(dim2, ndim, "dim2");
  TNP_CHECK(rows != columns, ErrorKind::RepeatedAxis, "{dim1} and {dim2} cannot be the same, got ", dim1, " and ",
            dim2);
  TNP_CHECK(input.dim() > 0, ErrorKind::Index, "diag_embed() needs an {input} of one dimension at least");
  int64_t n = 0;
  const bool overflow = offset == INT64_MIN || __builtin_add_overflow(input.size(-1), std::abs(offset), &n);
  TNP_CHECK(!overflow, ErrorKind::Runtime, "{offset} ", offset, " is too large for {input} of shape ", input.sizes());
  DimVector sizes(input.sizes());
  sizes.pop_back();
  for (int64_t axis : {std::min(rows, columns), std::max(rows, columns)}) sizes.insert(static_cast<size_t>(axis), n);
  const Tensor out = tnp::zeros(sizes, input.dtype(), input.device());
  return replaced(out, tnp::diagonal(out, offset, rows, columns), input);
}

const Tensor& fill_diagonal_(const Tensor& self, const Scalar& fill_value, bool wrap) {
  TNP_CHECK(self.dim() >= 2, ErrorKind::Shape, "{self} must have two dimensions at least, but its shape is ",
            self.sizes());
  check_fits(fill_value, self.dtype());
  const Tensor value = scalar_tensor(fill_value, self.dtype(), self.device());
  if (self.dim() == 2) {
    // With `wrap`, the diagonal of a tall matrix starts again after each square block. One row
    // without a diagonal element separates the blocks.
    const int64_t block = self.size(1) + 1;
    for (int64_t row = 0; row < self.size(0) && (row == 0 || wrap); row += block)
      tnp::copy_(tnp::diagonal(tnp::narrow(self, 0, row, self.size(0) - row)), value, false);
    return self;
  }
  TNP_CHECK(std::ranges::all_of(self.sizes(), [&](int64_t n) { return n == self.size(0); }), ErrorKind::Shape,
            "all dimensions of {self} must be equal, but its shape is ", self.sizes());
  Tensor diagonal = self;
  while (diagonal.dim() > 1) diagonal = tnp::diagonal(diagonal, 0, 0, diagonal.dim() - 1);
  tnp::copy_(diagonal, value, false);
  return self;
}

}  // namespace tnp::native
