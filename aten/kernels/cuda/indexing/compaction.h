// Where a mask is true, by CUB.
#pragma once

#include <cstdint>

#include "aten/core/devices/device.h"

namespace tnp::gpu {

// The places of bytes that are not 0 among the n of `mask`, in ascending order. There are `count` of them.
void compact_places(const uint8_t* mask, int64_t n, int64_t* places, int64_t count, Device device);

}  // namespace tnp::gpu
