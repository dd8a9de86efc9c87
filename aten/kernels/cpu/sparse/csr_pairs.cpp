// Unions and products of two CSR matrices on the CPU. Rows are computed in parallel into memory that is
// large enough, and then moved together.
#include <algorithm>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

namespace {

using IndexTypes = TypeList<int32_t, int64_t>;

Tensor dense_indices(const Tensor& t, const char* name, ScalarType dtype) {
  TNP_CHECK(t.dim() == 1 && t.dtype() == dtype, ErrorKind::Runtime, "{", name, "} of ", t.dtype(), " and shape ",
            t.sizes(), " must be 1-d and of ", dtype);
  return to_dense(t, dtype);
}

void check_pattern(const Tensor& crow, const char* name) {
  TNP_CHECK(crow.dtype() == ScalarType::Int32 || crow.dtype() == ScalarType::Int64, ErrorKind::Runtime, "{", name,
            "} of ", crow.dtype(), " must be int32 or int64");
  TNP_CHECK(crow.dim() == 1 && crow.numel() > 0, ErrorKind::Runtime, "{", name, "} of shape ", crow.sizes(),
            " must be 1-d and have at least one element");
}

// Turns the counts of rows in pointers[1], ... into pointers; returns their sum.
template <class I>
int64_t accumulate(I* pointers, int64_t rows) {
  int64_t sum = 0;
  pointers[0] = 0;
  for (int64_t row = 1; row <= rows; ++row) {
    sum += pointers[row];
    TNP_CHECK(sum <= std::numeric_limits<I>::max(), ErrorKind::Overflow,
              "the result has more elements than int32 counts");
    pointers[row] = static_cast<I>(sum);
  }
  return sum;
}

// Merges the columns a[i..end_a) and b[j..end_b) into `to`; writes the place of each column in it.
// Returns the number of merged columns. Places of columns that are not next yet are overwritten later,
// which saves branches.
template <class I>
int64_t merge(const I* a, int64_t i, int64_t end_a, const I* b, int64_t j, int64_t end_b, I* to, int64_t* place_a,
              int64_t* place_b) {
  int64_t place = 0;
  while (i < end_a && j < end_b) {
    const I column_a = a[i], column_b = b[j];
    to[place] = std::min(column_a, column_b);
    place_a[i] = place_b[j] = place;
    i += column_a <= column_b;
    j += column_b <= column_a;
    ++place;
  }
  for (; i < end_a; ++i) to[place] = a[i], place_a[i] = place++;
  for (; j < end_b; ++j) to[place] = b[j], place_b[j] = place++;
  return place;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> csr_union_cpu(const Tensor& crow_a, const Tensor& col_a,
                                                         const Tensor& crow_b, const Tensor& col_b) {
  check_pattern(crow_a, "crow_a");
  const ScalarType dtype = crow_a.dtype();
  const Tensor pointers_a = dense_indices(crow_a, "crow_a", dtype), pointers_b = dense_indices(crow_b, "crow_b", dtype);
  const Tensor columns_a = dense_indices(col_a, "col_a", dtype), columns_b = dense_indices(col_b, "col_b", dtype);
  TNP_CHECK(crow_a.numel() == crow_b.numel(), ErrorKind::Runtime, "{crow_a} and {crow_b} must have one length");
  const int64_t rows = crow_a.numel() - 1;
  Tensor crow = empty_tensor(crow_a.sizes(), dtype), col;
  Tensor places_a = empty_tensor(col_a.sizes(), ScalarType::Int64);
  Tensor places_b = empty_tensor(col_b.sizes(), ScalarType::Int64);
  visit<IndexTypes>(dtype, [&]<class I>() {
    const RowRanges<I> ranges_a(pointers_a, columns_a.numel()), ranges_b(pointers_b, columns_b.numel());
    const I *from_a = pointers_a.data_ptr<I>(), *from_b = pointers_b.data_ptr<I>();
    const I *a = columns_a.data_ptr<I>(), *b = columns_b.data_ptr<I>();
    I* const pointers = crow.data_ptr<I>();
    const auto for_rows = [&](auto&& body) {
      const int64_t work = 4 * (ranges_a.length() + ranges_b.length()) / std::max<int64_t>(rows, 1) + 1;
      parallel_for(0, rows, std::max<int64_t>(kParallelWork / work, 1), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) body(row);
      });
    };
    auto *const place_a = places_a.data_ptr<int64_t>(), *const place_b = places_b.data_ptr<int64_t>();
    // Each row has room for all its elements first.
    const Tensor merged = empty_tensor(IntList{columns_a.numel() + columns_b.numel()}, dtype);
    I* const from = merged.data_ptr<I>();
    for_rows([&](int64_t row) {
      pointers[row + 1] = static_cast<I>(merge(a, from_a[row], from_a[row + 1], b, from_b[row], from_b[row + 1],
                                               from + from_a[row] + from_b[row], place_a, place_b));
    });
    col = empty_tensor(IntList{accumulate(pointers, rows)}, dtype);
    I* const to = col.data_ptr<I>();
    for_rows([&](int64_t row) {
      const int64_t first = pointers[row];
      std::copy_n(from + from_a[row] + from_b[row], pointers[row + 1] - pointers[row], to + first);
      for (int64_t i = from_a[row]; i < from_a[row + 1]; ++i) place_a[i] += first;
      for (int64_t j = from_b[row]; j < from_b[row + 1]; ++j) place_b[j] += first;
    });
  });
  return {crow, col, places_a, places_b};
}

