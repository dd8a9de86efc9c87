// How precisely float32 matrices (and complex64 ones) are multiplied where hardware has something faster than float32.
// For the whole process. The CPU, and devices without such units, multiply in float32 in any case.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// High: products of numbers rounded to TF32 (10 bits of mantissa), sums in float32. Medium: bfloat16 where there is no
// TF32; as High on GPUs.
enum class Float32MatmulPrecision : uint8_t { Highest, High, Medium };

TNP_API Float32MatmulPrecision float32_matmul_precision();  // Highest at first
TNP_API void set_float32_matmul_precision(Float32MatmulPrecision precision);

}  // namespace tnp
