// Products of a few rows by a packed matrix.
//
// Note [Products by packed matrices] B is far larger than A here, and is streamed through the cores
// once for all rows. So the block of C in registers is as tall as they allow, and two registers
// wide. Each element of a panel of B is loaded once for up to kRows multiplications. A is not
// packed: packing its few rows would cost more than multiplying them by some columns.
#include "aten/kernels/cpu/linalg/packed_product_loops.h"

#include <algorithm>
#include <array>
#include <utility>

#include "aten/core/threads/register_bytes.h"
#include "aten/kernels/cpu/copying/transpose_square.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::packed_product_loops::TNP_CPU_CAPABILITY {

#if defined(__FMA__)
namespace {

#if defined(__AVX512F__)
constexpr int kRows = 14;  // 28 of 32 registers hold sums
#else
constexpr int kRows = 6;  // 12 of 16 registers hold sums
#endif
constexpr int kVectors = 2;
// The number of products in a partial sum. Partial sums are added separately, because rounding
// errors grow with the number of terms.
constexpr int64_t kDepth = 256;

template <class T>
struct Product {
  typedef T Register __attribute__((vector_size(kRegisterBytes)));
  typedef T Anywhere __attribute__((vector_size(kRegisterBytes), aligned(sizeof(T)), may_alias));
  static constexpr int64_t kLanes = kRegisterBytes / static_cast<int64_t>(sizeof(T)), kCols = kLanes * kVectors;

  // Computes the block of C with `rows` rows and one panel, of which `cols` columns are in C.
  template <int rows>
  static void block(int64_t depth, const T* a, int64_t lda, const T* b, const T* start, int64_t start_line, T* c,
                    int64_t ldc, int64_t cols) {
    // Three rows share a pointer and the distance between rows, because there are fewer general
    // registers than rows.
    constexpr int kPointers = (rows + 2) / 3;
    const T* from[kPointers];
#pragma GCC unroll 5
    for (int i = 0; i < kPointers; ++i) from[i] = a + 3 * i * lda;
    Register sums[rows][kVectors] = {};
    for (int64_t p = 0; p < depth; ++p, b += kCols) {
      Register columns[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) columns[v] = *reinterpret_cast<const Anywhere*>(b + v * kLanes);
#pragma GCC unroll 14
      for (int r = 0; r < rows; ++r) {
        const T x = from[r / 3][r % 3 * lda];
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sums[r][v] += x * columns[v];
      }
#pragma GCC unroll 5
      for (int i = 0; i < kPointers; ++i) ++from[i];
    }
    if (cols == kCols) {
#pragma GCC unroll 14
      for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          if (start) sums[r][v] += *reinterpret_cast<const Anywhere*>(start + r * start_line + v * kLanes);
          *reinterpret_cast<Anywhere*>(c + r * ldc + v * kLanes) = sums[r][v];
        }
      }
      return;
    }
    T all[rows * kCols];
#pragma GCC unroll 14
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) *reinterpret_cast<Anywhere*>(all + r * kCols + v * kLanes) = sums[r][v];
    }
    for (int r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < cols; ++j)
        c[r * ldc + j] = start ? start[r * start_line + j] + all[r * kCols + j] : all[r * kCols + j];
    }
  }

  using Block = void (*)(int64_t, const T*, int64_t, const T*, const T*, int64_t, T*, int64_t, int64_t);
  template <size_t... i>
  static constexpr std::array<Block, kRows> blocks(std::index_sequence<i...>) {
    return {block<static_cast<int>(i) + 1>...};
  }
  static constexpr std::array<Block, kRows> kBlocks = blocks(std::make_index_sequence<kRows>());

  static void multiply(int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* packed, const T* start,
                       int64_t start_line, T* c, int64_t ldc) {
    if (m <= 0) return;
    // Blocks have about equal heights, because low blocks wait for their operands.
    const int64_t parts = (m + kRows - 1) / kRows;
    for (int64_t j = 0; j < n; j += kCols, packed += k * kCols) {
      for (int64_t p = 0; p < k; p += kDepth) {
        const T* before = p > 0 ? c + j : start ? start + j : nullptr;
        const int64_t before_line = p > 0 ? ldc : start_line;
        for (int64_t part = 0; part < parts; ++part) {
          const int64_t row = m * part / parts, height = m * (part + 1) / parts - row;
          kBlocks[static_cast<size_t>(height - 1)](std::min(kDepth, k - p), a + row * lda + p, lda, packed + p * kCols,
                                                   before ? before + row * before_line : nullptr, before_line,
                                                   c + row * ldc + j, ldc, std::min(kCols, n - j));
        }
      }
    }
  }

  static void pack(int64_t k, int64_t n, const T* b, int64_t b_line, int64_t b_step, int64_t begin, int64_t end,
                   T* packed) {
    for (int64_t i = begin; i < end; ++i) {
      const T* from = b + i * kCols * b_line;
      T* to = packed + i * k * kCols;
      const int64_t cols = std::min(kCols, n - i * kCols);
      // The remainder is copied element by element: the last columns, and the last rows of the
      // remaining columns.
      const int64_t whole = b_step == 1 ? k / kLanes * kLanes : 0,
                    whole_cols = b_step == 1 ? cols / kLanes * kLanes : 0;
      for (int64_t j = 0; j < whole_cols; j += kLanes)
        for (int64_t p = 0; p < whole; p += kLanes)
          TransposeSquare<T, kLanes>::run(from + j * b_line + p, b_line, to + p * kCols + j, kCols);
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t j = p < whole ? whole_cols : 0; j < cols; ++j) to[p * kCols + j] = from[p * b_step + j * b_line];
        std::fill(to + p * kCols + cols, to + (p + 1) * kCols, T(0));
      }
    }
  }

  static constexpr PackedProductLoop<T> loop() { return {kRows, kCols, pack, multiply}; }
};

constexpr PackedProductLoops kLoops = {Product<float>::loop(), Product<double>::loop()};

}  // namespace

std::span<const PackedProductLoops> loops() { return {&kLoops, 1}; }
#else
std::span<const PackedProductLoops> loops() { return {}; }
#endif

}  // namespace tnp::packed_product_loops::TNP_CPU_CAPABILITY
