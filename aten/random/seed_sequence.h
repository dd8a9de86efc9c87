// Seeding of bit generators from the entropy pool of a NumPy SeedSequence.
#pragma once

#include <cstdint>
#include <span>

#include "aten/random/generator.h"

namespace tnp {

// Sets the state that NumPy's class of the same name has after seeding with a SeedSequence with this
// pool. Raises Value if the pool is empty, or for a foreign bit generator.
//
// Source: O'Neill, "Developing a seed_seq Alternative" (2015); numpy/random/bit_generator.pyx.
TNP_API void seed_from_pool(BitGenerator& bits, std::span<const uint32_t> pool);

}  // namespace tnp
