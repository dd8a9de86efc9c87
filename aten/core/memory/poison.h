// Bytes that nobody may touch: AddressSanitizer, where it is built in, reports who does. Elsewhere this is nothing.
#pragma once

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace tnp {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kAddressSanitizer = true;
inline void poison(void* data, size_t bytes) { __asan_poison_memory_region(data, bytes); }
inline void unpoison(void* data, size_t bytes) { __asan_unpoison_memory_region(data, bytes); }
#else
inline constexpr bool kAddressSanitizer = false;
inline void poison(void*, size_t) {}
inline void unpoison(void*, size_t) {}
#endif

// Of a block, the first bytes are somebody's; what was added to round its size up is not.
inline void unpoison_only(void* block, size_t bytes, size_t all) {
  unpoison(block, bytes);
  poison(static_cast<char*>(block) + bytes, all - bytes);
}

}  // namespace tnp
