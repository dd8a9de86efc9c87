// Distribution of a reduction over blocks and threads. This file does not depend on CUDA.
//
// A block has kReduceThreads threads. `lanes` threads share one result, so that a block computes
// kReduceThreads / lanes results. If there are few results of many elements, the elements of each
// result are cut into segments, with one block per segment, and a second launch combines the
// partial results. The distribution depends on the shape alone, so that results do not depend on
// the GPU.
#pragma once

#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/reduce_plan.h"

namespace tnp::gpu {

inline constexpr uint32_t kReduceThreads = 256;
inline constexpr int kReduceAxes = 12;

struct ReductionShape {
  uint32_t lanes;  // threads that share a result: a power of two
  uint32_t segments;
  // Elements of each result that one block combines; a multiple of kSegmentGrain.
  int64_t segment_length;
  // If true, neighbouring threads share a result; otherwise they have neighbouring results.
  bool lanes_side_by_side;
};
// A pack of the narrowest type: segments begin at pack boundaries.
inline constexpr int64_t kSegmentGrain = 16;

ReductionShape reduction_shape(const ReducePlan& plan);
// The shape of the launch that combines `count` partial results for each of `kept` results. Partial
// results of the same result have stride `kept`.
ReductionShape combination_shape(int64_t kept, int64_t count);

// Not inlined: 64-bit division is a long sequence of instructions on the device, and rarely needed.
TNP_HOST_DEVICE TNP_DEVICE_NOINLINE inline int64_t divide(int64_t a, int64_t b) { return a / b; }

// One of the two AxisLists of a plan, as a kernel argument.
struct AxesArguments {
  int32_t ndim;
  bool small;  // fewer than 2^31 elements, so that 32-bit division suffices
  Divider quick[kReduceAxes];
  int64_t sizes[kReduceAxes];
  int64_t in[kReduceAxes], mask[kReduceAxes], out[kReduceAxes];

  struct Offsets {
    int64_t in, mask, out;
  };
  TNP_HOST_DEVICE Offsets locate(int64_t i) const {
    if (ndim == 1) return {i * in[0], i * mask[0], i * out[0]};
    Offsets at{0, 0, 0};
    for (int d = 0; d < ndim; ++d) {
      const int64_t rest =
          small ? static_cast<int64_t>(quick[d].quotient(static_cast<uint32_t>(i))) : divide(i, sizes[d]);
      const int64_t index = i - rest * sizes[d];
      at.in += index * in[d];
      at.mask += index * mask[d];
      at.out += index * out[d];
      i = rest;
    }
    return at;
  }
};
// Raises NotImplemented if there are more than kReduceAxes axes.
AxesArguments axes_arguments(const AxisList& list);

// Whether the elements of every result are adjacent, and aligned for packs of `width` elements.
bool reads_packs(const ReducePlan& plan, int width);

}  // namespace tnp::gpu
