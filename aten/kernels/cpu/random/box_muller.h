// Box-Muller transform from uniform to normal numbers, as in PyTorch's CPU generator.
//
// Source: Box and Muller, Ann. Math. Statist. 29 (1958) 610-611.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "aten/kernels/cpu/pointwise/vector_math.h"

namespace tnp::native {

// Transforms blocks of 16 uniform numbers in [0, 1) in place. In each block, 8 numbers give the
// radii and 8 the angles of 8 pairs.
template <class T>
void box_muller(T* data, int64_t blocks, T mean, T deviation) {
  constexpr T kTurn = static_cast<T>(2.0 * std::numbers::pi);
  auto radius_of = [](T logarithm) { return std::sqrt(T(-2) * logarithm); };
  // For doubles this gives PyTorch's bits. For float32 PyTorch has its own vector math, which
  // differs by a few ULP.
  const auto& vector = chosen_vector_math_of<T>();
  if (!std::is_same_v<T, float> || !vector.log || !vector.sin || !vector.cos) {
    for (; blocks > 0; --blocks, data += 16) {
      for (int i = 0; i < 8; ++i) {
        const T radius = radius_of(std::log(1 - data[i])), angle = kTurn * data[i + 8];
        data[i] = radius * std::cos(angle) * deviation + mean;
        data[i + 8] = radius * std::sin(angle) * deviation + mean;
      }
    }
    return;
  }
  constexpr int64_t kBlocks = 32;
  T radii[8 * kBlocks], angles[8 * kBlocks], cosines[8 * kBlocks];
  while (blocks > 0) {
    const int64_t count = std::min(blocks, kBlocks);
    for (int64_t b = 0; b < count; ++b) {
      for (int i = 0; i < 8; ++i) {
        radii[8 * b + i] = 1 - data[16 * b + i];
        angles[8 * b + i] = kTurn * data[16 * b + 8 + i];
      }
    }
    vector.log(radii, radii, 8 * count);
    vector.cos(angles, cosines, 8 * count);
    vector.sin(angles, angles, 8 * count);
    for (int64_t b = 0; b < count; ++b) {
      for (int i = 0; i < 8; ++i) {
        const T radius = radius_of(radii[8 * b + i]);
        data[16 * b + i] = radius * cosines[8 * b + i] * deviation + mean;
        data[16 * b + 8 + i] = radius * angles[8 * b + i] * deviation + mean;
      }
    }
    data += 16 * count, blocks -= count;
  }
}

}  // namespace tnp::native
