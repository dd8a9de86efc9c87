// Kernels with one thread an item, or, if there are very many, one for every 2^24th.
#pragma once

#include <algorithm>

#include "aten/cuda/launch.h"

namespace tnp::gpu {

inline constexpr uint32_t kGridStrideThreads = 256;

inline uint32_t grid_stride_blocks(int64_t n) {
  return static_cast<uint32_t>(std::min<int64_t>((n + kGridStrideThreads - 1) / kGridStrideThreads, 1 << 16));
}

// Calls body(i) for each of n items that is this thread's; for kernels launched with grid_stride_blocks(n) blocks.
template <class F>
TNP_HOST_DEVICE TNP_INLINE void grid_stride_loop(Place place, int64_t n, F body) {
  const int64_t step = static_cast<int64_t>(place.blocks) * kGridStrideThreads;
  for (int64_t i = static_cast<int64_t>(place.block) * kGridStrideThreads + place.thread; i < n; i += step) body(i);
}

}  // namespace tnp::gpu
