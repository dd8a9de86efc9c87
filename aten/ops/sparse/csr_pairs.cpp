// Sums and products of two CSR matrices, composed of other operators for devices without kernels.
#include <array>

#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/scatter.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/sparse.h"
#include "aten/native_functions/sparse.h"
#include "aten/ops/operators.h"
#include "aten/ops/sparse/rows_of.h"

namespace tnp::native {

namespace {

Tensor long_of(const Tensor& t) { return tnp::cast(t, ScalarType::Int64); }
Tensor number(int64_t n) { return wrapped_number(Scalar(n)); }
Tensor last(const Tensor& t, int64_t from) { return tnp::narrow(t, 0, from, t.numel() - from); }

// Pointers of `rows` rows from the row of each element.
Tensor pointers_of(const Tensor& row_of_each, int64_t rows, ScalarType dtype) {
  const Tensor ones = tnp::ones(row_of_each.sizes(), ScalarType::Int64, row_of_each.device());
  const Tensor counts = tnp::index_add(tnp::zeros(IntList{rows + 1}, ScalarType::Int64, row_of_each.device()), 0,
                                       row_of_each + number(1), ones, Scalar(1));
  return tnp::cast(tnp::cumsum(counts, 0), dtype);
}

// Sorts keys; returns the pattern that they describe and the place in it of each key.
struct Pattern {
  Tensor crow, col, places;
};
Pattern pattern_of(const Tensor& keys, int64_t rows, int64_t width, ScalarType dtype) {
  const auto [order, starts] = tnp::_coalesced_order(keys);
  const Tensor distinct = tnp::index_select(keys, 0, tnp::index_select(order, 0, starts));
  const Tensor ones = tnp::ones(starts.sizes(), ScalarType::Int64, keys.device());
  const Tensor marks =
      tnp::index_add(tnp::zeros(keys.sizes(), ScalarType::Int64, keys.device()), 0, starts, ones, Scalar(1));
  const Tensor places_in_order = tnp::cumsum(marks, 0) - number(1);
  const Tensor places =
      tnp::index_copy(tnp::zeros(keys.sizes(), ScalarType::Int64, keys.device()), 0, order, places_in_order);
  const Tensor row = tnp::floor_divide(distinct, number(width));
  return {pointers_of(row, rows, dtype), tnp::cast(distinct - row * number(width), dtype), places};
}

int64_t width_of(const Tensor& a, const Tensor& b) {
  int64_t width = 1;
  for (const Tensor* t : {&a, &b}) {
    if (t->numel() > 0) width = std::max(width, tnp::max(*t).item<int64_t>() + 1);
  }
  return width;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> csr_union_composite(const Tensor& crow_a, const Tensor& col_a,
                                                               const Tensor& crow_b, const Tensor& col_b) {
  const int64_t rows = crow_a.numel() - 1, n = col_a.numel(), width = width_of(col_a, col_b);
  const Tensor keys = tnp::cat(std::array{rows_of(crow_a, n) * number(width) + long_of(col_a),
                                          rows_of(crow_b, col_b.numel()) * number(width) + long_of(col_b)},
                               0);
  Pattern both = pattern_of(keys, rows, width, crow_a.dtype());
  return {both.crow, both.col, tnp::narrow(both.places, 0, 0, n), last(both.places, n)};
}

std::tuple<Tensor, Tensor, Tensor> csr_sum_composite(const Tensor& crow_a, const Tensor& col_a, const Tensor& values_a,
                                                     const Tensor& crow_b, const Tensor& col_b,
                                                     const Tensor& values_b) {
  const auto [crow, col, places_a, places_b] = tnp::_csr_union(crow_a, col_a, crow_b, col_b);
  const Tensor zeros = tnp::zeros(col.sizes(), values_a.dtype(), values_a.device());
  const Tensor sums = tnp::index_add(zeros, 0, places_a, values_a, Scalar(1));
  return {crow, col, tnp::index_add(sums, 0, places_b, values_b, Scalar(1))};
}

std::tuple<Tensor, Tensor, Tensor> csr_product_composite(const Tensor& crow_a, const Tensor& col_a,
                                                         const Tensor& values_a, const Tensor& crow_b,
                                                         const Tensor& col_b, const Tensor& values_b, int64_t columns) {
  // Each element (i, j) of the first matrix meets all elements of row j of the second one.
  const int64_t rows = crow_a.numel() - 1;
  const Tensor of_a = long_of(col_a);
  const Tensor counts = tnp::index_select(row_counts(crow_b), 0, of_a);
  const Tensor meeting = tnp::repeat_interleave(counts);  // the element of the first matrix in each product
  const Tensor before = tnp::cumsum(counts, 0) - counts;
  const Tensor place = tnp::arange(Scalar(meeting.numel()), ScalarType::Int64, meeting.device()) -
                       tnp::index_select(before, 0, meeting) +
                       tnp::index_select(tnp::index_select(long_of(crow_b), 0, of_a), 0, meeting);
  const Tensor keys = tnp::index_select(rows_of(crow_a, col_a.numel()), 0, meeting) * number(columns) +
                      tnp::index_select(long_of(col_b), 0, place);
  const Tensor products = tnp::index_select(values_a, 0, meeting) * tnp::index_select(values_b, 0, place);
  Pattern result = pattern_of(keys, rows, columns, crow_a.dtype());
  const Tensor sums = tnp::zeros(result.col.sizes(), products.dtype(), products.device());
  return {result.crow, result.col, tnp::index_add(sums, 0, result.places, products, Scalar(1))};
}

}  // namespace tnp::native
