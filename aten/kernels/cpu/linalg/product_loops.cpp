// Note [Products by loops] Matrix products after Goto and van de Geijn, ACM Trans. Math. Softw. 34
// (2008) 12. Blocks of A and B are packed in the order in which they are read. A block of C stays
// in registers during `kDepth` multiply-adds. The rows of the block lie along registers, as they do
// in memory. A sliver of A (kRows x kDepth) stays in L1, a panel of B (kDepth x kPanel) in L2.
// Incomplete slivers are padded with zeros.
//
// 16-bit floats are widened when they are packed, so nothing of their size is copied as float32.
//
// An element of C is the sum, in order, of partial sums over kDepth terms. Each partial sum adds
// its terms in order with fused multiply-add.
#include "aten/kernels/cpu/linalg/product_loops.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "aten/core/threads/register_bytes.h"
#include "aten/kernels/cpu/copying/transpose_square.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::product_loops::TNP_CPU_CAPABILITY {

#if defined(__FMA__) && defined(__F16C__)
namespace {

#if defined(__AVX512F__)
constexpr int64_t kRows = 8;  // 24 of 32 registers hold sums
#else
constexpr int64_t kRows = 4;  // 12 of 16 registers hold sums
#endif
constexpr int kVectors = 3;
constexpr int64_t kDepth = 256, kPanelSlivers = 10, kHeight = 512;

// Loads a register of 16-bit floats as float32.
template <class S>
struct Widened {
  typedef float Register __attribute__((vector_size(kRegisterBytes)));
  static constexpr int64_t kLanes = kRegisterBytes / 4;
  static Register load(const S* from) {
    if constexpr (std::is_same_v<S, BFloat16>) {
      typedef uint16_t Stored __attribute__((vector_size(kRegisterBytes / 2), aligned(2), may_alias));
      typedef uint32_t Bits __attribute__((vector_size(kRegisterBytes)));
      return reinterpret_cast<Register>(__builtin_convertvector(*reinterpret_cast<const Stored*>(from), Bits) << 16);
    } else {
#if defined(__AVX512F__)
      return reinterpret_cast<Register>(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#else
      return reinterpret_cast<Register>(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#endif
    }
  }
  static void widen(int64_t n, const S* from, int64_t step, float* to) {
    int64_t i = 0;
    for (; step == 1 && i + kLanes <= n; i += kLanes) {
      const Register wide = load(from + i);
      std::memcpy(to + i, &wide, sizeof wide);
    }
    for (; i < n; ++i) to[i] = static_cast<float>(from[i * step]);
  }
  static void narrow(int64_t n, const float* from, const float* added, S* to) {
    constexpr int64_t kPiece = 256;
    float sums[kPiece];
    for (int64_t begin = 0; begin < n; begin += kPiece) {
      const int64_t count = std::min(kPiece, n - begin);
      const float* x = from + begin;
      if (added) {
        for (int64_t i = 0; i < count; ++i) sums[i] = x[i] + added[begin + i];
        x = sums;
      }
      int64_t i = 0;
      if constexpr (std::is_same_v<S, Half>) {
        constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        for (; i + 8 <= count; i += 8)
          _mm_storeu_si128(reinterpret_cast<__m128i*>(to + begin + i),
                           _mm256_cvtps_ph(_mm256_loadu_ps(x + i), kNearest));
      }
      for (; i < count; ++i) to[begin + i] = S(x[i]);
    }
  }
};

template <class T>
struct Product {
  typedef T Register __attribute__((vector_size(kRegisterBytes)));
  typedef T Anywhere __attribute__((vector_size(kRegisterBytes), aligned(sizeof(T)), may_alias));
  static constexpr int64_t kLanes = kRegisterBytes / static_cast<int64_t>(sizeof(T)), kCols = kLanes * kVectors;
  static constexpr int64_t kPanel = kPanelSlivers * kCols;

  // Computes the block of C for a sliver of A and the first `vectors` registers of columns of a
  // sliver of B. Only `rows` rows and `cols` columns of the block are in C. If `first`, the sums
  // overwrite C, else they are added to C. `added`: null, or a number for each row to add.
  template <int vectors>
  static void block(int64_t depth, const T* a, const T* b, T* c, int64_t ldc, bool first, const T* added, int64_t rows,
                    int64_t cols) {
    Register sums[kRows][vectors] = {};
    for (int64_t p = 0; p < depth; ++p, a += kRows, b += kCols) {
      Register columns[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) columns[v] = *reinterpret_cast<const Anywhere*>(b + v * kLanes);
#pragma GCC unroll 8
      for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sums[r][v] += a[r] * columns[v];
      }
    }
    for (int64_t r = 0; added && r < rows; ++r)
      for (Register& sum : sums[r]) sum += added[r];
    if (rows == kRows && cols == vectors * kLanes) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          auto* to = reinterpret_cast<Anywhere*>(c + r * ldc + v * kLanes);
          *to = first ? sums[r][v] : *to + sums[r][v];
        }
      }
      return;
    }
    T all[kRows * vectors * kLanes];
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) std::memcpy(all + r * vectors * kLanes, sums[r], sizeof sums[r]);
    for (int64_t r = 0; r < rows; ++r) {
      const T* from = all + r * vectors * kLanes;
      T* to = c + r * ldc;
      for (int64_t j = 0; j < cols; ++j) to[j] = first ? from[j] : to[j] + from[j];
    }
  }
  static void block_of(int64_t depth, const T* a, const T* b, T* c, int64_t ldc, bool first, const T* added,
                       int64_t rows, int64_t cols) {
    if (cols > 2 * kLanes) return block<3>(depth, a, b, c, ldc, first, added, rows, cols);
    if (cols > kLanes) return block<2>(depth, a, b, c, ldc, first, added, rows, cols);
    block<1>(depth, a, b, c, ldc, first, added, rows, cols);
  }

  // Packs 16-bit floats, widened a sliver at a time.
  template <int64_t width, class S>
  static void pack(int64_t lines, int64_t depth, const S* x, int64_t line, int64_t step, T* to) {
    alignas(kRegisterBytes) T wide[width * kDepth];
    for (int64_t begin = 0; begin < lines; begin += width, to += width * depth) {
      const int64_t there = std::min(width, lines - begin);
      const S* from = x + begin * line;
      if (line == 1) {
        for (int64_t p = 0; p < depth; ++p) {
          Widened<S>::widen(there, from + p * step, 1, to + p * width);
          std::fill(to + p * width + there, to + (p + 1) * width, T(0));
        }
      } else {
        for (int64_t i = 0; i < there; ++i) Widened<S>::widen(depth, from + i * line, step, wide + i * depth);
        pack<width>(there, depth, wide, depth, 1, to);
      }
    }
  }
  // Packs slivers of `width` lines: element p of all lines, then element p + 1.
  template <int64_t width>
  static void pack(int64_t lines, int64_t depth, const T* x, int64_t line, int64_t step, T* to) {
    static_assert(width % kRows == 0);
    for (int64_t begin = 0; begin < lines; begin += width, to += width * depth) {
      const T* from = x + begin * line;
      const int64_t there = std::min(width, lines - begin);
      for (int64_t p = 0; p < depth && there < width; ++p)
        std::fill(to + p * width + there, to + (p + 1) * width, T(0));
      if (line == 1) {
        if (there == width) {
          for (int64_t p = 0; p < depth; ++p) std::memcpy(to + p * width, from + p * step, width * sizeof(T));
          // Avoids memcpy, because for few bytes compilers emit a string instruction, which starts
          // slowly.
        } else {
          for (int64_t p = 0; p < depth; ++p)
            for (int64_t i = 0; i < there; ++i) to[p * width + i] = from[p * step + i];
        }
        continue;
      }
      int64_t p = 0, tiled = 0;
      if (step == 1) {
        tiled = there / kRows * kRows;
        for (; p + kRows <= depth; p += kRows)
          for (int64_t i = 0; i < tiled; i += kRows)
            TransposeSquare<T, kRows>::run(from + i * line + p, line, to + p * width + i, width);
      }
      for (; p < depth; ++p)
        for (int64_t i = 0; i < tiled; ++i) to[p * width + i] = from[i * line + p * step];
      for (int64_t i = tiled; i < there; ++i)
        for (int64_t q = 0; q < depth; ++q) to[q * width + i] = from[i * line + q * step];
    }
  }

  static int64_t rounded(int64_t n, int64_t step) { return (n + step - 1) / step * step; }
  static int64_t packed_a(int64_t m, int64_t k) {
    return rounded(std::min(m, kHeight), kRows) * rounded(std::min(k, kDepth), 16);
  }

  static int64_t buffer_size(int64_t m, int64_t n, int64_t k) {
    return packed_a(m, k) + rounded(std::min(n, kPanel), kCols) * std::min(k, kDepth);
  }

  template <class S>
  static void multiply(int64_t m, int64_t n, int64_t k, const S* a, int64_t a_line, int64_t a_step, const S* b,
                       int64_t b_line, int64_t b_step, const T* added, T* c, int64_t ldc, T* buffer) {
    T *slivers = buffer, *panel = buffer + packed_a(m, k);
    for (int64_t i0 = 0; i0 < m; i0 += kHeight) {
      const int64_t height = std::min(kHeight, m - i0);
      for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
        const int64_t depth = std::min(kDepth, k - p0);
        pack<kRows>(height, depth, a + i0 * a_line + p0 * a_step, a_line, a_step, slivers);
        for (int64_t j0 = 0; j0 < n; j0 += kPanel) {
          const int64_t width = std::min(kPanel, n - j0);
          pack<kCols>(width, depth, b + j0 * b_line + p0 * b_step, b_line, b_step, panel);
          for (int64_t i = 0; i < height; i += kRows) {
            for (int64_t j = 0; j < width; j += kCols) {
              block_of(depth, slivers + i * depth, panel + j * depth, c + (i0 + i) * ldc + j0 + j, ldc, p0 == 0,
                       added && p0 == 0 ? added + i0 + i : nullptr, std::min(kRows, height - i),
                       std::min(kCols, width - j));
            }
          }
        }
      }
    }
  }

  // Note [Products of few rows] are limited by memory bandwidth for B. Four rows of B at a time are
  // multiplied into a strip of sums that stays in L1. Meanwhile the next rows are prefetched
  // explicitly: each is in another page, where the processor's own prefetcher starts anew.
  static constexpr int64_t kMostRows = 64 / sizeof(T), kStrip = 2048 / static_cast<int64_t>(sizeof(T)), kSteps = 4;

  template <class S>
  static Register load(const S* from) {
    if constexpr (std::is_same_v<S, T>)
      return *reinterpret_cast<const Anywhere*>(from);
    else
      return Widened<S>::load(from);
  }

  template <int steps, class S>
  static void add_steps(int64_t rows, int64_t width, const T* a, int64_t a_line, int64_t a_step, const S* b,
                        int64_t ldb, T* sums) {
    constexpr int kSide = 2;  // number of adjacent registers
    int64_t j = 0;
    for (; j + kSide * kLanes <= width; j += kSide * kLanes) {
      Register lines[steps][kSide];
#pragma GCC unroll 4
      for (int p = 0; p < steps; ++p) {
#pragma GCC unroll 2
        for (int v = 0; v < kSide; ++v) lines[p][v] = load(b + p * ldb + j + v * kLanes);
        __builtin_prefetch(b + (p + kSteps) * ldb + j);
      }
      for (int64_t r = 0; r < rows; ++r) {
        T* sum = sums + r * kStrip + j;
        const T* x = a + r * a_line;
#pragma GCC unroll 2
        for (int v = 0; v < kSide; ++v) {
          auto* to = reinterpret_cast<Anywhere*>(sum + v * kLanes);
          Register total = *to;
#pragma GCC unroll 4
          for (int p = 0; p < steps; ++p) total += x[p * a_step] * lines[p][v];
          *to = total;
        }
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int p = 0; p < steps; ++p) {
        const T x = a[r * a_line + p * a_step];
        for (int64_t i = j; i < width; ++i) sums[r * kStrip + i] += x * static_cast<T>(b[p * ldb + i]);
      }
    }
  }

  template <class S>
  static void multiply_few_rows(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_line, int64_t a_step, const S* b,
                                int64_t ldb, T* c, int64_t ldc) {
    alignas(kRegisterBytes) T sums[kMostRows * kStrip];
    for (int64_t j0 = 0; j0 < n; j0 += kStrip) {
      const int64_t width = std::min(kStrip, n - j0);
      for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
        const int64_t end = std::min(p0 + kDepth, k);
        for (int64_t r = 0; r < m; ++r) std::fill_n(sums + r * kStrip, width, T(0));
        int64_t p = p0;
        for (; p + kSteps <= end; p += kSteps)
          add_steps<kSteps, S>(m, width, a + p * a_step, a_line, a_step, b + p * ldb + j0, ldb, sums);
        for (; p < end; ++p) add_steps<1, S>(m, width, a + p * a_step, a_line, a_step, b + p * ldb + j0, ldb, sums);
        for (int64_t r = 0; r < m; ++r) {
          const T* from = sums + r * kStrip;
          T* to = c + r * ldc + j0;
          for (int64_t j = 0; j < width; ++j) to[j] = p0 == 0 ? from[j] : to[j] + from[j];
        }
      }
    }
  }

  // The products of up to `rows` rows with one line of B. Two registers of it are loaded for all.
  template <int rows, class S>
  static void dots(int64_t k, const T* a, int64_t lda, const S* b, T* c, int64_t ldc) {
    constexpr int kSide = 2;
    Register sums[rows][kSide] = {};
    int64_t p = 0;
    for (; p + kSide * kLanes <= k; p += kSide * kLanes) {
      const Register line[kSide] = {load(b + p), load(b + p + kLanes)};
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 2
        for (int v = 0; v < kSide; ++v) sums[r][v] += load(a + r * lda + p + v * kLanes) * line[v];
      }
    }
    for (int r = 0; r < rows; ++r) {
      const Register both = sums[r][0] + sums[r][1];
      T sum = 0;
      for (int64_t i = 0; i < kLanes; ++i) sum += both[i];
      for (int64_t q = p; q < k; ++q) sum += a[r * lda + q] * static_cast<T>(b[q]);
      c[r * ldc] = sum;
    }
  }
  template <class S>
  static void multiply_by_dots(int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const S* b, int64_t ldb, T* c,
                               int64_t ldc) {
    for (int64_t j = 0; j < n; ++j, b += ldb) {
      int64_t r = 0;
      for (; r + 4 <= m; r += 4) dots<4>(k, a + r * lda, lda, b, c + r * ldc + j, ldc);
      for (; r < m; ++r) dots<1>(k, a + r * lda, lda, b, c + r * ldc + j, ldc);
    }
  }

  static constexpr ProductLoop<T> loop() {
    return {multiply<T>, buffer_size, kRows, kCols, multiply_few_rows<T>, kMostRows, kStrip};
  }
  template <class S>
  static constexpr WidenedLoop<S> widened_loop() {
    return {multiply<S>, multiply_few_rows<S>, multiply_by_dots<S>, Widened<S>::widen, Widened<S>::narrow};
  }
};

constexpr ProductLoops kLoops = {Product<float>::loop(), Product<double>::loop(),
                                 Product<float>::widened_loop<BFloat16>(), Product<float>::widened_loop<Half>()};

}  // namespace

std::span<const ProductLoops> loops() { return {&kLoops, 1}; }
#else
std::span<const ProductLoops> loops() { return {}; }
#endif

}  // namespace tnp::product_loops::TNP_CPU_CAPABILITY
