#include "csrc/ufunc/differentiable_folds.h"

#include <algorithm>
#include <array>

#include "aten/autograd/variable.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/overlap.h"
#include "aten/kernels/pointwise.h"
#include "aten/operator_tables/arithmetic.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

// Calls the ufunc. No operand is 0-d, so the result is an array.
Tensor apply(const UfuncRow& row, std::initializer_list<Tensor> operands) {
  std::array<Ref, 2> owned;
  std::array<PyObject*, 2> args{};
  size_t n = 0;
  for (const Tensor& t : operands) {
    owned[n] = Ref(check(wrap<true>(t)));
    args[n] = owned[n].get();
    ++n;
  }
  Ref result(check(row.binding(nullptr, args.data(), static_cast<Py_ssize_t>(n), nullptr)));
  return unwrap(result.get());
}

Tensor first_rows(const Tensor& t, int64_t dim, int64_t n) { return tnp::narrow(t, dim, 0, n); }
Tensor last_rows(const Tensor& t, int64_t dim, int64_t n) { return tnp::narrow(t, dim, t.size(dim) - n, n); }
Tensor joined(const Tensor& a, const Tensor& b, int64_t dim) {
  const Tensor parts[] = {a, b};
  return tnp::cat(parts, dim);
}

// Permutes the axes of `t` by `order`, which lists the reduced axes first, and merges the reduced
// axes into one.
Tensor with_rows_first(const Tensor& t, const DimVector& order, IntList sizes) {
  return tnp::reshape(tnp::permute(t, order), sizes);
}

// Computes rows[0] op rows[1] op ..., as an array with one row.
Tensor folded(const UfuncRow& row, Tensor rows, bool associative) {
  if (!associative) {
    Tensor total = first_rows(rows, 0, 1);
    for (int64_t i = 1; i < rows.size(0); ++i) total = apply(row, {total, tnp::narrow(rows, 0, i, 1)});
    return total;
  }
  while (rows.size(0) > 1) {
    const int64_t n = rows.size(0), half = n / 2;
    Tensor pairs = apply(row, {first_rows(rows, 0, half), tnp::narrow(rows, 0, half, half)});
    rows = n % 2 ? joined(pairs, last_rows(rows, 0, 1), 0) : pairs;
  }
  return rows;
}

// Folds the elements that `mask` selects, row by row, into `total`.
Tensor folded_where(const UfuncRow& row, Tensor total, const Tensor& rows, const Tensor& mask) {
  for (int64_t i = 0; i < rows.size(0); ++i)
    total = tnp::where(tnp::narrow(mask, 0, i, 1), apply(row, {total, tnp::narrow(rows, 0, i, 1)}), total);
  return total;
}

// Multi-dimensional indices of positions in C order.
std::vector<Tensor> coordinates(Tensor places, IntList sizes) {
  std::vector<Tensor> found(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    const Tensor size = wrapped_number(Scalar(sizes[d]));
    found[d] = tnp::remainder(places, size);
    places = tnp::floor_divide(places, size);
  }
  return found;
}

// For each of the sorted `places`, the number of equal entries before it.
Tensor occurrences(const Tensor& places) {
  const int64_t n = places.size(0);
  const Tensor numbers = tnp::arange(Scalar(n), ScalarType::Int64, places.device());
  const Tensor is_first = joined(tnp::ones({1}, ScalarType::Bool, places.device()),
                                 tnp::ne(last_rows(places, 0, n - 1), first_rows(places, 0, n - 1)), 0);
  const Tensor starts = tnp::where(is_first, numbers, wrapped_number(Scalar(0)));
  return tnp::sub(numbers, tnp::cumulative_maximum(starts, 0));
}

}  // namespace

bool fold_requires_grad(const UfuncRow& row, const Tensor& t, std::optional<ScalarType> type, const Tensor& initial) {
  const bool requires_grad = compute_requires_grad(t) || (initial.defined() && compute_requires_grad(initial));
  if (!requires_grad || t.numel() == 0) return false;
  const Tensor operands[] = {t, t};
  return is_differentiable(loop_types(row.op->promotion, row.name, operands, type).result);
}

