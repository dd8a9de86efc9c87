// What folds of segments are told, on all devices.
#pragma once

#include <cstdint>

namespace tnp {

// `length` rows from `start` on make the result's row `place`.
struct FoldSegment {
  int64_t start, length, place;
};

}  // namespace tnp
