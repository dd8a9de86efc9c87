// Tiles: splits an iterator's plan into launches. A launch counts elements with 31 bits and has a
// fixed number of dimensions. A plan with more of either is cut into tiles along its slowest
// dimensions. This file does not depend on CUDA.
#pragma once

#include "aten/core/containers/function_ref.h"
#include "aten/iterator/iterator.h"
#include "aten/kernels/cuda/divider.h"

namespace tnp::gpu {

inline constexpr int kLaunchDims = 8;
inline constexpr int64_t kLaunchElements = int64_t{1} << 30;

struct TileLimits {
  int64_t elements = kLaunchElements;
  size_t dims = kLaunchDims;
};

// Part of a plan: its dimensions [0, dims.size()), of which the last may be partial, starting at
// `offsets` (bytes, one per operand).
struct Tile {
  IntList dims;
  uint32_t numel;
  const int64_t* offsets;  // offsets of the operands, followed by that of the mask
};
void for_each_tile(const IterationPlan& plan, const TileLimits& limits, function_ref<void(const Tile&)> body);

// A plan with given dimensions, for kernels whose operands do not broadcast like those of an
// iterator. Outputs come first. Steps are in bytes, row-major. Coalesces dimensions but keeps their
// order.
struct PlannedOperand {
  char* data;
  ScalarType dtype;
  DimVector steps;
};
IterationPlan plan_of(Device device, IntList sizes, int num_outputs, std::span<const PlannedOperand> operands);

enum class Reading : uint8_t {
  Elements,  // an element per index
  Line,      // one element per line of the fastest dimension, in kernels that read packs
  Scalar,    // one element, in device memory
  Value,     // one number, in the kernel's arguments
};

// Kernel argument for one operand.
struct OperandArguments {
  char* data;
  ScalarType dtype;  // dtype in memory
  uint8_t size;      // bytes per element in memory
  Reading reading;
  alignas(16) char value[16];
};
// Dimensions and strides, for kernels that compute offsets from an index. The mask's steps follow
// the operands'.
template <int kOperands>
struct StridedArguments {
  uint32_t numel;
  int32_t ndim;
  Divider dims[kLaunchDims];
  int64_t steps[kOperands + 1][kLaunchDims];
  const char* mask;  // null if there is no mask
  OperandArguments operands[kOperands];
};

// Whether a kernel can read packs of `width` elements. Each pack must be adjacent and aligned in
// each operand, or be a single element there, and there must be no mask. With a single dimension,
// the last pack may be incomplete.
bool lies_in_packs(const IterationPlan& plan, const Tile& tile, int width);
void fill_operands(const IterationPlan& plan, const Tile& tile, OperandArguments* operands);
void fill_strides(const IterationPlan& plan, const Tile& tile, Divider* dims, int64_t (*steps)[kLaunchDims],
                  const char*& mask);

template <int kOperands>
StridedArguments<kOperands> strided_arguments(const IterationPlan& plan, const Tile& tile) {
  StridedArguments<kOperands> a{};
  a.numel = tile.numel;
  a.ndim = static_cast<int32_t>(tile.dims.size());
  fill_strides(plan, tile, a.dims, a.steps, a.mask);
  fill_operands(plan, tile, a.operands);
  return a;
}
// The arguments for a tile for which lies_in_packs() is true.
template <int kOperands>
StridedArguments<kOperands> packed_arguments(const IterationPlan& plan, const Tile& tile) {
  StridedArguments<kOperands> a = strided_arguments<kOperands>(plan, tile);
  for (int k = 0; k < kOperands; ++k) {
    if (a.operands[k].reading == Reading::Elements && a.steps[k][0] == 0) a.operands[k].reading = Reading::Line;
  }
  return a;
}

}  // namespace tnp::gpu