std::tuple<Tensor, Tensor, Tensor> csr_product_cpu(const Tensor& crow_a, const Tensor& col_a, const Tensor& values_a,
                                                   const Tensor& crow_b, const Tensor& col_b, const Tensor& values_b,
                                                   int64_t num_columns) {
  check_pattern(crow_a, "crow_a");
  check_pattern(crow_b, "crow_b");
  const ScalarType dtype = crow_a.dtype(), given = values_a.dtype();
  const Tensor pointers_a = dense_indices(crow_a, "crow_a", dtype), pointers_b = dense_indices(crow_b, "crow_b", dtype);
  const Tensor columns_a = dense_indices(col_a, "col_a", dtype), columns_b = dense_indices(col_b, "col_b", dtype);
  TNP_CHECK(values_b.dtype() == given, ErrorKind::Runtime, "{values_a} and {values_b} must have one dtype, got ", given,
            " and ", values_b.dtype());
  TNP_CHECK(values_a.numel() == col_a.numel() && values_b.numel() == col_b.numel(), ErrorKind::Runtime,
            "{values_a} and {values_b} must have one element for each column");
  const ScalarType computed = sparse_compute_type(given);
  const Tensor elements_a = to_dense(values_a, computed), elements_b = to_dense(values_b, computed);
  const int64_t rows = crow_a.numel() - 1, inner = crow_b.numel() - 1;
  Tensor crow = empty_tensor(crow_a.sizes(), dtype), col, values;
  visit<IndexTypes>(dtype, [&]<class I>() {
    const RowRanges<I> ranges_a(pointers_a, columns_a.numel()), ranges_b(pointers_b, columns_b.numel());
    const I *from_a = pointers_a.data_ptr<I>(), *from_b = pointers_b.data_ptr<I>();
    const I *a = columns_a.data_ptr<I>(), *b = columns_b.data_ptr<I>();
    const auto check = [](const Tensor& t, const I* columns, int64_t limit, const char* name) {
      bool all = true;
      for (int64_t e = 0; e < t.numel(); ++e) all &= static_cast<uint64_t>(columns[e]) < static_cast<uint64_t>(limit);
      TNP_CHECK(all, ErrorKind::Index, "{", name, "} has an index outside of [0, ", limit, ")");
    };
    check(columns_a, a, inner, "col_a");
    check(columns_b, b, num_columns, "col_b");
    I* const pointers = crow.data_ptr<I>();
    const int64_t parts = std::clamp<int64_t>(ranges_a.length() / 4096, 1, get_num_threads());
    const auto for_parts = [&](auto&& body) {
      parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part)
          body(part, ranges_a.row_at(ranges_a.length() * part / parts),
               ranges_a.row_at(ranges_a.length() * (part + 1) / parts));
      });
    };
    visit<SparseComputeTypes>(computed, [&]<class T>() {
      const T *factor_a = elements_a.data_ptr<T>(), *factor_b = elements_b.data_ptr<T>();
      struct Part {
        int64_t first_row = 0;
        std::vector<I> columns;
        std::vector<T> sums;
      };
      std::vector<Part> made(static_cast<size_t>(parts));
      for_parts([&](int64_t part, int64_t begin, int64_t end) {
        // seen[c]: the last row that has column c
        std::vector<int64_t> seen(static_cast<size_t>(num_columns), -1);
        std::vector<T> sum(static_cast<size_t>(num_columns));
        Part& result = made[static_cast<size_t>(part)];
        result.first_row = begin;
        for (int64_t row = begin; row < end; ++row) {
          const auto first = static_cast<int64_t>(result.columns.size());
          for (int64_t i = from_a[row]; i < from_a[row + 1]; ++i) {
            for (int64_t j = from_b[a[i]]; j < from_b[a[i] + 1]; ++j) {
              const auto column = static_cast<size_t>(b[j]);
              const T product = factor_a[i] * factor_b[j];
              if (std::exchange(seen[column], row) == row) {
                sum[column] += product;
              } else {
                result.columns.push_back(b[j]);
                sum[column] = product;
              }
            }
          }
          std::sort(result.columns.begin() + first, result.columns.end());
          const auto count = static_cast<int64_t>(result.columns.size()) - first;
          for (int64_t e = first; e < first + count; ++e)
            result.sums.push_back(sum[static_cast<size_t>(result.columns[static_cast<size_t>(e)])]);
          pointers[row + 1] = static_cast<I>(count);
        }
      });
      const int64_t n = accumulate(pointers, rows);
      col = empty_tensor(IntList{n}, dtype);
      values = empty_tensor(IntList{n}, computed);
      for_parts([&](int64_t part, int64_t, int64_t) {
        const Part& result = made[static_cast<size_t>(part)];
        std::ranges::copy(result.columns, col.data_ptr<I>() + pointers[result.first_row]);
        std::ranges::copy(result.sums, values.data_ptr<T>() + pointers[result.first_row]);
      });
    });
  });
  return {crow, col, to_dense(values, given)};
}

}  // namespace tnp::native
