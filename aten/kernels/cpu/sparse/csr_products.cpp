// Products of CSR matrices and dense matrices on the CPU, and sums of rows.
#include <algorithm>
#include <cstring>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/csr_product_loops.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

namespace {

const CsrProductLoop& loop_of(ScalarType dtype, ScalarType index_dtype) {
  using namespace csr_product_loops;
  static constexpr LoopVariants<CsrProductLoop> variants = TNP_LOOP_VARIANTS(loops);
  for (const CsrProductLoop& loop : variants.choose())
    if (loop.dtype == dtype && loop.index_dtype == index_dtype) return loop;
  TNP_INTERNAL_ASSERT(false);
}

void check_columns(bool are_below, int64_t limit) {
  TNP_CHECK(are_below, ErrorKind::Index, "{col} has an index outside of [0, ", limit, ")");
}

// The time for one element of the pattern and k columns of a dense matrix, in nanoseconds.
int64_t work_of(int64_t k) { return 2 + k / 8; }

template <class F>
void for_rows(const Tensor& crow, const Tensor& elements, int64_t work, F&& body) {
  visit<TypeList<int32_t, int64_t>>(crow.dtype(),
                                    [&]<class I>() { RowRanges<I>(crow, elements.numel()).for_rows(work, body); });
}

// A CSR matrix in memory of its own: the transposed one, with elements of one column in the order of
// their rows.
template <class T, class I>
struct TransposedCsr {
  std::vector<I> pointers, rows;
  std::vector<T> values;
};

template <class T, class I>
TransposedCsr<T, I> transposed(const CsrMemory& a, int64_t num_rows, int64_t num_columns) {
  const I *pointers = static_cast<const I*>(a.pointers), *columns = static_cast<const I*>(a.columns);
  const auto elements = static_cast<size_t>(pointers[num_rows]);
  TransposedCsr<T, I> result{std::vector<I>(static_cast<size_t>(num_columns) + 1), std::vector<I>(elements),
                             std::vector<T>(elements)};
  // next[c]: the place of the next element of column c
  std::vector<I>& next = result.pointers;
  for (size_t e = 0; e < elements; ++e) {
    check_columns(columns[e] >= 0 && columns[e] < static_cast<I>(num_columns), num_columns);
    ++next[static_cast<size_t>(columns[e])];
  }
  I sum = 0;
  for (I& count : next) sum += std::exchange(count, sum);
  for (int64_t row = 0; row < num_rows; ++row) {
    for (I e = pointers[row]; e < pointers[row + 1]; ++e) {
      const auto place = static_cast<size_t>(next[static_cast<size_t>(columns[e])]++);
      result.rows[place] = static_cast<I>(row);
      result.values[place] = static_cast<const T*>(a.values)[e];
    }
  }
  next.pop_back();
  next.insert(next.begin(), 0);
  return result;
}

// The product of the transposed matrix, with a loop over the rows of the transposed one.
void multiply_transposed(const CsrProductLoop& loop, const CsrMemory& a, const Tensor& dense, int64_t rows,
                         const Tensor& out) {
  visit<SparseComputeTypes>(loop.dtype, [&]<class T>() {
    visit<TypeList<int32_t, int64_t>>(loop.index_dtype, [&]<class I>() {
      const int64_t k = out.size(1), columns = out.size(0);
      const TransposedCsr<T, I> other = transposed<T, I>(a, rows, columns);
      const CsrMemory memory{other.pointers.data(), other.rows.data(), other.values.data()};
      RowRanges<I>(other.pointers.data(), columns).for_rows(work_of(k), [&](int64_t begin, int64_t end) {
        loop.rows(memory, rows, dense.data(), k, begin, end, out.data());
      });
    });
  });
}

// The product of the transposed matrix and few columns: each thread adds the rows of one range to
// sums of its own.
template <class I>
void scatter_rows(const CsrProductLoop& loop, const CsrMemory& a, const Tensor& dense, const RowRanges<I>& ranges,
                  const Tensor& out) {
  const int64_t k = out.size(1), work = ranges.length() * work_of(k);
  const auto bytes = static_cast<size_t>(out.numel() * out.itemsize());
  // Sums of one more thread cost about as much as this many elements of the pattern.
  const int64_t cost = out.numel() / 2 + kParallelWork;
  const int64_t parts = std::clamp<int64_t>(work / cost, 1, get_num_threads());
  std::vector<Tensor> sums(static_cast<size_t>(parts - 1));
  for (Tensor& sum : sums) sum = empty_tensor(out.sizes(), out.dtype());
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      void* const to = part == 0 ? out.data() : sums[static_cast<size_t>(part - 1)].data();
      std::memset(to, 0, bytes);
      const int64_t first = ranges.row_at(ranges.length() * part / parts);
      const int64_t last = ranges.row_at(ranges.length() * (part + 1) / parts);
      check_columns(loop.transposed(a, out.size(0), dense.data(), k, first, last, to), out.size(0));
    }
  });
  visit<SparseComputeTypes>(loop.dtype, [&]<class T>() {
    T* const to = out.data_ptr<T>();
    for (const Tensor& sum : sums) {
      const T* const from = sum.data_ptr<T>();
      for (int64_t i = 0; i < out.numel(); ++i) to[i] += from[i];
    }
  });
}

}  // namespace

