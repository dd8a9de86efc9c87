// Cumulative sums and products of integers, by CUB.
#pragma once

#include <cstdint>

#include "aten/core/devices/device.h"

namespace tnp::gpu {

enum class IntegerScan : uint8_t { Sums, Products };

// out[k] is the sum or product of in[0], ..., in[k], modulo 2^64. `n` is not 0.
void scan_integers(IntegerScan kind, const uint64_t* in, uint64_t* out, int64_t n, Device device);

}  // namespace tnp::gpu