Tensor differentiable_reduce(const UfuncRow& row, const Tensor& t, const OptIntList& dim, bool keepdim,
                             const Tensor& start, bool must_start, const Tensor& where, bool associative) {
  DimVector axes;
  if (dim)
    axes = wrap_dims(*dim, t.dim());
  else
    for (int64_t d = 0; d < t.dim(); ++d) axes.push_back(d);
  DimVector order = axes, sizes{1}, result_sizes = t.sizes();
  for (int64_t d : axes) sizes[0] *= t.size(d), result_sizes[static_cast<size_t>(d)] = 1;
  DimVector kept;
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) != axes.end()) continue;
    order.push_back(d);
    sizes.push_back(t.size(d));
    kept.push_back(t.size(d));
  }
  const Tensor rows = with_rows_first(t, order, sizes);
  Tensor total;
  if (where.defined()) {
    DimVector one = sizes;
    one[0] = 1;
    TNP_CHECK(start.defined(), ErrorKind::Value, "reduction operation '", row.name,
              "' does not have an identity, so to use a where mask one has to specify 'initial'");
    total = folded_where(row, tnp::expand(tnp::cast(start, t.dtype()), one), rows,
                         with_rows_first(tnp::expand(where, t.sizes()), order, sizes));
  } else if (start.defined() && !associative) {
    DimVector one = sizes;
    one[0] = 1;
    total = folded(row, joined(tnp::expand(tnp::cast(start, t.dtype()), one), rows, 0), false);
  } else {
    total = folded(row, rows, associative);
    if (start.defined() && (must_start || sizes[0] == 1))
      total = apply(row, {tnp::reshape(tnp::cast(start, t.dtype()), {1}), total});
  }
  return tnp::reshape(total, keepdim ? IntList(result_sizes) : IntList(kept));
}

// Parallel prefix scan in log n steps: each element is combined with its predecessors at distance
// 1, 2, 4, ... Source: Hillis and Steele, Communications of the ACM 29 (1986) 1170-1183.
Tensor differentiable_accumulate(const UfuncRow& row, const Tensor& t, int64_t dim, bool associative) {
  const int64_t n = t.size(dim);
  Tensor sums = t;
  if (associative) {
    for (int64_t step = 1; step < n; step *= 2) {
      const Tensor taken_in = apply(row, {first_rows(sums, dim, n - step), last_rows(sums, dim, n - step)});
      sums = joined(first_rows(sums, dim, step), taken_in, dim);
    }
    return sums;
  }
  std::vector<Tensor> parts{first_rows(t, dim, 1)};
  for (int64_t i = 1; i < n; ++i) parts.push_back(apply(row, {parts.back(), tnp::narrow(t, dim, i, 1)}));
  return tnp::cat(parts, dim);
}

void differentiable_at(const UfuncRow& row, const Tensor& a, const Tensor& places, const Tensor& b) {
  if (places.numel() == 0) return;
  const Tensor target = a.dim() == 0 ? tnp::reshape(a, {1}) : a;  // a view
  const Tensor where = tnp::reshape(places, {places.numel()});
  const Tensor source = b.defined() && may_share_memory(b, a) ? tnp::clone(b) : b;  // each round reads it
  const Tensor values = b.defined() ? tnp::reshape(tnp::expand(source, places.sizes()), {places.numel()}) : Tensor();
  auto check_cast = [&](ScalarType made) {
    TNP_CHECK(can_cast(made, a.dtype(), Casting::SameKind), ErrorKind::Casting, "Cannot cast ufunc '", row.name,
              "' output from dtype('", made, "') to dtype('", a.dtype(), "') with casting rule 'same_kind'");
  };
  if (row.op == &pointwise_ops::add || row.op == &pointwise_ops::sub) {  // repeated positions accumulate
    check_cast(promote_types(a.dtype(), values.dtype()));
    tnp::index_put_(target, coordinates(where, target.sizes()),
                    row.op == &pointwise_ops::add ? values : tnp::neg(values), true);
    return;
  }
  // Each round applies the next operand of every position.
  const Tensor order = tnp::argsort(where, 0, false, true);
  const Tensor round = occurrences(tnp::take(where, order));
  const int64_t rounds = tnp::amax(round, std::nullopt, false).item<int64_t>() + 1;
  for (int64_t k = 0; k < rounds; ++k) {
    const Tensor now = tnp::take(order, tnp::reshape(tnp::nonzero(tnp::eq(round, wrapped_number(Scalar(k)))), {-1}));
    const std::vector<Tensor> at = coordinates(tnp::take(where, now), target.sizes());
    const Tensor old = tnp::index(target, at);
    const Tensor made = b.defined() ? apply(row, {old, tnp::take(values, now)}) : apply(row, {old});
    check_cast(made.dtype());
    tnp::index_put_(target, at, made);
  }
}

}  // namespace tnp::python
