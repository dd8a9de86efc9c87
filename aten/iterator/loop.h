// Element loops: the innermost loops of the iterator. Their sources do not include tensor.h, so that a
// change of tensors compiles no loop.
#pragma once

#include <cstdint>

namespace tnp {

inline constexpr int64_t kChunk = 1024;  // elements; see Note [Chunks]

// Outputs come first in `data` and `strides` (bytes), then inputs. n > 0.
using Loop = void (*)(char* const* data, const int64_t* strides, int64_t n);

}  // namespace tnp
