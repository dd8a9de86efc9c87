// Rows of CSR matrices on the CPU: as dense rows, and their sums.
#include <algorithm>

#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

namespace {

template <class F>
void visit_types(const Tensor& crow, ScalarType dtype, F&& f) {
  visit<TypeList<int32_t, int64_t>>(crow.dtype(), [&]<class I>() {
    visit<SparseComputeTypes>(dtype, [&]<class T>() { f.template operator()<I, T>(); });
  });
}

}  // namespace

void csr_to_dense_cpu(const Tensor& crow, const Tensor& col, const Tensor& values, int64_t columns, const Tensor& out) {
  visit_types(crow, out.dtype(), [&]<class I, class T>() {
    const RowRanges<I> ranges(crow, col.numel());
    const I *pointers = crow.data_ptr<I>(), *column = col.data_ptr<I>();
    const T* value = values.data_ptr<T>();
    // Each position takes about 2 ns, and each element of the result 1/4.
    const int64_t work = 2 + out.numel() / (4 * std::max<int64_t>(ranges.length(), 1));
    ranges.for_rows(work, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        T* const to = out.data_ptr<T>() + row * columns;
        std::fill(to, to + columns, T{});
        for (int64_t e = pointers[row]; e < pointers[row + 1]; ++e) {
          TNP_CHECK(column[e] >= 0 && column[e] < columns, ErrorKind::Index, "{col} has an index outside of [0, ",
                    columns, ")");
          to[column[e]] += value[e];
        }
      }
    });
  });
}

void csr_row_sums_cpu(const Tensor& crow, const Tensor& values, const Tensor& out) {
  visit_types(crow, out.dtype(), [&]<class I, class T>() {
    const I* pointers = crow.data_ptr<I>();
    const T* value = values.data_ptr<T>();
    T* const to = out.data_ptr<T>();
    RowRanges<I>(crow, values.numel()).for_rows(1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        // Several sums hide the latency of additions. In short rows, the end of one more loop would be mispredicted.
        constexpr int64_t kSums = 4, kLong = 32;
        T sums[kSums] = {};
        int64_t e = pointers[row];
        const int64_t last = pointers[row + 1];
        if (last - e >= kLong) {
          for (; e + kSums <= last; e += kSums)
            for (int64_t i = 0; i < kSums; ++i) sums[i] += value[e + i];
        }
        for (; e < last; ++e) sums[0] += value[e];
        to[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      }
    });
  });
}

}  // namespace tnp::native
