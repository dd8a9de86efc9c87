// Zeros in a large block that take no memory until they are written.
#pragma once

#include <cstddef>

namespace tnp {

inline constexpr size_t kLazyZeros = size_t{128} << 20;

// Zeroes the first `bytes` bytes of a block of the CPU's allocator by returning its pages to the
// system, which zeroes a page at the next access. False, and nothing is done, below kLazyZeros: there
// it takes more time than writing zeros, if the elements are then used.
bool clear_lazily(void* block, size_t bytes);

}  // namespace tnp
