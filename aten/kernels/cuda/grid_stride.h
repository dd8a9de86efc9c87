// Grid-stride loops: kernels with one thread per item, up to 2^24 threads. With more items than
// that, each thread processes every 2^24th item.
#pragma once

#include <algorithm>

#include "aten/cuda/launch.h"

namespace tnp::gpu {

inline constexpr uint32_t kGridStrideThreads = 256;

inline uint32_t grid_stride_blocks(int64_t n) {
  return static_cast<uint32_t>(std::min<int64_t>((n + kGridStrideThreads - 1) / kGridStrideThreads, 1 << 16));
}

// Calls body(i) for each of the n items that belong to this thread. The kernel must be launched
// with grid_stride_blocks(n) blocks.
template <class F>
TNP_HOST_DEVICE TNP_INLINE void grid_stride_loop(Place place, int64_t n, F body) {
  const int64_t step = static_cast<int64_t>(place.blocks) * kGridStrideThreads;
  for (int64_t i = static_cast<int64_t>(place.block) * kGridStrideThreads + place.thread; i < n; i += step) body(i);
}

}  // namespace tnp::gpu
