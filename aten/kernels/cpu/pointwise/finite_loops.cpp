#include "aten/kernels/cpu/pointwise/finite_loops.h"

#include <cmath>
#include <cstring>

#include "aten/core/threads/register_bytes.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::finite_loops::TNP_CPU_CAPABILITY {

namespace {

// A sum is finite only if all its terms are. Each register of numbers costs one addition, and
// several independent sums hide its latency. For a matrix product that has just been written, this
// takes hardly any time.
template <class T>
bool is_sum_finite(const T* x, int64_t n) {
  typedef T Register __attribute__((vector_size(kRegisterBytes)));
  constexpr int64_t kLanes = kRegisterBytes / static_cast<int64_t>(sizeof(T)), kSums = 8;
  Register sums[kSums] = {};
  auto add = [](Register& sum, const T* from) {
    Register now;
    std::memcpy(&now, from, sizeof now);
    sum += now;
  };
  int64_t i = 0;
  for (; i + kSums * kLanes <= n; i += kSums * kLanes) {
#pragma GCC unroll 8
    for (int64_t k = 0; k < kSums; ++k) add(sums[k], x + i + k * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) add(sums[0], x + i);
  T rest = 0;
  for (; i < n; ++i) rest += x[i];
#pragma GCC unroll 8
  for (int64_t k = 1; k < kSums; ++k) sums[0] += sums[k];
  for (int64_t j = 0; j < kLanes; ++j) rest += sums[0][j];
  return std::isfinite(rest);
}

constexpr FiniteLoops kLoops = {is_sum_finite<float>, is_sum_finite<double>};

}  // namespace

std::span<const FiniteLoops> loops() { return {&kLoops, 1}; }

}  // namespace tnp::finite_loops::TNP_CPU_CAPABILITY
