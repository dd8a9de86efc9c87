// The product of two CSR matrices on the CPU (Gustavson's algorithm). Each part of the rows has memory of its
// own, and the parts are then moved together.
#include <algorithm>
#include <utility>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/csr_pair.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"

namespace tnp::native {

namespace {

void check_columns(const Tensor& t, int64_t limit, const char* name) {
  visit<IndexTypes>(t.dtype(), [&]<class I>() {
    const I* columns = t.data_ptr<I>();
    bool all = true;
    for (int64_t e = 0; e < t.numel(); ++e) all &= static_cast<uint64_t>(columns[e]) < static_cast<uint64_t>(limit);
    TNP_CHECK(all, ErrorKind::Index, "{", name, "} has an index outside of [0, ", limit, ")");
  });
}

// A growing array in the engine's memory, whose allocator reuses large blocks: new pages would take as long as
// the products.
template <class T>
class Buffer {
 public:
  T* begin() const { return begin_; }
  T* end() const { return end_; }
  int64_t size() const { return end_ - begin_; }
  T& back() { return end_[-1]; }
  void push_back(const T& v) {
    if (TNP_UNLIKELY(end_ == limit_)) reserve(std::max<int64_t>(2 * size(), 64));
    *end_++ = v;
  }
  void reserve(int64_t capacity) {
    Tensor memory = empty_tensor(IntList{capacity}, scalar_type_of<T>);
    T* const to = memory.data_ptr<T>();
    end_ = std::copy(begin_, end_, to);
    begin_ = to;
    limit_ = to + capacity;
    memory_ = std::move(memory);
  }

 private:
  Tensor memory_;
  T *begin_ = nullptr, *end_ = nullptr, *limit_ = nullptr;
};

// The product of rows [first_row, ...), row by row.
template <class I, class T>
class ProductRows {
 public:
  ProductRows(const CsrArrays<I, T>& a, int64_t elements_a, const CsrArrays<I, T>& b, int64_t columns)
      : a_(a), elements_a_(elements_a), b_(b), num_columns_(columns) {}

  void reserve(int64_t elements) {
    columns.reserve(elements);
    sums.reserve(elements);
  }
  // Appends a row; returns the number of its elements.
  int64_t append(int64_t row) {
    const int64_t first = columns.size();
    int64_t products = 0;
    for (int64_t i = a_.pointers[row]; i < a_.pointers[row + 1]; ++i) {
      prefetch(i);
      products += b_.pointers[a_.columns[i] + 1] - b_.pointers[a_.columns[i]];
    }
    if (products <= kFew)
      insert(row);
    else
      scatter(row);
    return columns.size() - first;
  }

  Buffer<I> columns;
  Buffer<T> sums;

 private:
  struct Element {
    I column;
    T sum;
  };
  static constexpr int64_t kFew = 32;
  static constexpr int64_t kAhead = 16;

  // Prefetches the row of the second matrix that an element some places later meets, and the pointer of
  // that of a yet later one.
  void prefetch(int64_t i) const {
    if (i + 2 * kAhead < elements_a_) __builtin_prefetch(b_.pointers + a_.columns[i + 2 * kAhead]);
    if (i + kAhead < elements_a_) {
      const int64_t j = b_.pointers[a_.columns[i + kAhead]];
      __builtin_prefetch(b_.columns + j);
      __builtin_prefetch(b_.values + j);
    }
  }

  template <class F>
  void for_products(int64_t row, F&& body) const {
    for (int64_t i = a_.pointers[row]; i < a_.pointers[row + 1]; ++i) {
      const T factor = a_.values[i];
      const int64_t end = b_.pointers[a_.columns[i] + 1];
      for (int64_t j = b_.pointers[a_.columns[i]]; j < end; ++j) body(b_.columns[j], factor * b_.values[j]);
    }
  }

