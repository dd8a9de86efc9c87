#include "aten/kernels/cuda/reduction/line_shape.h"

#include <algorithm>
#include <bit>

namespace tnp::gpu {

namespace {

constexpr int64_t kWarp = 32;
// The number of elements per thread beyond which a line is cut if the GPU is not busy.
constexpr int64_t kLongest = 64;
constexpr int64_t kEnoughBlocks = 512;  // the GPU is busy with this many blocks
constexpr int64_t kMostSegments = 1024;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
uint32_t power_of_two(int64_t at_least) {
  return static_cast<uint32_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(at_least, 1, kLineThreads))));
}

}  // namespace

LineShape line_shape(int64_t lines, int64_t n, int64_t piece, bool side_by_side) {
  LineShape shape{};
  shape.lanes_side_by_side = side_by_side;
  // A warp reads adjacent elements: either adjacent elements of one line, or one element from each
  // of several adjacent lines.
  const uint32_t shared = power_of_two(ceil_div(n, piece)), across = power_of_two(std::min(lines, kWarp));
  shape.lanes =
      side_by_side ? std::max(shared, power_of_two(std::min(n, kWarp))) : std::min(shared, kLineThreads / across);
  const int64_t blocks = std::max<int64_t>(ceil_div(lines, kLineThreads / shape.lanes), 1);
  const int64_t useful = ceil_div(n, kLongest * shape.lanes);
  const int64_t wanted = std::clamp<int64_t>(std::min(kEnoughBlocks / blocks, useful), 1, kMostSegments);
  shape.segment_length = std::max<int64_t>(ceil_div(n, wanted), 1);
  shape.segments = static_cast<uint32_t>(std::max<int64_t>(ceil_div(n, shape.segment_length), 1));
  return shape;
}

}  // namespace tnp::gpu
