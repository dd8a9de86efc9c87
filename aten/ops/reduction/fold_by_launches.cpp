// reduce, accumulate and reduceat on devices with kernel launches: Note [Folds by launches].
#include <algorithm>

#include "aten/dispatch/pointwise_choice.h"
#include "aten/functions/comparison.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/ops/reduction/fold.h"
#include "aten/ops/reduction/fold_parts.h"
#include "aten/ops/reduction/fold_runs.h"

namespace tnp {

using namespace folding;

namespace {

Tensor in_shape(const Tensor& t, IntList sizes) { return view_of(t, sizes, contiguous_strides(sizes), t.address()); }

// Returns a view of `count` rows of `rows`: first, first + 2, first + 4, ...
Tensor every_second(const Tensor& rows, int64_t first, int64_t count) {
  return view_of(rows, {count, rows.size(1)}, {2 * rows.stride(0), 1}, rows.address() + first * rows.byte_stride(0));
}

// Folds rows of shape (n, columns), n >= 1, to (1, columns) by repeatedly combining neighbouring
// rows. With a mask, combines only elements where the mask is true. On return, `mask` is true for
// each column with at least one such element.
Tensor fold_pairs(const PointwiseLoop& loop, Tensor rows, Tensor& mask) {
  for (int64_t n = rows.size(0); n > 1; n = rows.size(0)) {
    const int64_t pairs = n / 2;
    auto halve = [&](const Tensor& t) { return empty_tensor({n - pairs, t.size(1)}, t.dtype(), t.device()); };
    Tensor next = halve(rows);
    const Tensor to = rows_from(next, 0, pairs), left = every_second(rows, 0, pairs),
                 right = every_second(rows, 1, pairs);
    if (n % 2 == 1) copy_into(rows_from(next, pairs, 1), rows_from(rows, n - 1, 1));
    if (mask.defined()) {
      Tensor next_mask = halve(mask);
      const Tensor has_left = every_second(mask, 0, pairs), has_right = every_second(mask, 1, pairs);
      copy_into(to, tnp::where(has_left, left, right));
      launch_step(loop, to, left, right, tnp::logical_and(has_left, has_right));
      copy_into(rows_from(next_mask, 0, pairs), tnp::logical_or(has_left, has_right));
      if (n % 2 == 1) copy_into(rows_from(next_mask, pairs, 1), rows_from(mask, n - 1, 1));
      mask = next_mask;
    } else {
      launch_step(loop, to, left, right);
    }
    rows = next;
  }
  return rows;
}

}  // namespace

Tensor fold_by_launches(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                        std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                        const Tensor& out, FoldOrder order) {
  const FoldChoice fold = choose_fold(op, input, dtype);
  const Reduction r(op.name, input, dim, keepdim, initial.has_value(), where.defined());
  Tensor total = empty_tensor(r.shown, fold.compute, input.device());
  if (initial) begin_with(total, *initial, fold.result);
  if (r.rows > 0 && r.columns > 0) {
    const PointwiseLoop& loop = *fold.loop;
    const Tensor line = in_shape(total, {1, r.columns});
    Tensor rows = in_shape(rows_of(input, r.axes, fold.compute), {r.rows, r.columns}), mask;
    if (where.defined())
      mask = in_shape(rows_of(expand_to(where, input.sizes()), r.axes, ScalarType::Bool), {r.rows, r.columns});
    check_reduction(op, r, rows, mask, initial.has_value());
    if (order == FoldOrder::Associative) rows = fold_pairs(loop, rows, mask);
    int64_t row = 0;
    if (!initial) copy_into(line, rows_from(rows, row++, 1));
    for (; row < rows.size(0); ++row)
      launch_step(loop, line, line, rows_from(rows, row, 1), mask.defined() ? rows_from(mask, row, 1) : Tensor());
  }
  return into(out, total, fold.result, op.name);
}

Tensor fold_running_by_launches(const PointwiseOp& op, const Tensor& input, int64_t dim,
                                std::optional<ScalarType> dtype, const Tensor& out, FoldOrder order) {
  const FoldChoice fold = choose_fold(op, input, dtype);
  const PointwiseLoop& loop = *fold.loop;
  dim = wrap_dim(dim, input.dim());
  Tensor rows = rows_of(input, {dim}, fold.compute);
  const int64_t n = input.size(dim);
  if (n > 0) check_right_operands(op, rows_from(rows, 1, n - 1));
  if (order == FoldOrder::LeftToRight) {
    for (int64_t k = 1; k < n; ++k)
      launch_step(loop, rows_from(rows, k, 1), rows_from(rows, k - 1, 1), rows_from(rows, k, 1));
  } else {
    // At this point row i contains the total of the last `reach` rows up to and including i. This
    // step adds the total of the `reach` rows before them.
    for (int64_t reach = 1; reach < n; reach *= 2) {
      Tensor next = empty_tensor(rows.sizes(), rows.dtype(), rows.device());
      copy_into(rows_from(next, 0, reach), rows_from(rows, 0, reach));
      launch_step(loop, rows_from(next, reach, n - reach), rows_from(rows, 0, n - reach),
                  rows_from(rows, reach, n - reach));
      rows = next;
    }
  }
  return into(out.defined() ? out : empty_tensor(input.sizes(), fold.result, input.device()),
              axis_first_to(rows, input.sizes(), dim), fold.result, op.name);
}

Tensor fold_segments_by_launches(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts,
                                 std::optional<ScalarType> dtype, FoldOrder order) {
  const FoldChoice fold = choose_fold(op, input, dtype);
  const PointwiseLoop& loop = *fold.loop;
  dim = wrap_dim(dim, input.dim());
  const int64_t n = input.size(dim), count = static_cast<int64_t>(starts.size());
  const Device device = input.device();
  DimVector sizes(input.sizes());
  sizes[static_cast<size_t>(dim)] = count;
  Tensor result = empty_tensor(sizes, fold.result, device);
  if (result.numel() == 0) return result;

  const std::vector<FoldSegment> segments = longest_first(starts, n);
  const Tensor rows = rows_of(input, {dim}, fold.compute);
  check_segments(op, rows, segments);
  const int64_t longest = segments[0].length;
  const bool apart = std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end();
  Tensor totals;
  if (order == FoldOrder::Associative && apart && longest >= kDoublingPays) {
    std::vector<int64_t> place(static_cast<size_t>(n), 0), left(static_cast<size_t>(n), 0);
    for (const FoldSegment& s : segments) {
      for (int64_t i = 0; i < s.length; ++i) {
        place[static_cast<size_t>(s.start + i)] = i;
        left[static_cast<size_t>(s.start + i)] = s.length - i;
      }
    }
    fold_by_doubling(loop, rows, integers_on(device, place), integers_on(device, left), longest);
    totals = pick(rows, integers_on(device, starts));
  } else {
    std::vector<int64_t> begins, lengths, places(segments.size());
    for (const FoldSegment& s : segments) {
      places[static_cast<size_t>(s.place)] = static_cast<int64_t>(begins.size());
      begins.push_back(s.start);
      lengths.push_back(s.length);
    }
    const Tensor from = integers_on(device, begins), folded = pick(rows, from);
    fold_longest_first(folded, rows, from, lengths, 1,
                       [&](const Tensor& to, const Tensor& next) { launch_step(loop, to, to, next); });
    totals = pick(folded, integers_on(device, places));
  }
  return into(result, axis_first_to(totals, sizes, dim), fold.result, op.name);
}

}  // namespace tnp
