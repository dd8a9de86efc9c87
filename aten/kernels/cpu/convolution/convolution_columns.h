// Convolutions as matrix products (im2col). The matrix of columns is gathered a block at a time so
// that it stays in the cache, never for a whole batch.
#pragma once

#include <cstring>

#include "aten/core/memory/scratch.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/convolution.h"

namespace tnp::convolution {

// The number of elements of y per block. Their columns fill about a quarter of a megabyte.
template <class T>
int64_t block_of(const Convolution& c, int64_t rows) {
  constexpr int64_t kBytes = 256 * 1024;
  const int64_t fitting = kBytes / std::max<int64_t>(rows * static_cast<int64_t>(sizeof(T)), 1) / 16 * 16;
  return std::min(std::max<int64_t>(fitting, 16), std::max<int64_t>(c.y_plane(), 1));
}

// Calls piece(row of the columns, x elements or null, first column, number of columns, step in x)
// for contiguous pieces of the rows of channels [c0, c1) and the columns [p0, p1). The pointer is
// null for a piece outside x.
template <class T, class Piece>
void for_each_piece(const Convolution& c, T* x, int64_t c0, int64_t c1, int64_t p0, int64_t p1, Piece&& piece) {
  const int64_t width = c.y[2], height = c.y[1];
  int64_t row = 0;
  for (int64_t channel = c0; channel < c1; ++channel) {
    T* plane = x + channel * c.x_plane();
    for (int64_t kd = 0; kd < c.kernel[0]; ++kd) {
      for (int64_t kh = 0; kh < c.kernel[1]; ++kh) {
        for (int64_t kw = 0; kw < c.kernel[2]; ++kw, ++row) {
          const int64_t shift = kw * c.dilation[2] - c.padding[2], s = c.stride[2];
          // The columns of an output row that read inside x: first <= ow < last.
          const int64_t first = shift >= 0 ? 0 : std::min((-shift + s - 1) / s, width);
          const int64_t reach = c.x[2] - shift;
          const int64_t last = reach <= 0 ? first : std::clamp((reach + s - 1) / s, first, width);
          for (int64_t p = p0; p < p1;) {
            const int64_t line = p / width, ow = p % width, end = std::min(width, ow + (p1 - p));
            const int64_t id = line / height * c.stride[0] - c.padding[0] + kd * c.dilation[0];
            const int64_t ih = line % height * c.stride[1] - c.padding[1] + kh * c.dilation[1];
            const int64_t at = p - p0;
            if (id < 0 || id >= c.x[0] || ih < 0 || ih >= c.x[1]) {
              piece(row, static_cast<T*>(nullptr), at, end - ow, s);
            } else {
              const int64_t a = std::clamp(first, ow, end), b = std::clamp(last, a, end);
              if (a > ow) piece(row, static_cast<T*>(nullptr), at, a - ow, s);
              if (b > a) piece(row, plane + (id * c.x[1] + ih) * c.x[2] + a * s + shift, at + a - ow, b - a, s);
              if (end > b) piece(row, static_cast<T*>(nullptr), at + b - ow, end - b, s);
            }
            p += end - ow;
          }
        }
      }
    }
  }
}

template <class T>
void gather(const Convolution& c, const T* x, int64_t c0, int64_t c1, int64_t p0, int64_t p1, T* columns) {
  const int64_t n = p1 - p0;
  for_each_piece(c, x, c0, c1, p0, p1, [&](int64_t row, const T* from, int64_t at, int64_t count, int64_t step) {
    T* to = columns + row * n + at;
    if (!from)
      std::memset(to, 0, static_cast<size_t>(count) * sizeof(T));
    else if (step == 1)
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    else
      for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
  });
}

template <class T>
void scatter_add(const Convolution& c, const T* columns, int64_t c0, int64_t c1, int64_t p0, int64_t p1, T* x) {
  const int64_t n = p1 - p0;
  for_each_piece(c, x, c0, c1, p0, p1, [&](int64_t row, T* to, int64_t at, int64_t count, int64_t step) {
    const T* from = columns + row * n + at;
    if (to)
      for (int64_t i = 0; i < count; ++i) to[i * step] += from[i];
  });
}

// Whether the matrix of columns is x itself: a kernel of one element with stride 1 and no padding at
// either end.
inline bool is_pointwise(const Convolution& c) {
  for (int d = 0; d < 3; ++d)
    if (c.kernel[d] != 1 || c.stride[d] != 1 || c.padding[d] != 0 || c.x[d] != c.y[d]) return false;
  return true;
}

// C (m, n) = op(A) (m, k) op(B) (k, n), or += if `add`.
template <class T>
void product(const blas::Library& lib, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda,
             const T* b, int64_t ldb, T* c, int64_t ldc, bool add) {
  constexpr T one{1}, zero{0};
  lib.of<T>().gemm(blas::kRowMajor, ta ? blas::kTranspose : blas::kNoTranspose,
                   tb ? blas::kTranspose : blas::kNoTranspose, m, n, k, one, a, lda, b, ldb, add ? one : zero, c, ldc);
}

// The grain of parallel_for for which a task takes about ten microseconds.
inline int64_t grain_of(int64_t work_of_one) {
  return std::max<int64_t>(1, kParallelWork * 4 / std::max<int64_t>(work_of_one, 1));
}

template <class T>
void forward_by_columns(const Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  const int64_t rows = c.rows(), plane = c.y_plane(), block = block_of<T>(c, rows),
                blocks = (plane + block - 1) / block;
  const blas::Library& lib = blas::library_for<T>(blas::Work::Product, c.y_channels * rows * block);
  const bool pointwise = is_pointwise(c);
  parallel_for(0, c.images * c.groups * blocks, grain_of(c.y_channels * rows * block / 16),
               [&](int64_t begin, int64_t end) {
                 const blas::OneThread alone(lib, true);
                 Scratch<T> columns(pointwise ? 1 : rows * block);
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t image = i / blocks / c.groups, group = i / blocks % c.groups, p0 = i % blocks * block,
                                 p1 = std::min(p0 + block, plane), n = p1 - p0;
                   const T* from = x + (image * c.groups + group) * c.x_channels * c.x_plane();
                   T* to = y + (image * c.groups + group) * c.y_channels * plane + p0;
                   if (!pointwise) gather(c, from, 0, c.x_channels, p0, p1, columns.data());
                   for (int64_t k = 0; bias && k < c.y_channels; ++k)
                     std::fill_n(to + k * plane, n, bias[group * c.y_channels + k]);
                   product(lib, false, false, c.y_channels, n, rows, weight + group * c.y_channels * rows, rows,
                           pointwise ? from + p0 : columns.data(), pointwise ? plane : n, to, plane, bias != nullptr);
                 }
               });
}

