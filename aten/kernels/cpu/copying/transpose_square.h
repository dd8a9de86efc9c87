// Transposes a square of elements in registers, for loops that pack matrices.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "aten/core/macros.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

// `side`: a power of two, at most the lanes of a register. Each of log2(side) steps interleaves the
// first half of the lines with the second.
template <class T, int side>
class TransposeSquare {
  typedef T Line __attribute__((vector_size(side * sizeof(T))));

  template <int half, size_t... I>
  static TNP_INLINE Line zip(Line a, Line b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, static_cast<int>(half * side / 2 + I / 2 + I % 2 * side)...);
  }

 public:
  // to[i * to_step + j] = from[j * from_step + i]
  static TNP_INLINE void run(const T* from, int64_t from_step, T* to, int64_t to_step) {
    constexpr auto kPlaces = std::make_index_sequence<side>{};
    Line lines[side];
#pragma GCC unroll 16
    for (int64_t i = 0; i < side; ++i) std::memcpy(&lines[i], from + i * from_step, sizeof(Line));
#pragma GCC unroll 4
    for (int64_t done = 1; done < side; done *= 2) {
      Line zipped[side];
#pragma GCC unroll 8
      for (int64_t i = 0; i < side / 2; ++i) {
        zipped[2 * i] = zip<0>(lines[i], lines[i + side / 2], kPlaces);
        zipped[2 * i + 1] = zip<1>(lines[i], lines[i + side / 2], kPlaces);
      }
#pragma GCC unroll 16
      for (int64_t i = 0; i < side; ++i) lines[i] = zipped[i];
    }
#pragma GCC unroll 16
    for (int64_t i = 0; i < side; ++i) std::memcpy(to + i * to_step, &lines[i], sizeof(Line));
  }
};

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
