// *to += value, by any number of threads at once, for every dtype. Those that the device has no addition for go by
// comparing and swapping the 16, 32 or 64 bits around them. In the emulation there is one thread.
#pragma once

#include "aten/core/dtype.h"

namespace tnp::gpu {

// What is added, as the CPU adds: bools are or'ed, 16-bit floats rounded after each addition.
template <class T>
TNP_HOST_DEVICE TNP_INLINE T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else if constexpr (is_reduced_float_v<T>)
    return T(static_cast<float>(a) + static_cast<float>(b));
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

#if defined(__CUDA_ARCH__)
// Word: what holds the element and is swapped; `shift` bits into it.
template <class Word, class T>
__device__ void swap_in_sum(Word* word, unsigned shift, T value) {
  constexpr Word mask = sizeof(T) == sizeof(Word) ? ~Word(0) : (Word(1) << (8 * sizeof(T) % (8 * sizeof(Word)))) - 1;
  Word seen = *word, before;
  do {
    before = seen;
    const Word bits = (before >> shift) & mask;
    stored_t<T> old;
    memcpy(&old, &bits, sizeof old);
    const stored_t<T> sum = static_cast<stored_t<T>>(sum_of(static_cast<T>(old), value));
    Word added = 0;
    memcpy(&added, &sum, sizeof sum);
    seen = atomicCAS(word, before, (before & ~(mask << shift)) | (added << shift));
  } while (seen != before);
}
#endif

template <class T>
TNP_HOST_DEVICE void atomic_add(T* to, T value) {
#if defined(__CUDA_ARCH__)
  if constexpr (is_complex_v<T>) {
    atomic_add(&to->re, value.re);
    atomic_add(&to->im, value.im);
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> ||
                       std::is_same_v<T, uint32_t>) {
    atomicAdd(to, value);
  } else if constexpr (sizeof(T) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
  } else {
    const auto address = reinterpret_cast<uintptr_t>(to);
    swap_in_sum(reinterpret_cast<unsigned*>(address & ~uintptr_t{3}), static_cast<unsigned>(address & 3) * 8, value);
  }
#else
  *reinterpret_cast<stored_t<T>*>(to) =
      static_cast<stored_t<T>>(sum_of(static_cast<T>(*reinterpret_cast<stored_t<T>*>(to)), value));
#endif
}

}  // namespace tnp::gpu
