// Processor properties other than its instruction sets (capability.h).
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// The faster of two libraries depends on the vendor. For example, oneMKL uses its best kernels on
// Intel processors only.
enum class ProcessorVendor : uint8_t { Intel, Amd, Other };

TNP_API ProcessorVendor processor_vendor();

// Bytes of a core's second-level cache; 512 KiB if unknown.
int64_t second_level_cache();

}  // namespace tnp
