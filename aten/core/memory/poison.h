// Memory poisoning: AddressSanitizer reports accesses to poisoned bytes. No-ops in builds without
// AddressSanitizer.
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

// Unpoisons the first `bytes` of a block and poisons its padding.
inline void unpoison_only(void* block, size_t bytes, size_t all) {
  unpoison(block, bytes);
  poison(static_cast<char*>(block) + bytes, all - bytes);
}

}  // namespace tnp
