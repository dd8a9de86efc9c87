// Dense matrices from CSR matrices on the CPU.
#include <algorithm>

#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

void csr_to_dense_cpu(const Tensor& crow, const Tensor& col, const Tensor& values, int64_t columns, const Tensor& out) {
  visit<TypeList<int32_t, int64_t>>(crow.dtype(), [&]<class I>() {
    visit<SparseComputeTypes>(out.dtype(), [&]<class T>() {
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
  });
}

}  // namespace tnp::native
