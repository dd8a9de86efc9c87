// Process-wide precision of float32 (and complex64) matrix products on hardware with units faster
// than float32. The CPU, and devices without such units, always multiply in float32.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// High: operands are rounded to TF32 (10 mantissa bits), sums are float32. Medium: bfloat16 on
// hardware without TF32; on GPUs the same as High.
enum class Float32MatmulPrecision : uint8_t { Highest, High, Medium };

TNP_API Float32MatmulPrecision float32_matmul_precision();  // initially Highest
TNP_API void set_float32_matmul_precision(Float32MatmulPrecision precision);

}  // namespace tnp
