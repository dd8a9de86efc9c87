// From an iterator's plan to launches. A launch counts elements with 31 bits and knows few dimensions; a plan with more
// of either is cut into tiles along its slowest dimensions. Nothing here knows CUDA.
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

// The dimensions [0, dims.size()) of a plan, the last of them perhaps not whole, from `offsets` on (bytes, by operand).
struct Tile {
  IntList dims;
  uint32_t numel;
  const int64_t* offsets;  // of the operands and then the mask
};
void for_each_tile(const IterationPlan& plan, const TileLimits& limits, function_ref<void(const Tile&)> body);

// A plan whose dimensions are given: for kernels whose operands do not broadcast as an iterator's do. Outputs first;
// steps in bytes, row-major. Coalesces, and keeps the order.
struct PlannedOperand {
  char* data;
  ScalarType dtype;
  DimVector steps;
};
IterationPlan plan_of(Device device, IntList sizes, int num_outputs, std::span<const PlannedOperand> operands);

enum class Reading : uint8_t {
  Elements,  // along with the index
  Line,      // one element for each line of the fastest dimension, of kernels that read packs
  Scalar,    // one element, in the device's memory
  Value,     // one number, in the arguments
};

// What a kernel is told about an operand.
struct OperandArguments {
  char* data;
  ScalarType dtype;  // in memory
  uint8_t size;      // of an element in memory
  Reading reading;
  alignas(16) char value[16];
};
// Dimensions, for kernels that go by index. The mask's steps come after the operands'.
template <int kOperands>
struct StridedArguments {
  uint32_t numel;
  int32_t ndim;
  Divider dims[kLaunchDims];
  int64_t steps[kOperands + 1][kLaunchDims];
  const char* mask;  // or null
  OperandArguments operands[kOperands];
};

// Whether `width` elements from any multiple of it on lie side by side in each operand, aligned for a pack, or are one
// element there; without a mask. Of a single dimension the last pack may be incomplete.
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
// For a tile that lies_in_packs().
template <int kOperands>
StridedArguments<kOperands> packed_arguments(const IterationPlan& plan, const Tile& tile) {
  StridedArguments<kOperands> a = strided_arguments<kOperands>(plan, tile);
  for (int k = 0; k < kOperands; ++k) {
    if (a.operands[k].reading == Reading::Elements && a.steps[k][0] == 0) a.operands[k].reading = Reading::Line;
  }
  return a;
}

}  // namespace tnp::gpu
