// The processor, but for its instruction sets (capability.h).
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// Which of two libraries is faster is a matter of the maker: oneMKL, for one, has its best kernels for Intel's own
// only.
enum class ProcessorMaker : uint8_t { Intel, Amd, Other };

TNP_API ProcessorMaker processor_maker();

// Bytes of a core's second-level cache; 512 KiB where nobody says.
int64_t second_level_cache();

}  // namespace tnp
