// Compiler-specific attributes and builtins.
#pragma once

#if defined(__CUDACC__)
#define TNP_HOST_DEVICE __host__ __device__
#else
#define TNP_HOST_DEVICE
#endif

#define TNP_LIKELY(x) __builtin_expect(static_cast<bool>(x), 1)
#define TNP_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), 0)
#define TNP_COLD __attribute__((cold, noinline))
#define TNP_INLINE inline __attribute__((always_inline))

// The engine is compiled with hidden visibility. TNP_API exports the symbols that csrc and operator
// libraries use.
#define TNP_API __attribute__((visibility("default")))