// The number of channels of x that one thread computes together. Threads never add to the same
// channels.
inline int64_t channels_together(const Convolution& c, int64_t others) {
  int64_t together = c.x_channels;
  while (together > 8 && others * ((c.x_channels + together - 1) / together) < 4 * get_num_threads())
    together = (together + 1) / 2;
  return together;
}

// `bias`: one element per channel of x, or null.
template <class T>
void input_by_columns(const Convolution& c, const T* y, const T* weight, const T* bias, T* x) {
  const int64_t taps = c.taps(), rows = c.rows(), plane = c.y_plane();
  const int64_t together = channels_together(c, c.images * c.groups), parts = (c.x_channels + together - 1) / together;
  const int64_t block = block_of<T>(c, together * taps);
  const blas::Library& lib = blas::library_for<T>(blas::Work::Product, c.y_channels * together * taps * block);
  parallel_for(0, c.images * c.groups * parts, grain_of(c.y_channels * together * taps * plane / 16),
               [&](int64_t begin, int64_t end) {
                 const blas::OneThread alone(lib, true);
                 Scratch<T> columns(together * taps * block);
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t image = i / parts / c.groups, group = i / parts % c.groups, c0 = i % parts * together,
                                 c1 = std::min(c0 + together, c.x_channels), own = (c1 - c0) * taps;
                   const T* from = y + (image * c.groups + group) * c.y_channels * plane;
                   T* to = x + (image * c.groups + group) * c.x_channels * c.x_plane();
                   for (int64_t k = c0; k < c1; ++k)
                     std::fill_n(to + k * c.x_plane(), c.x_plane(), bias ? bias[group * c.x_channels + k] : T(0));
                   for (int64_t p0 = 0; p0 < plane; p0 += block) {
                     const int64_t p1 = std::min(p0 + block, plane), n = p1 - p0;
                     product(lib, true, false, own, n, c.y_channels, weight + group * c.y_channels * rows + c0 * taps,
                             rows, from + p0, plane, columns.data(), n, false);
                     scatter_add(c, columns.data(), c0, c1, p0, p1, to);
                   }
                 }
               });
}

template <class T>
void weight_by_columns(const Convolution& c, const T* x, const T* y, T* weight) {
  const int64_t taps = c.taps(), rows = c.rows(), plane = c.y_plane();
  const int64_t together = channels_together(c, c.groups), parts = (c.x_channels + together - 1) / together;
  const int64_t block = block_of<T>(c, together * taps);
  const blas::Library& lib = blas::library_for<T>(blas::Work::Product, c.y_channels * together * taps * block);
  parallel_for(0, c.groups * parts, 1, [&](int64_t begin, int64_t end) {
    const blas::OneThread alone(lib, true);
    Scratch<T> columns(together * taps * block);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / parts, c0 = i % parts * together, c1 = std::min(c0 + together, c.x_channels),
                    own = (c1 - c0) * taps;
      T* to = weight + group * c.y_channels * rows + c0 * taps;
      bool first = true;
      for (int64_t image = 0; image < c.images; ++image) {
        const T* from = x + (image * c.groups + group) * c.x_channels * c.x_plane();
        const T* dy = y + (image * c.groups + group) * c.y_channels * plane;
        for (int64_t p0 = 0; p0 < plane; p0 += block) {
          const int64_t p1 = std::min(p0 + block, plane), n = p1 - p0;
          gather(c, from, c0, c1, p0, p1, columns.data());
          product(lib, false, true, c.y_channels, own, n, dy + p0, plane, columns.data(), n, to, rows, !first);
          first = false;
        }
      }
      if (first)
        for (int64_t k = 0; k < c.y_channels; ++k) std::fill_n(to + k * rows, own, T(0));
    }
  });
}

}  // namespace tnp::convolution
