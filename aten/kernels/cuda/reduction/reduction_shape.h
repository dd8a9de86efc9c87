// How a reduction is spread over blocks and threads. Nothing here knows CUDA.
//
// A block has kReduceThreads threads: `lanes` of them share one result, so that it computes kReduceThreads / lanes
// results. Long reductions of few results are cut into segments, one block each; what these find is combined by a
// second launch. The numbers follow from the shape alone: results do not depend on which GPU computes them.
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
  int64_t segment_length;   // elements of each result that one block combines; a multiple of kSegmentGrain
  bool lanes_side_by_side;  // neighbouring threads share a result; else they have neighbouring results
};
inline constexpr int64_t kSegmentGrain = 16;  // a pack of the narrowest type: segments begin where packs do

ReductionShape reduction_shape(const ReducePlan& plan);
// Of `count` partial results for each of `kept` results, which lie `kept` apart.
ReductionShape combination_shape(int64_t kept, int64_t count);

// Out of line: 64-bit division is a long sequence of instructions on the device, and needed rarely.
TNP_HOST_DEVICE TNP_DEVICE_NOINLINE inline int64_t divide(int64_t a, int64_t b) { return a / b; }

// One of the two AxisLists of a plan, as a kernel needs it.
struct AxesArguments {
  int32_t ndim;
  bool small;  // fewer than 2^31 elements: quick divisions do
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
// Raises NotImplemented if there are more axes than kernels know.
AxesArguments axes_arguments(const AxisList& list);

// Whether the elements of every result lie side by side, aligned for packs of `width` elements.
bool reads_packs(const ReducePlan& plan, int width);

}  // namespace tnp::gpu
