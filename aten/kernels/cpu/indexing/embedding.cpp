// Embedding: selects rows of a table.
#include <algorithm>
#include <cstring>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/embedding.h"

namespace tnp::native {

void embedding_cpu(const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/, bool /*scale_grad_by_freq*/,
                   bool /*sparse*/, const Tensor& out) {
  const int64_t rows = weight.size(0), n = indices.numel();
  const auto* row = indices.data_ptr<int64_t>();
  for (int64_t k = 0; k < n; ++k)
    TNP_CHECK(row[k] >= 0 && row[k] < rows, ErrorKind::Index, "index ", row[k], " is out of range: there are ", rows,
              " rows");
  if (out.numel() == 0) return;
  const Tensor table = to_dense(weight, weight.dtype());
  const auto bytes = static_cast<size_t>(out.numel() / n * out.itemsize());
  const auto* from = static_cast<const char*>(table.data());
  auto* to = static_cast<char*>(out.data());
  const int64_t grain = std::max<int64_t>(kParallelWork * 8 / static_cast<int64_t>(bytes + 64), 1);
  parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k)
      std::memcpy(to + static_cast<size_t>(k) * bytes, from + static_cast<size_t>(row[k]) * bytes, bytes);
  });
}

}  // namespace tnp::native
