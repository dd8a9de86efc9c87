// For loops that wait for another thread.
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace tnp {

// Takes its time, and leaves the processor's units alone meanwhile. Not by `pause`, by whose number a virtual machine
// tells that a thread waits for another: it gives its processor away for some microseconds then.
inline void spin() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

}  // namespace tnp
