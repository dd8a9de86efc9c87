// Pause instruction for loops that wait for another thread.
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace tnp {

// Delays the loop without occupying the processor's execution units. It does not use `pause`: a
// hypervisor counts those to detect spinning, and then deschedules the virtual processor for some
// microseconds.
inline void spin() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

}  // namespace tnp
