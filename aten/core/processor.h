// Who made the processor. Instruction sets (capability.h) say what it can do; which of two libraries does that faster
// is a matter of the maker: oneMKL, for one, has its best kernels for Intel's own only.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

enum class ProcessorMaker : uint8_t { Intel, Amd, Other };

TNP_API ProcessorMaker processor_maker();

}  // namespace tnp
