#include "aten/kernels/cpu/indexing/mask_indices.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "aten/iterator/dense.h"
#include "aten/kernel_functions/indexing.h"

namespace tnp {

namespace {

// Writes at most `room` indices of true bytes in m[0, n) to `places`. Returns the number written.
int64_t find_sparse(const uint8_t* m, int64_t n, int64_t* places, int64_t room) {
  static_assert(std::endian::native == std::endian::little);
  int64_t found = 0, i = 0;
  for (; i + 8 <= n; i += 8) {
    for (uint64_t bytes = true_bytes(m + i); bytes && found < room; bytes &= bytes - 1)
      places[found++] = i + std::countr_zero(bytes) / 8;
  }
  for (; i < n && found < room; ++i) {
    if (m[i]) places[found++] = i;
  }
  return found;
}

// Like find_sparse(), but without a branch on the mask. Never writes beyond `room`.
int64_t find_dense(const uint8_t* m, int64_t n, int64_t* places, int64_t room) {
  int64_t found = 0;
  for (int64_t i = 0; i < n && found < room; ++i) {
    places[found] = i;
    found += m[i] != 0;
  }
  return found;
}

}  // namespace

int64_t count_nonzero_bytes(const uint8_t* m, int64_t n) {
  // Counts in bytes, for at most 255 rounds, so that compilers vectorise the loop.
  constexpr int64_t kLanes = 64, kRounds = 255;
  int64_t count = 0;
  while (n >= kLanes) {
    const int64_t rounds = std::min(n / kLanes, kRounds);
    uint8_t lanes[kLanes] = {};
    for (int64_t r = 0; r < rounds; ++r, m += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) lanes[j] = static_cast<uint8_t>(lanes[j] + (m[j] != 0));
    }
    for (uint8_t lane : lanes) count += lane;
    n -= rounds * kLanes;
  }
  for (int64_t i = 0; i < n; ++i) count += m[i] != 0;
  return count;
}

bool native::is_all_true_cpu(const Tensor& mask) {
  if (TNP_UNLIKELY(!mask.is_contiguous())) return is_all_true_cpu(to_dense(mask, ScalarType::Bool));
  const auto* m = mask.data_ptr<uint8_t>();
  const int64_t n = mask.numel();
  // Tests three elements first. For most masks, one of them is false, and the full count is not
  // needed.
  return n == 0 || (m[0] && m[n / 2] && m[n - 1] && count_nonzero_bytes(m, n) == n);
}

std::vector<Tensor> native::true_indices_cpu(const Tensor& mask) {
  if (TNP_UNLIKELY(!mask.is_contiguous())) return true_indices_cpu(to_dense(mask, ScalarType::Bool));
  const auto* m = mask.data_ptr<uint8_t>();
  const int64_t n = mask.numel(), count = count_nonzero_bytes(m, n);
  std::vector<Tensor> out;
  out.reserve(static_cast<size_t>(mask.dim()));
  for (int64_t d = 0; d < mask.dim(); ++d) out.push_back(empty_tensor({count}, ScalarType::Int64, mask.device()));
  if (out.empty() || count == 0) return out;
  const auto find = count * 8 < n ? find_sparse : find_dense;
  const int64_t columns = mask.size(-1), rows = n / columns;
  int64_t* last = out.back().data_ptr<int64_t>();
  int64_t* row_of = out.size() > 1 ? out[out.size() - 2].data_ptr<int64_t>() : nullptr;
  int64_t found = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t more = find(m + r * columns, columns, last + found, count - found);
    if (row_of) std::fill(row_of + found, row_of + found + more, r);
    found += more;
  }
  // If another thread has cleared elements since they were counted, the remaining indices are 0.
  std::fill(last + found, last + count, 0);
  if (row_of) std::fill(row_of + found, row_of + count, 0);
  // Converts the row index to one index per axis.
  for (size_t d = out.size(); d-- > 2;) {
    const int64_t size = mask.size(static_cast<int64_t>(d) - 1);
    int64_t *here = out[d - 1].data_ptr<int64_t>(), *before = out[d - 2].data_ptr<int64_t>();
    for (int64_t k = 0; k < count; ++k) {
      const int64_t row = here[k];
      before[k] = row / size;
      here[k] = row % size;
    }
  }
  return out;
}

}  // namespace tnp
