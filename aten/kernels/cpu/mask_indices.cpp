#include "aten/kernels/cpu/mask_indices.h"

#include <algorithm>

namespace tnp {

std::vector<Tensor> mask_indices_cpu(const Tensor& mask) {
  const auto* m = mask.data_ptr<uint8_t>();
  int64_t n = mask.numel(), count = 0;
  for (int64_t i = 0; i < n; ++i) count += m[i] != 0;
  std::vector<Tensor> out;
  for (int64_t d = 0; d < mask.dim(); ++d) out.push_back(empty_tensor({count}, ScalarType::Int64, mask.device()));
  if (out.empty() || count == 0) return out;
  int64_t* last = out.back().data_ptr<int64_t>();
  int64_t found = 0;
  for (int64_t i = 0; i < n && found < count; ++i) {  // without a branch on the mask; never beyond the last one
    last[found] = i;
    found += m[i] != 0;
  }
  std::fill(last + found, last + count, 0);  // another thread took some away since they were counted
  // From places in the flattened mask to one index per axis.
  for (size_t d = out.size(); d-- > 1;) {
    int64_t size = mask.size(static_cast<int64_t>(d));
    int64_t *here = out[d].data_ptr<int64_t>(), *before = out[d - 1].data_ptr<int64_t>();
    for (int64_t k = 0; k < count; ++k) {
      int64_t flat = last[k];
      before[k] = flat / size;
      here[k] = flat % size;
    }
    last = before;
  }
  return out;
}

}  // namespace tnp
