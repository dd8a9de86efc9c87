// ufunc.reduce, accumulate and reduceat for operators without a dedicated reduction.
#include <algorithm>
#include <array>
#include <vector>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/element.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/cpu/reduction/fold.h"
#include "aten/ops/reduction/fold.h"
#include "aten/ops/reduction/fold_parts.h"
#include "aten/ops/reduction/fold_runs.h"

namespace tnp {

namespace folding {

// See fold_parts.h.
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
  copy_into(out, values);
  return out;
}

void begin_with(const Tensor& total, const Scalar& initial, ScalarType result) {
  fill_with(total, dialect().initial_is_cast_to_result() ? element_of(initial, result) : initial);
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

namespace {

// Whether the operator has a check that applies to `rows`. Checks apply to integers only, and they
// read the elements.
bool is_checked(const PointwiseOp& op, const Tensor& rows) {
  return op.check != nullptr && is_integral(rows.dtype()) && !rows.device().is_meta();
}

}  // namespace

void check_right_operands(const PointwiseOp& op, const Tensor& rows, const Tensor& mask) {
  if (!is_checked(op, rows)) return;
  const Tensor selected = mask.defined() ? tnp::where(mask, rows, wrapped_number(Scalar(0))) : rows;
  op.check(std::array{selected, selected}, rows.dtype());
}

void check_reduction(const PointwiseOp& op, const Reduction& r, const Tensor& values, const Tensor& mask,
                     bool has_initial) {
  if (!is_checked(op, values)) return;
  const int64_t sizes[] = {r.rows, r.columns}, strides[] = {r.columns, 1}, first = has_initial ? 0 : 1;
  auto right = [&](const Tensor& t) {
    return t.defined() ? rows_from(view_of(t, sizes, strides, t.address()), first, r.rows - first) : Tensor();
  };
  check_right_operands(op, right(values), right(mask));
}

void check_segments(const PointwiseOp& op, const Tensor& rows, const std::vector<FoldSegment>& segments) {
  if (!is_checked(op, rows)) return;
  std::vector<int64_t> right;
  for (const FoldSegment& s : segments)
    for (int64_t i = 1; i < s.length; ++i) right.push_back(s.start + i);
  check_right_operands(op, pick(rows, integers_on(rows.device(), right)));
}

std::vector<FoldSegment> longest_first(IntList starts, int64_t n) {
  const auto count = static_cast<int64_t>(starts.size());
  std::vector<FoldSegment> segments;
  for (int64_t i = 0; i < count; ++i) {
    int64_t start = starts[static_cast<size_t>(i)], end = i + 1 < count ? starts[static_cast<size_t>(i + 1)] : n;
    segments.push_back({start, std::max<int64_t>(end - start, 1), i});
  }
  std::stable_sort(segments.begin(), segments.end(),
                   [](const FoldSegment& a, const FoldSegment& b) { return a.length > b.length; });
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
  if (runs_by_launches(input.device()))
    return fold_by_launches(op, input, dim, keepdim, dtype, initial, where, out, FoldOrder::LeftToRight);
  const FoldChoice fold = choose_fold(op, input, dtype);
  const bool masked = where.defined();
  const Reduction r(op.name, input, dim, keepdim, initial.has_value(), masked);
  Tensor values = rows_of(input, r.axes, fold.compute);
  Tensor mask = masked ? rows_of(expand_to(where, input.sizes()), r.axes, ScalarType::Bool) : Tensor();
  Tensor total = empty_tensor(r.shown, fold.compute);
  if (initial) begin_with(total, *initial, fold.result);
  check_reduction(op, r, values, mask, initial.has_value());
  const FloatingPointWatch watch(op.watched_as ? "reduce" : nullptr);
  fold_rows_cpu(*fold.loop, op.cost, values, mask, total, initial.has_value());
  return into(out, total, fold.result, op.name);
}

Tensor fold_associative(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                        std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                        const Tensor& out) {
  if (runs_by_launches(input.device()))
    return fold_by_launches(op, input, dim, keepdim, dtype, initial, where, out, FoldOrder::Associative);
  return fold(op, input, dim, keepdim, dtype, initial, where, out);
}

Tensor fold_running(const PointwiseOp& op, const Tensor& input, int64_t dim, std::optional<ScalarType> dtype,
                    const Tensor& out) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Type, "cannot accumulate on a scalar");
  if (runs_by_launches(input.device()))
    return fold_running_by_launches(op, input, dim, dtype, out, FoldOrder::LeftToRight);
  const FoldChoice fold = choose_fold(op, input, dtype);
  dim = wrap_dim(dim, input.dim());
  Tensor rows = rows_of(input, {dim}, fold.compute);
  if (rows.size(0) > 0) check_right_operands(op, rows_from(rows, 1, rows.size(0) - 1));
  const FloatingPointWatch watch(op.watched_as ? "accumulate" : nullptr);
  fold_running_cpu(*fold.loop, rows, fold.result);
  Tensor view = axis_first_to(rows, input.sizes(), dim);
  Tensor result = out.defined() ? out : empty_tensor(input.sizes(), fold.result);
  return into(result, view, fold.result, op.name);
}

Tensor fold_running_associative(const PointwiseOp& op, const Tensor& input, int64_t dim,
                                std::optional<ScalarType> dtype, const Tensor& out) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Type, "cannot accumulate on a scalar");
  if (runs_by_launches(input.device()))
    return fold_running_by_launches(op, input, dim, dtype, out, FoldOrder::Associative);
  return fold_running(op, input, dim, dtype, out);
}

Tensor fold_segments(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts,
                     std::optional<ScalarType> dtype, FoldOrder order) {
  if (runs_by_launches(input.device())) return fold_segments_by_launches(op, input, dim, starts, dtype, order);
  const FoldChoice fold = choose_fold(op, input, dtype);
  dim = wrap_dim(dim, input.dim());
  const int64_t count = static_cast<int64_t>(starts.size());
  Tensor rows = rows_of(input, {dim}, fold.compute);
  DimVector shape(rows.sizes());
  shape[0] = count;
  Tensor ordered = empty_tensor(shape, fold.compute);
  const std::vector<FoldSegment> segments = longest_first(starts, input.size(dim));
  check_segments(op, rows, segments);
  const FloatingPointWatch watch(op.watched_as ? "reduceat" : nullptr);
  fold_segments_cpu(*fold.loop, rows, segments, ordered);
  DimVector sizes(input.sizes());
  sizes[static_cast<size_t>(dim)] = count;
  if (dim == 0) return into(Tensor(), ordered, fold.result, op.name);
  return into(empty_tensor(sizes, fold.result), axis_first_to(ordered, sizes, dim), fold.result, op.name);
}

}  // namespace tnp
