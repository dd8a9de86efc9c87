// Transposes short lines, so that elements at the same position of many lines are adjacent and an
// operation processes a register of them at once.
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

// to[i * lines + j] = element i of line j, for elements of 4 or 8 bytes. Lines have `length`
// elements and a stride of `step` bytes.
template <class Bits>
class TransposeLines {
#if defined(__AVX2__)
  static constexpr int kBytes = 32;  // 64 bytes are no faster
#else
  static constexpr int kBytes = 16;
#endif
  static constexpr int kSize = sizeof(Bits), kAcross = 16 / kSize;  // elements of a line in a block
  static constexpr int kDown = kBytes / kSize;                      // lines in a block
  template <int bytes>
  struct Vector {
    typedef Bits Type __attribute__((vector_size(bytes)));
  };
  using Piece = typename Vector<16>::Type;
  using Full = typename Vector<kBytes>::Type;
  typedef uint64_t Wide __attribute__((vector_size(kBytes)));

  static TNP_INLINE Piece load(const char* x) {
    Piece v;
    std::memcpy(&v, x, 16);
    return v;
  }
  template <size_t... I>
  static TNP_INLINE auto join(Piece a, Piece b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, static_cast<int>(I)...);
  }
  static TNP_INLINE auto join(Piece a, Piece b) { return join(a, b, std::make_index_sequence<2 * kAcross>{}); }
  // Loads 16 bytes of a line, or of two lines whose indices differ by kAcross.
  static TNP_INLINE Full gather(const char* x, int64_t step) {
    if constexpr (kBytes == 16)
      return load(x);
    else
      return join(load(x), load(x + kAcross * step));
  }
  // Interleaves the lower or the upper halves of each 16 bytes of a and b.
  template <int half, class V, size_t... I>
  static TNP_INLINE V zip(V a, V b, std::index_sequence<I...>) {
    constexpr size_t n = sizeof...(I), across = 16 / sizeof(a[0]);
    return __builtin_shufflevector(
        a, b, static_cast<int>(I / across * across + half * across / 2 + I % across / 2 + (I % 2) * n)...);
  }
  template <int half, class V>
  static TNP_INLINE V zip(V a, V b) {
    return zip<half>(a, b, std::make_index_sequence<sizeof(V) / sizeof(a[0])>{});
  }

  static TNP_INLINE void store(Bits* to, int64_t lines, int64_t i, int64_t length, Full v) {
    if (i < length) std::memcpy(to + i * lines, &v, sizeof v);
  }

  // Transposes elements [0, kAcross) of kDown lines; keeps only `length` of them.
  static TNP_INLINE void block(Bits* to, int64_t lines, const char* x, int64_t step, int64_t length) {
    if constexpr (kSize == 8) {
      Full a = gather(x, step), b = gather(x + step, step);
      store(to, lines, 0, length, zip<0>(a, b));
      store(to, lines, 1, length, zip<1>(a, b));
    } else {
      Full a = gather(x, step), b = gather(x + step, step), c = gather(x + 2 * step, step),
           d = gather(x + 3 * step, step);
      Wide ab = (Wide)zip<0>(a, b), cd = (Wide)zip<0>(c, d);
      store(to, lines, 0, length, (Full)zip<0>(ab, cd));
      store(to, lines, 1, length, (Full)zip<1>(ab, cd));
      ab = (Wide)zip<1>(a, b), cd = (Wide)zip<1>(c, d);
      store(to, lines, 2, length, (Full)zip<0>(ab, cd));
      store(to, lines, 3, length, (Full)zip<1>(ab, cd));
    }
  }

 public:
  __attribute__((noinline)) static void run(Bits* to, const char* x, int64_t step, int64_t lines, int64_t length) {
    int64_t j = 0;
    // If lines are shorter than a block, loads read into the next line. The last line has no next
    // one.
    const bool reads_on = length < kAcross;
    if (!reads_on || step + length * kSize >= 16) {
      for (; j + kDown + (reads_on ? 1 : 0) <= lines; j += kDown) {
        const char* line = x + j * step;
        int64_t i = 0;
        for (; i + kAcross <= length; i += kAcross) block(to + i * lines + j, lines, line + i * kSize, step, kAcross);
        if (i == length) continue;
        if (reads_on)
          block(to + j, lines, line, step, length);
        else
          block(to + (length - kAcross) * lines + j, lines, line + (length - kAcross) * kSize, step, kAcross);
      }
    }
    for (; j < lines; ++j) {
      for (int64_t i = 0; i < length; ++i) std::memcpy(to + i * lines + j, x + j * step + i * kSize, sizeof(Bits));
    }
  }
};

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
