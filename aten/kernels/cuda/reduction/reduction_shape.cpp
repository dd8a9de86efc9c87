#include "aten/kernels/cuda/reduction/reduction_shape.h"

#include <algorithm>
#include <bit>

namespace tnp::gpu {

namespace {

// The number of elements per thread before several threads share a result. The number is small if
// there would be too few threads to keep a GPU busy, and otherwise large enough to amortise joining
// two threads' results.
constexpr int64_t kPerThread = 16, kMostPerThread = 128, kBusyThreads = 1 << 18;
// The number of elements per thread beyond which a reduction is cut if the GPU is not busy.
constexpr int64_t kLongest = 256;
constexpr int64_t kEnoughBlocks = 1024;
constexpr int64_t kMostSegments = 1024;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
uint32_t power_of_two(int64_t at_least) {
  return static_cast<uint32_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(at_least, 1, kReduceThreads))));
}

ReductionShape with_segments(ReductionShape shape, int64_t kept, int64_t count) {
  const int64_t blocks = ceil_div(kept, kReduceThreads / shape.lanes);
  const int64_t useful = ceil_div(count, kLongest * shape.lanes);
  const int64_t segments = std::clamp<int64_t>(std::min(kEnoughBlocks / blocks, useful), 1, kMostSegments);
  shape.segment_length =
      std::max<int64_t>(ceil_div(ceil_div(count, segments), kSegmentGrain) * kSegmentGrain, kSegmentGrain);
  shape.segments = static_cast<uint32_t>(std::max<int64_t>(ceil_div(count, shape.segment_length), 1));
  return shape;
}

}  // namespace

ReductionShape reduction_shape(const ReducePlan& plan) {
  const int64_t kept = plan.kept.count, count = plan.reduced.count;
  ReductionShape shape{};
  shape.lanes_side_by_side = !plan.rows;
  if (shape.lanes_side_by_side)
    shape.lanes = power_of_two(ceil_div(count, std::clamp(kept * count / kBusyThreads, kPerThread, kMostPerThread)));
  else
    shape.lanes = kReduceThreads / power_of_two(kept);  // a block computes as many adjacent results as there are
  return with_segments(shape, kept, count);
}

ReductionShape combination_shape(int64_t kept, int64_t count) {
  ReductionShape shape{};
  shape.lanes_side_by_side = false;
  shape.lanes = std::min(power_of_two(ceil_div(count, 4)), kReduceThreads / power_of_two(std::min<int64_t>(kept, 32)));
  shape.segments = 1;
  shape.segment_length = count;
  return shape;
}

AxesArguments axes_arguments(const AxisList& list) {
  TNP_CHECK(list.axes.size() <= kReduceAxes, ErrorKind::NotImplemented, "a reduction over an array of more than ",
            kReduceAxes, " dimensions that cannot be merged is not implemented on CUDA");
  AxesArguments a{};
  a.ndim = static_cast<int32_t>(list.axes.size());
  a.small = list.count < (int64_t{1} << 31);
  for (size_t d = 0; d < list.axes.size(); ++d) {
    const Axis& axis = list.axes[d];
    if (a.small && axis.size > 0) a.quick[d] = Divider(static_cast<uint32_t>(axis.size));
    a.sizes[d] = axis.size;
    a.in[d] = axis.in;
    a.mask[d] = axis.mask;
    a.out[d] = axis.out;
  }
  return a;
}

bool reads_packs(const ReducePlan& plan, int width) {
  const int64_t size = element_size(plan.in_dtype), pack = size * width;
  if (width == 1 || plan.mask || plan.rows || plan.reduced.axes.size() != 1 || plan.reduced.axes[0].in != size)
    return false;
  if (reinterpret_cast<uintptr_t>(plan.in) % static_cast<uintptr_t>(pack) != 0) return false;
  return std::all_of(plan.kept.axes.begin(), plan.kept.axes.end(),
                     [&](const Axis& a) { return a.size == 1 || a.in % pack == 0; });
}

}  // namespace tnp::gpu
