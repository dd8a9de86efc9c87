// A counter of random draws, for detecting whether code has drawn random bits.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// The number of times this thread has locked a generator.
TNP_API uint64_t draws_of_thread();

}  // namespace tnp
