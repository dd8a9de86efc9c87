// ufunc.at on devices with kernel launches. Positions are sorted, so that equal positions form
// runs. All runs are folded at the same time. Within a run, values keep the order in which their
// position occurs: Note [Folds by launches]. Sums use atomic additions instead.
#include <algorithm>

#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/operator_tables/arithmetic.h"
#include "aten/ops/pointwise/pointwise_at.h"
#include "aten/ops/reduction/fold.h"
#include "aten/ops/reduction/fold_runs.h"

namespace tnp {

using namespace folding;

namespace {

void put(const Tensor& flat, const Tensor& places, const Tensor& values, bool add) {
  tnp::put_indexed_(flat, std::span(&places, 1), values, add, 0);
}

// The runs of equal numbers in a sorted vector.
struct Runs {
  Tensor begins;  // whether each row begins a run
  Tensor starts, lengths;
  explicit Runs(const Tensor& sorted) {
    const int64_t n = sorted.numel();
    const Device device = sorted.device();
    begins = empty_tensor({n}, ScalarType::Bool, device);
    fill_with(rows_from(begins, 0, 1), Scalar(true));
    copy_into(rows_from(begins, 1, n - 1), tnp::ne(rows_from(sorted, 1, n - 1), rows_from(sorted, 0, n - 1)));
    starts = tnp::select(tnp::nonzero_rows(begins), 0, 0);
    const int64_t count = starts.numel();
    Tensor ends = empty_tensor({count}, ScalarType::Int64, device);
    copy_into(rows_from(ends, 0, count - 1), rows_from(starts, 1, count - 1));
    fill_with(rows_from(ends, count - 1, 1), Scalar(n));
    lengths = tnp::sub(ends, starts);
  }
  void reorder(const Tensor& by) {
    starts = pick(starts, by);
    lengths = pick(lengths, by);
  }
};

}  // namespace

void pointwise_at_by_launches(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values,
                              FoldOrder order) {
  const bool binary = op.nin == 2;
  const Tensor operands[2] = {a, values};
  const PointwiseChoice choice = choose_loop(op, TensorList(operands, op.nin), std::nullopt, a.device().type);
  const int64_t n = places.numel();
  if (n == 0) return;

  // Whether the loop's result has the dtype of its operands, so that it can be an operand of the
  // next step without a cast.
  bool same = binary;
  for (int k = 0; k < op.nin + op.nout; ++k) same = same && choice.loop->types[k] == a.dtype();
  const Tensor at = tnp::reshape(places, {n}), second = binary ? tnp::reshape(values, {n}) : Tensor();
  Tensor flat = a.is_contiguous() ? view_of(a, {a.numel()}, {1}, a.address())
                                  : tnp::reshape(tnp::clone(a, Order::C), {a.numel()});
  if (same && &op == &pointwise_ops::add) {
    put(flat, at, native::to_dtype(second, a.dtype()), true);
    if (!a.is_contiguous()) copy_into(a, tnp::reshape(flat, a.sizes()));
    return;
  }

  const Tensor by_place = tnp::stable_argsort(at, 0, false), sorted = pick(at, by_place);
  Runs runs(sorted);
  Tensor named = pick(sorted, runs.starts);  // each distinct position once
  const Tensor rows = binary ? pick(second, by_place) : Tensor();
  auto step = [&](const Tensor& to, const Tensor& next) {
    const Tensor pair[2] = {to, next};
    copy_into(to, pointwise(op, TensorList(pair, op.nin)));
  };
  Tensor current;
  const int64_t longest = tnp::amax(runs.lengths).item<int64_t>();
  if (longest == 1 || (same && order == FoldOrder::Associative && longest >= kDoublingPays)) {
    Tensor totals = rows;
    if (longest > 1) {
      totals = native::to_dtype(rows, a.dtype());
      const Tensor run = tnp::sub(tnp::cumsum(runs.begins, 0, ScalarType::Int64), wrapped_number(Scalar(1)));
      const Tensor place = tnp::sub(count_on(a.device(), n), pick(runs.starts, run));
      fold_by_doubling(*choice.loop, totals, place, tnp::sub(pick(runs.lengths, run), place), longest);
      totals = pick(totals, runs.starts);
    }
    current = pick(flat, named);
    step(current, totals);
  } else {
    const Tensor by_length = tnp::stable_argsort(runs.lengths, 0, true);
    runs.reorder(by_length);
    named = pick(named, by_length);
    current = pick(flat, named);
    const Tensor lengths = tnp::to(runs.lengths, std::optional(Device{}));
    const std::span<const int64_t> host(lengths.data_ptr<int64_t>(), static_cast<size_t>(lengths.numel()));
    // A unary operator does not read the rows, so `sorted` is only a placeholder.
    fold_longest_first(current, binary ? rows : sorted, runs.starts, host, 0, step);
  }
  put(flat, named, current, false);
  if (!a.is_contiguous()) copy_into(a, tnp::reshape(flat, a.sizes()));
}

}  // namespace tnp
