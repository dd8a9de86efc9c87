// Stream compaction: the indices at which a mask is true, by CUB.
#pragma once

#include <cstdint>

#include "aten/core/devices/device.h"

namespace tnp::gpu {

// Writes the indices of the nonzero bytes among the n of `mask`, in ascending order. `count` is the
// number of nonzero bytes.
void compact_places(const uint8_t* mask, int64_t n, int64_t* places, int64_t count, Device device);

}  // namespace tnp::gpu
