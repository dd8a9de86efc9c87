// Unions and sums of two CSR matrices on the CPU. Rows are computed in parallel into memory that is large
// enough, and then moved together.
#include <algorithm>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/csr_pair.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

namespace {

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

// Merges elements [i, end_a) of one matrix and [j, end_b) of the other one, and adds those of one column.
// Returns their number.
template <class I, class T>
int64_t merge_sums(const CsrArrays<I, T>& a, int64_t i, int64_t end_a, const CsrArrays<I, T>& b, int64_t j,
                   int64_t end_b, I* to, T* sums) {
  int64_t place = 0;
  for (; i < end_a && j < end_b; ++place) {
    const I column_a = a.columns[i], column_b = b.columns[j];
    to[place] = std::min(column_a, column_b);
    // A branch would be mispredicted for every other element.
    const auto of_a = reinterpret_cast<uintptr_t>(a.values + i), of_b = reinterpret_cast<uintptr_t>(b.values + j);
    const uintptr_t is_a = -static_cast<uintptr_t>(column_a <= column_b);
    T sum = *reinterpret_cast<const T*>(of_b ^ ((of_a ^ of_b) & is_a));
    if (TNP_UNLIKELY(column_a == column_b)) sum += b.values[j];
    sums[place] = sum;
    i += column_a <= column_b;
    j += column_b <= column_a;
  }
  for (; i < end_a; ++i, ++place) to[place] = a.columns[i], sums[place] = a.values[i];
  for (; j < end_b; ++j, ++place) to[place] = b.columns[j], sums[place] = b.values[j];
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

std::tuple<Tensor, Tensor, Tensor> csr_sum_cpu(const Tensor& crow_a, const Tensor& col_a, const Tensor& values_a,
                                               const Tensor& crow_b, const Tensor& col_b, const Tensor& values_b) {
  const CsrPair pair(crow_a, col_a, values_a, crow_b, col_b, values_b);
  TNP_CHECK(crow_a.numel() == crow_b.numel(), ErrorKind::Runtime, "{crow_a} and {crow_b} must have one length");
  const int64_t rows = crow_a.numel() - 1;
  Tensor crow = empty_tensor(crow_a.sizes(), pair.index_dtype), col, values;
  visit<IndexTypes>(pair.index_dtype, [&]<class I>() {
    const RowRanges<I> ranges_a(pair.a.pointers, pair.a.columns.numel());
    const RowRanges<I> ranges_b(pair.b.pointers, pair.b.columns.numel());
    visit<SparseComputeTypes>(pair.computed, [&]<class T>() {
      const auto a = pair.a.memory<I, T>(), b = pair.b.memory<I, T>();
      I* const pointers = crow.data_ptr<I>();
      // Each part has room for all its elements first.
      const int64_t room = a.pointers[rows] + b.pointers[rows];
      const Tensor columns = empty_tensor(IntList{room}, pair.index_dtype);
      const Tensor sums = empty_tensor(IntList{room}, pair.computed);
      const int64_t parts = std::clamp<int64_t>(room * 4 / kParallelWork, 1, get_num_threads());
      const auto for_parts = [&](auto&& body) {
        parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
          for (int64_t part = begin; part < end; ++part)
            body(ranges_a.row_at(ranges_a.length() * part / parts),
                 ranges_a.row_at(ranges_a.length() * (part + 1) / parts));
        });
      };
      for_parts([&](int64_t begin, int64_t end) {
        int64_t place = a.pointers[begin] + b.pointers[begin];
        for (int64_t row = begin; row < end; ++row) {
          const int64_t count =
              merge_sums(a, a.pointers[row], a.pointers[row + 1], b, b.pointers[row], b.pointers[row + 1],
                         columns.data_ptr<I>() + place, sums.data_ptr<T>() + place);
          pointers[row + 1] = static_cast<I>(count);
          place += count;
        }
      });
      const int64_t n = accumulate(pointers, rows);
      col = empty_tensor(IntList{n}, pair.index_dtype);
      values = empty_tensor(IntList{n}, pair.computed);
      for_parts([&](int64_t begin, int64_t end) {
        const int64_t from = a.pointers[begin] + b.pointers[begin], to = pointers[begin], count = pointers[end] - to;
        std::copy_n(columns.data_ptr<I>() + from, count, col.data_ptr<I>() + to);
        std::copy_n(sums.data_ptr<T>() + from, count, values.data_ptr<T>() + to);
      });
    });
  });
  return {crow, col, to_dense(values, pair.dtype)};
}

}  // namespace tnp::native
