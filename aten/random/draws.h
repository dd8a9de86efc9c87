// Whether a piece of code has drawn random bits.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// How often this thread has taken hold of a generator.
TNP_API uint64_t draws_of_thread();

}  // namespace tnp
