// How many lines, of as many elements each, are spread over blocks and threads. Nothing here knows CUDA.
//
// A block has kLineThreads threads: `lanes` of them share a line, so that it takes kLineThreads / lanes lines. Long
// lines of which there are few are cut into segments, one block each. The numbers follow from the shape alone: results
// do not depend on which GPU computes them.
#pragma once

#include <cstdint>

namespace tnp::gpu {

inline constexpr uint32_t kLineThreads = 256;

struct LineShape {
  uint32_t lanes;  // threads that share a line: a power of two
  uint32_t segments;
  int64_t segment_length;   // elements of a line that one block takes
  bool lanes_side_by_side;  // neighbouring threads share a line; else they have neighbouring lines

  int64_t blocks(int64_t lines) const {
    const int64_t per_block = kLineThreads / lanes;
    return (lines + per_block - 1) / per_block * segments;
  }
};

// Of `lines` lines of n elements, of which a thread reads up to `piece` at a time. `side_by_side`: the elements of a
// line are next to each other in memory; else lines are.
LineShape line_shape(int64_t lines, int64_t n, int64_t piece, bool side_by_side);

}  // namespace tnp::gpu
