// The gradient of an embedding table on the CPU.
#include <algorithm>
#include <vector>

#include "aten/kernel_functions/embedding.h"
#include "aten/kernels/cpu/indexing/row_pieces.h"

namespace tnp {

void native::embedding_gradient_cpu(const Tensor& grad, const Tensor& indices, IntList sizes, int64_t padding_idx,
                                    bool scale_grad_by_freq, const Tensor& out) {
  const int64_t rows = sizes[0], count = indices.numel(), n = out.numel() / std::max<int64_t>(rows, 1);
  const auto* row = indices.data_ptr<int64_t>();
  for (int64_t k = 0; k < count; ++k)
    TNP_CHECK(row[k] >= 0 && row[k] < rows, ErrorKind::Index, "index ", row[k], " is out of range: there are ", rows,
              " rows");
  if (out.numel() == 0) return;
  std::vector<int64_t> counts(scale_grad_by_freq ? static_cast<size_t>(rows) : 0);
  for (int64_t k = 0; scale_grad_by_freq && k < count; ++k) ++counts[static_cast<size_t>(row[k])];
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    const T* from = grad.data_ptr<T>();
    T* to = out.data_ptr<T>();
    parallel_for(0, out.numel(), 4 * kParallelWork,
                 [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, T(0)); });
    for_columns(n, count, [&](int64_t first, int64_t end) {
      // The rows are scattered in memory, so the next ones are prefetched.
      constexpr int64_t kAhead = 8, kLine = 64 / static_cast<int64_t>(sizeof(T));
      for (int64_t k = 0; k < count; ++k) {
        if (k + kAhead < count)
          for (int64_t c = first; c < end; c += kLine) __builtin_prefetch(to + row[k + kAhead] * n + c, 1);
        if (row[k] == padding_idx) continue;
        const T* x = from + k * n;
        T* y = to + row[k] * n;
        if (scale_grad_by_freq) {
          const T scale = T(1) / static_cast<T>(counts[static_cast<size_t>(row[k])]);
          for (int64_t c = first; c < end; ++c) y[c] += x[c] * scale;
        } else {
#pragma GCC ivdep
          for (int64_t c = first; c < end; ++c) y[c] += x[c];
        }
      }
    });
  });
}

}  // namespace tnp