void csr_matmul_cpu(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense,
                    const Tensor& out) {
  const CsrProductLoop& loop = loop_of(out.dtype(), crow.dtype());
  const CsrMemory a{crow.data(), col.data(), values.data()};
  const int64_t k = dense.size(1), limit = dense.size(0);
  for_rows(crow, col, work_of(k), [&](int64_t begin, int64_t end) {
    check_columns(loop.rows(a, limit, dense.data(), k, begin, end, out.data()), limit);
  });
}

void csr_matmul_transposed_cpu(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense,
                               int64_t /*columns*/, const Tensor& out) {
  const CsrProductLoop& loop = loop_of(out.dtype(), crow.dtype());
  const CsrMemory a{crow.data(), col.data(), values.data()};
  // With many columns, each line of `out` is written once.
  constexpr int64_t kManyColumns = 48;
  visit<TypeList<int32_t, int64_t>>(crow.dtype(), [&]<class I>() {
    const RowRanges<I> ranges(crow, col.numel());
    if (out.size(1) >= kManyColumns)
      multiply_transposed(loop, a, dense, crow.numel() - 1, out);
    else
      scatter_rows(loop, a, dense, ranges, out);
  });
}

void csr_sampled_matmul_cpu(const Tensor& crow, const Tensor& col, const Tensor& left, const Tensor& right,
                            const Tensor& out) {
  const CsrProductLoop& loop = loop_of(out.dtype(), crow.dtype());
  const CsrMemory a{crow.data(), col.data(), nullptr};
  const int64_t k = left.size(1), limit = right.size(0);
  for_rows(crow, col, work_of(k), [&](int64_t begin, int64_t end) {
    check_columns(loop.sampled(a, limit, left.data(), right.data(), k, begin, end, out.data()), limit);
  });
}

void csr_row_sums_cpu(const Tensor& crow, const Tensor& values, const Tensor& out) {
  const CsrProductLoop& loop = loop_of(out.dtype(), crow.dtype());
  const CsrMemory a{crow.data(), nullptr, values.data()};
  for_rows(crow, values, 1,
           [&](int64_t begin, int64_t end) { loop.row_sums(a, values.numel(), begin, end, out.data()); });
}

void csr_extremes_cpu(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense, bool largest,
                      const Tensor& out) {
  const CsrProductLoop& loop = loop_of(out.dtype(), crow.dtype());
  const CsrMemory a{crow.data(), col.data(), values.data()};
  const int64_t k = dense.size(1), limit = dense.size(0);
  for_rows(crow, col, work_of(k), [&](int64_t begin, int64_t end) {
    const auto extremes = largest ? loop.maxima : loop.minima;
    check_columns(extremes(a, limit, dense.data(), k, begin, end, out.data()), limit);
  });
}

}  // namespace tnp::native
