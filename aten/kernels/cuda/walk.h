// Kernels with one thread an item, or, if there are very many, one for every 2^24th.
#pragma once

#include <algorithm>

#include "aten/cuda/launch.h"

namespace tnp::gpu {

inline constexpr uint32_t kWalkThreads = 256;

inline uint32_t blocks_to_walk(int64_t n) {
  return static_cast<uint32_t>(std::min<int64_t>((n + kWalkThreads - 1) / kWalkThreads, 1 << 16));
}

// Calls body(i) for each of n items that is this thread's; for kernels launched with blocks_to_walk(n) blocks.
template <class F>
TNP_HOST_DEVICE TNP_INLINE void walk(Place place, int64_t n, F body) {
  const int64_t step = static_cast<int64_t>(place.blocks) * kWalkThreads;
  for (int64_t i = static_cast<int64_t>(place.block) * kWalkThreads + place.thread; i < n; i += step) body(i);
}

}  // namespace tnp::gpu
