// Atomic read-modify-write of elements of every dtype: sums, products and extrema. Where the device
// has no such instruction, the functions compare and swap the 32 or 64 bits around the element. In
// the emulation there is one thread, so no atomics are needed.
#pragma once

#include "aten/core/numbers/dtype.h"

namespace tnp::gpu {

// a + b, computed as on the CPU: bools are or'ed, and 16-bit floats are rounded after each
// addition.
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

struct AtomicSum {
  template <class T>
  TNP_HOST_DEVICE static T combine(T a, T b) {
    return sum_of(a, b);
  }
};
struct AtomicProduct {
  template <class T>
  TNP_HOST_DEVICE static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else if constexpr (is_reduced_float_v<T>)
      return T(static_cast<float>(a) * static_cast<float>(b));
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
      return a * b;
  }
};
// Maximum or minimum of real numbers. If either operand is NaN, so is the result.
template <bool largest>
struct AtomicExtremum {
  template <class T>
  TNP_HOST_DEVICE static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return largest ? a || b : a && b;
    } else {
      using Wide = std::conditional_t<is_reduced_float_v<T>, float, T>;
      const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
      return y != y || (largest ? y > x : y < x) ? b : a;
    }
  }
};

#if defined(__CUDA_ARCH__)
// Compare-and-swap loop on the Word that contains the element, `shift` bits into it.
template <class F, class Word, class T>
__device__ void swap_in(Word* word, unsigned shift, T value) {
  constexpr Word mask = sizeof(T) == sizeof(Word) ? ~Word(0) : (Word(1) << (8 * sizeof(T) % (8 * sizeof(Word)))) - 1;
  Word seen = *word, before;
  do {
    before = seen;
    const Word bits = (before >> shift) & mask;
    stored_t<T> old;
    memcpy(&old, &bits, sizeof old);
    const stored_t<T> sum = static_cast<stored_t<T>>(F::combine(static_cast<T>(old), value));
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
    swap_in<AtomicSum>(reinterpret_cast<unsigned*>(address & ~uintptr_t{3}), static_cast<unsigned>(address & 3) * 8,
                       value);
  }
#else
  *reinterpret_cast<stored_t<T>*>(to) =
      static_cast<stored_t<T>>(sum_of(static_cast<T>(*reinterpret_cast<stored_t<T>*>(to)), value));
#endif
}

// Locks for elements of 16 bytes, for which early devices have no atomic instruction. A hash of the
// element's address selects the lock. Zeroed device memory holds open locks.
struct ElementLocks {
  static constexpr int64_t kCount = 1 << 14;
  uint32_t* at;
  TNP_HOST_DEVICE uint32_t* of(const void* element) const {
    return at + (reinterpret_cast<uintptr_t>(element) / 16 & (kCount - 1));
  }
};

// *to = F::combine(*to, value) under a lock. A thread releases the lock in the same loop iteration
// in which it got it. Otherwise the waiting threads of its warp could prevent it from continuing.
template <class F, class T>
TNP_HOST_DEVICE void locked_update([[maybe_unused]] const ElementLocks& locks, T* to, T value) {
#if defined(__CUDA_ARCH__)
  uint32_t* lock = locks.of(to);
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0u, 1u) != 0u) continue;
    __threadfence();
    volatile T* element = to;
    T old;
    old.re = element->re;  // a volatile read bypasses the L1 cache
    old.im = element->im;
    const T next = F::combine(old, value);
    element->re = next.re;
    element->im = next.im;
    __threadfence();
    atomicExch(lock, 0u);
    done = true;
  }
#else
  *to = F::combine(*to, value);
#endif
}

// *to = F::combine(*to, value), atomically, for elements of up to 8 bytes.
template <class F, class T>
TNP_HOST_DEVICE void atomic_update(T* to, T value) {
  static_assert(sizeof(T) <= 8);
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    swap_in<F>(reinterpret_cast<unsigned long long*>(to), 0u, value);
  } else {
    const auto address = reinterpret_cast<uintptr_t>(to);
    swap_in<F>(reinterpret_cast<unsigned*>(address & ~uintptr_t{3}), static_cast<unsigned>(address & 3) * 8, value);
  }
#else
  *reinterpret_cast<stored_t<T>*>(to) =
      static_cast<stored_t<T>>(F::combine(static_cast<T>(*reinterpret_cast<stored_t<T>*>(to)), value));
#endif
}

}  // namespace tnp::gpu
