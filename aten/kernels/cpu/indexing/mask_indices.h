// The places that a mask names.
#pragma once

#include <cstring>
#include <vector>

#include "aten/core/tensor.h"

namespace tnp {

// Where a contiguous tensor of bools is true: one int64 tensor per axis, in row-major order.
std::vector<Tensor> mask_indices_cpu(const Tensor& mask);
// How many are true of a contiguous tensor of bools.
int64_t count_true_cpu(const Tensor& mask);
// Of eight bytes of a mask, 1 in each that is not 0.
inline uint64_t true_bytes(const uint8_t* m) {
  uint64_t word;
  std::memcpy(&word, m, sizeof word);
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7fu;
  return ((((word & kLow) + kLow) | word) & ~kLow) >> 7;
}
// How many of m[0, n) are not 0.
int64_t count_nonzero_bytes(const uint8_t* m, int64_t n);

}  // namespace tnp
