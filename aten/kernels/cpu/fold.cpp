// ufunc.reduce and ufunc.accumulate for operators that have no reduction of their own: rows of the input, one after the
// other, through the operator's loop.
#include <algorithm>
#include <cstring>
#include <vector>

#include "aten/core/element.h"
#include "aten/core/parallel.h"
#include "aten/kernels/fold_parts.h"

namespace tnp {

namespace folding {

// A row-major copy of `t` in `dtype`, with `first` as leading axes and the others behind, in order.
Tensor rows_of(const Tensor& t, const DimVector& first, ScalarType dtype) {
  DimVector sizes, strides;
  auto push = [&](int64_t d) {
    sizes.push_back(t.size(d));
    strides.push_back(t.stride(d));
  };
  for (int64_t d : first) push(d);
  for (int64_t d = 0; d < t.dim(); ++d)
    if (std::find(first.begin(), first.end(), d) == first.end()) push(d);
  Tensor rows = empty_tensor(sizes, dtype, t.device());
  copy_into(rows, view_of(t, sizes, strides, t.address()));
  return rows;
}

Tensor expand_to(const Tensor& t, IntList sizes) {
  DimVector strides(sizes.size(), 0);
  TNP_CHECK(broadcast_shapes(t.sizes(), sizes) == DimVector(sizes), ErrorKind::Shape, "{where} of shape ", t.sizes(),
            " does not broadcast to the shape ", sizes);
  size_t offset = sizes.size() - static_cast<size_t>(t.dim());
  for (size_t d = 0; d < static_cast<size_t>(t.dim()); ++d)
    strides[offset + d] = t.sizes()[d] == 1 ? 0 : t.strides()[d];
  return view_of(t, sizes, strides, t.address());
}

Tensor into(const Tensor& out, const Tensor& values, ScalarType dtype, const char* op) {
  if (!out.defined()) {
    if (values.dtype() == dtype) return values;
    Tensor result = empty_tensor(values.sizes(), dtype, values.device());
    copy_into(result, values);
    return result;
  }
  TNP_CHECK(out.sizes() == values.sizes(), ErrorKind::Shape, "output parameter for reduction operation ", op,
            " has shape ", out.sizes(), ", but the result has shape ", values.sizes());
  check_writeable(out, "output array");
  out.storage().bump_version();
  copy_into(out, values);
  return out;
}

void begin_with(const Tensor& total, const Scalar& initial, ScalarType result) {
  fill_with(total, promotion_rules() == PromotionRules::NumPy ? element_of(initial, result) : initial);
}

Reduction::Reduction(const char* op, const Tensor& input, const OptIntList& dim, bool keepdim, bool has_initial,
                     bool masked) {
  if (dim)
    axes = wrap_dims(*dim, input.dim());
  else
    for (int64_t d = 0; d < input.dim(); ++d) axes.push_back(d);
  std::sort(axes.begin(), axes.end());
  for (int64_t d = 0; d < input.dim(); ++d) {
    bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    (reduced ? rows : columns) *= input.size(d);
    if (!reduced || keepdim) shown.push_back(reduced ? 1 : input.size(d));
  }
  TNP_CHECK(has_initial || rows > 0, ErrorKind::Value, "zero-size array to reduction operation ", op,
            " which has no identity");
  TNP_CHECK(has_initial || !masked, ErrorKind::Value, "reduction operation '", op,
            "' does not have an identity, so to use a where mask one has to specify 'initial'");
}

std::vector<Segment> longest_first(IntList starts, int64_t n) {
  const auto count = static_cast<int64_t>(starts.size());
  std::vector<Segment> segments;
  for (int64_t i = 0; i < count; ++i) {
    int64_t start = starts[static_cast<size_t>(i)], end = i + 1 < count ? starts[static_cast<size_t>(i + 1)] : n;
    segments.push_back({start, std::max<int64_t>(end - start, 1), i});
  }
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Segment& a, const Segment& b) { return a.length > b.length; });
  return segments;
}

Tensor axis_first_to(const Tensor& rows, IntList sizes, int64_t dim) {
  DimVector strides;
  size_t next = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    strides.push_back(d == dim ? rows.strides()[0] : rows.strides()[next++]);
  return view_of(rows, sizes, strides, rows.address());
}

}  // namespace folding

using namespace folding;

Tensor fold(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
            const std::optional<Scalar>& initial, const Tensor& where, const Tensor& out) {
  if (!input.device().is_cpu())
    return fold_by_launches(op, input, dim, keepdim, dtype, initial, where, out, FoldOrder::LeftToRight);
  PointwiseFold fold = pointwise_fold(op, input, dtype);
  const bool masked = where.defined();
  const Reduction r(op.name, input, dim, keepdim, initial.has_value(), masked);
  const int64_t rows = r.rows, columns = r.columns;
  Tensor values = rows_of(input, r.axes, fold.compute);
  Tensor mask = masked ? rows_of(expand_to(where, input.sizes()), r.axes, ScalarType::Bool) : Tensor();
  Tensor total = empty_tensor(r.shown, fold.compute);
  int64_t itemsize = total.itemsize();
  if (initial) begin_with(total, *initial, fold.result);
  int64_t grain = std::max<int64_t>(static_cast<int64_t>(static_cast<double>(kParallelWork) /
                                                         (op.cost * static_cast<double>(std::max<int64_t>(rows, 1)))),
                                    1);
  parallel_for(0, columns, grain, [&](int64_t begin, int64_t end) {
    const int64_t strides[] = {itemsize, itemsize, itemsize};
    auto step = [&](int64_t row, int64_t from, int64_t to) {
      char* at = total.data() + from * itemsize;
      char* data[] = {at, at, values.data() + (row * columns + from) * itemsize};
      fold.loop(data, strides, to - from);
    };
    int64_t row = 0;
    if (!initial) {
      std::copy_n(values.data() + begin * itemsize, (end - begin) * itemsize, total.data() + begin * itemsize);
      row = 1;
    }
    for (; row < rows; ++row) {
      if (!masked) {
        step(row, begin, end);
        continue;
      }
      const auto* let = mask.data_ptr<uint8_t>() + row * columns;
      for (int64_t i = begin; i < end; ++i) {
        int64_t from = i;
        while (i < end && let[i]) ++i;
        if (i > from) step(row, from, i);
      }
    }
  });
  return into(out, total, fold.result, op.name);
}