  // A row of few products, which are sorted by insertion.
  void insert(int64_t row) {
    Element elements[kFew + 1];
    elements[0].column = -1;
    Element* last = elements;
    for_products(row, [&](I column, T product) {
      Element* to = ++last;
      for (; to[-1].column > column; --to) *to = to[-1];
      *to = {column, product};
    });
    for (const Element* e = elements + 1; e <= last; ++e) {
      if (e->column == e[-1].column) {
        sums.back() += e->sum;
      } else {
        columns.push_back(e->column);
        sums.push_back(e->sum);
      }
    }
  }

  // A row of many products: sums for all columns of the matrix.
  void scatter(int64_t row) {
    if (seen_.empty()) {
      seen_.assign(static_cast<size_t>(num_columns_), -1);
      dense_.resize(static_cast<size_t>(num_columns_));
    }
    const int64_t first = columns.size();
    for_products(row, [&](I column, T product) {
      const auto c = static_cast<size_t>(column);
      if (std::exchange(seen_[c], row) == row) {
        dense_[c] += product;
      } else {
        columns.push_back(column);
        dense_[c] = product;
      }
    });
    std::sort(columns.begin() + first, columns.end());
    for (const I* c = columns.begin() + first; c != columns.end(); ++c) sums.push_back(dense_[static_cast<size_t>(*c)]);
  }

  CsrArrays<I, T> a_;
  int64_t elements_a_;
  CsrArrays<I, T> b_;
  int64_t num_columns_;
  std::vector<int64_t> seen_;  // the last row that has each column
  std::vector<T> dense_;
};

}  // namespace

std::tuple<Tensor, Tensor, Tensor> csr_product_cpu(const Tensor& crow_a, const Tensor& col_a, const Tensor& values_a,
                                                   const Tensor& crow_b, const Tensor& col_b, const Tensor& values_b,
                                                   int64_t columns) {
  const CsrPair pair(crow_a, col_a, values_a, crow_b, col_b, values_b);
  const int64_t rows = crow_a.numel() - 1, elements_a = col_a.numel();
  check_columns(pair.a.columns, crow_b.numel() - 1, "col_a");
  check_columns(pair.b.columns, columns, "col_b");
  Tensor crow = empty_tensor(crow_a.sizes(), pair.index_dtype), col, values;
  visit<IndexTypes>(pair.index_dtype, [&]<class I>() {
    const RowRanges<I> ranges(pair.a.pointers, elements_a);
    const RowRanges<I> others(pair.b.pointers, pair.b.columns.numel());  // checks the pointers
    visit<SparseComputeTypes>(pair.computed, [&]<class T>() {
      I* const pointers = crow.data_ptr<I>();
      const int64_t parts = std::clamp<int64_t>(ranges.length() / 4096, 1, get_num_threads());
      const auto first_row = [&](int64_t part) { return ranges.row_at(ranges.length() * part / parts); };
      std::vector<ProductRows<I, T>> made;
      for (int64_t part = 0; part < parts; ++part)
        made.emplace_back(pair.a.memory<I, T>(), elements_a, pair.b.memory<I, T>(), columns);
      parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          ProductRows<I, T>& result = made[static_cast<size_t>(part)];
          result.reserve(4 * elements_a / parts);
          for (int64_t row = first_row(part); row < first_row(part + 1); ++row)
            pointers[row + 1] = static_cast<I>(result.append(row));
        }
      });
      const int64_t n = accumulate(pointers, rows);
      col = empty_tensor(IntList{n}, pair.index_dtype);
      values = empty_tensor(IntList{n}, pair.computed);
      parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          const ProductRows<I, T>& result = made[static_cast<size_t>(part)];
          const int64_t to = pointers[first_row(part)];
          std::copy(result.columns.begin(), result.columns.end(), col.data_ptr<I>() + to);
          std::copy(result.sums.begin(), result.sums.end(), values.data_ptr<T>() + to);
        }
      });
    });
  });
  return {crow, col, to_dense(values, pair.dtype)};
}

}  // namespace tnp::native
