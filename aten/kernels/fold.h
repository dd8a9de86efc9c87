// Segments of rows that a fold reduces, on every device.
#pragma once

#include <cstdint>

namespace tnp {

// Rows [start, start + length) are folded into row `place` of the result.
struct FoldSegment {
  int64_t start, length, place;
};

}  // namespace tnp