Tensor fold_associative(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                        std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                        const Tensor& out) {
  if (!input.device().is_cpu())
    return fold_by_launches(op, input, dim, keepdim, dtype, initial, where, out, FoldOrder::Associative);
  return fold(op, input, dim, keepdim, dtype, initial, where, out);
}

Tensor fold_running(const PointwiseOp& op, const Tensor& input, int64_t dim, std::optional<ScalarType> dtype,
                    const Tensor& out) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Type, "cannot accumulate on a scalar");
  if (!input.device().is_cpu()) return fold_running_by_launches(op, input, dim, dtype, out, FoldOrder::LeftToRight);
  PointwiseFold fold = pointwise_fold(op, input, dtype);
  dim = wrap_dim(dim, input.dim());
  Tensor rows = rows_of(input, {dim}, fold.compute);
  int64_t n = input.size(dim), columns = n > 0 ? input.numel() / n : 0, itemsize = rows.itemsize();
  parallel_for(0, columns, std::max<int64_t>(kParallelWork / std::max<int64_t>(n, 1), 1),
               [&](int64_t begin, int64_t end) {
                 const int64_t strides[] = {itemsize, itemsize, itemsize};
                 for (int64_t k = 1; k < n; ++k) {
                   char* row = rows.data() + (k * columns + begin) * itemsize;
                   char* data[] = {row, row - columns * itemsize, row};
                   fold.loop(data, strides, end - begin);
                 }
               });
  Tensor view = axis_first_to(rows, input.sizes(), dim);
  Tensor result = out.defined() ? out : empty_tensor(input.sizes(), fold.result);
  return into(result, view, fold.result, op.name);
}

Tensor fold_running_associative(const PointwiseOp& op, const Tensor& input, int64_t dim,
                                std::optional<ScalarType> dtype, const Tensor& out) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Type, "cannot accumulate on a scalar");
  if (!input.device().is_cpu()) return fold_running_by_launches(op, input, dim, dtype, out, FoldOrder::Associative);
  return fold_running(op, input, dim, dtype, out);
}

// All segments go on together: the k-th rows of those that are that long, the longest first, pass through the loop at
// once.
Tensor fold_segments(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts,
                     std::optional<ScalarType> dtype, FoldOrder order) {
  if (!input.device().is_cpu()) return fold_segments_by_launches(op, input, dim, starts, dtype, order);
  PointwiseFold fold = pointwise_fold(op, input, dtype);
  dim = wrap_dim(dim, input.dim());
  const int64_t n = input.size(dim), count = static_cast<int64_t>(starts.size());
  Tensor rows = rows_of(input, {dim}, fold.compute);
  const int64_t columns = n > 0 ? input.numel() / n : 0, itemsize = rows.itemsize(), bytes = columns * itemsize;

  const std::vector<Segment> segments = longest_first(starts, n);

  DimVector shape(rows.sizes());
  shape[0] = count;
  Tensor total = empty_tensor(shape, fold.compute), next = empty_tensor(shape, fold.compute),
         ordered = empty_tensor(shape, fold.compute);
  auto copy_row = [bytes](char* to, const char* from) {
    if (bytes == 8)
      std::memcpy(to, from, 8);  // a constant size is one instruction
    else
      std::memcpy(to, from, static_cast<size_t>(bytes));
  };
  const int64_t strides[] = {itemsize, itemsize, itemsize};
  size_t active = segments.size();
  for (int64_t k = 0; active > 0; ++k) {
    char* to = k == 0 ? total.data() : next.data();
    for (size_t i = 0; i < active; ++i, to += bytes) copy_row(to, rows.data() + (segments[i].start + k) * bytes);
    char* data[] = {total.data(), total.data(), next.data()};
    if (k > 0) fold.loop(data, strides, static_cast<int64_t>(active) * columns);
    while (active > 0 && segments[active - 1].length == k + 1) --active;
  }
  for (size_t i = 0; i < segments.size(); ++i) {
    copy_row(ordered.data() + segments[i].place * bytes, total.data() + static_cast<int64_t>(i) * bytes);
  }
  DimVector sizes(input.sizes());
  sizes[static_cast<size_t>(dim)] = count;
  if (dim == 0) return into(Tensor(), ordered, fold.result, op.name);
  return into(empty_tensor(sizes, fold.result), axis_first_to(ordered, sizes, dim), fold.result, op.name);
}

}  // namespace tnp
