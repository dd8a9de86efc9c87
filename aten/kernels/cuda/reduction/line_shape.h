// Distribution of lines over blocks and threads. This file does not depend on CUDA.
//
// A block has kLineThreads threads. `lanes` threads share a line, so that a block processes
// kLineThreads / lanes lines. A few long lines are cut into segments, with one block each. The
// distribution depends on the shape alone, so that results do not depend on the GPU.
#pragma once

#include <cstdint>

namespace tnp::gpu {

inline constexpr uint32_t kLineThreads = 256;

struct LineShape {
  uint32_t lanes;  // threads that share a line: a power of two
  uint32_t segments;
  int64_t segment_length;  // elements of a line that one block processes
  // If true, neighbouring threads share a line; otherwise they have neighbouring lines.
  bool lanes_side_by_side;

  int64_t blocks(int64_t lines) const {
    const int64_t per_block = kLineThreads / lanes;
    return (lines + per_block - 1) / per_block * segments;
  }
};

// The distribution of `lines` lines of n elements. A thread loads up to `piece` elements at a time.
// `side_by_side`: the elements of a line are adjacent in memory; otherwise the lines are.
LineShape line_shape(int64_t lines, int64_t n, int64_t piece, bool side_by_side);

}  // namespace tnp::gpu
