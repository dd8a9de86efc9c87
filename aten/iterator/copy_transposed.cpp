// Copies of transposed arrays, by tiles.
//
// Note [Tiles] A loop along either dimension alone accesses one side with a large stride: each
// element is in a cache line of its own, and often a page, which is evicted before the neighbouring
// element is needed. A two-dimensional tile uses every element of the cache lines that it touches.
#include "aten/iterator/copy_transposed.h"

#include <algorithm>
#include <cstring>

#include "aten/core/numbers/element_bits.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/overlap.h"

namespace tnp {

namespace {

constexpr int64_t kMinimum = 16;  // minimum number of elements along each dimension

// Transposes small blocks in vector registers. Measured on AMD EPYC (Zen 4) with 500 x 500 float32:
// copying element by element through memory takes up to five times as long.
template <class T>
struct Block {
  static constexpr bool is_register = sizeof(T) == 4 || sizeof(T) == 8;
  static constexpr int64_t kSide = is_register ? 16 / static_cast<int64_t>(sizeof(T)) : 1;

  // to[r][c] = from[c][r]; steps in elements.
  static TNP_INLINE void transpose(T* to, int64_t to_step, const T* from, int64_t from_step) {
    if constexpr (sizeof(T) == 4) {
      typedef uint32_t Row __attribute__((vector_size(16)));
      const Row a = load<Row>(from), b = load<Row>(from + from_step), c = load<Row>(from + 2 * from_step),
                d = load<Row>(from + 3 * from_step);
      const Row ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Row ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      store(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
      store(to + to_step, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
      store(to + 2 * to_step, __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5));
      store(to + 3 * to_step, __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7));
    } else if constexpr (sizeof(T) == 8) {
      typedef uint64_t Row __attribute__((vector_size(16)));
      const Row a = load<Row>(from), b = load<Row>(from + from_step);
      store(to, __builtin_shufflevector(a, b, 0, 2));
      store(to + to_step, __builtin_shufflevector(a, b, 1, 3));
    } else {
      *to = *from;
    }
  }

 private:
  template <class Row>
  static TNP_INLINE Row load(const T* from) {
    Row row;
    std::memcpy(&row, from, sizeof row);
    return row;
  }
  template <class Row>
  static TNP_INLINE void store(T* to, Row row) {
    std::memcpy(static_cast<void*>(to), &row, sizeof row);
  }
};

// Transposes a tile of `columns` elements along dst's dense dimension and `rows` along src's. Steps
// in elements.
template <class T>
void transpose_tile(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = Block<T>::kSide;
  auto copy = [&](int64_t r, int64_t c) {  // memcpy, since complex64 has only the alignment of a float
    std::memcpy(static_cast<void*>(to + r * to_step + c), from + c * from_step + r, sizeof(T));
  };
  int64_t c = 0;
  for (; c + kSide <= columns; c += kSide) {
    int64_t r = 0;
    for (; r + kSide <= rows; r += kSide)
      Block<T>::transpose(to + r * to_step + c, to_step, from + c * from_step + r, from_step);
    for (; r < rows; ++r)
      for (int64_t k = c; k < c + kSide; ++k) copy(r, k);
  }
  for (; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r) copy(r, c);
}

// Lines that are a large power of two apart map to the same few cache sets and evict each other
// before a tile is complete (conflict misses). Such tiles are larger and are assembled in a buffer.
template <class T>
constexpr int64_t kTile = std::max<int64_t>(64 / static_cast<int64_t>(sizeof(T)), 8);
template <class T>
constexpr int64_t kBufferedTile = std::clamp<int64_t>(256 / static_cast<int64_t>(sizeof(T)), 8, 128);
template <class T>
bool compete(int64_t step) {
  return step * static_cast<int64_t>(sizeof(T)) % 1024 == 0;
}

template <class T>
void copy_tile_buffered(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = kBufferedTile<T>;
  alignas(64) T tile[kSide * kSide];
  transpose_tile(tile, kSide, from, from_step, rows, columns);
  for (int64_t r = 0; r < rows; ++r) std::copy_n(tile + r * kSide, columns, to + r * to_step);
}

// `along_dst` and `along_src`: the dimensions along which dst and src are dense.
template <class T>
void copy_tiles(const Tensor& dst, const Tensor& src, size_t along_dst, size_t along_src) {
  const int64_t columns = dst.sizes()[along_dst], rows = dst.sizes()[along_src];
  const int64_t to_step = dst.strides()[along_src], from_step = src.strides()[along_dst];
  const bool buffered = compete<T>(to_step) || compete<T>(from_step);
  const int64_t side = buffered ? kBufferedTile<T> : kTile<T>;
  const int64_t tiles_across = (columns + side - 1) / side, tiles_down = (rows + side - 1) / side;
  const int64_t planes = dst.numel() / (columns * rows);
  const int64_t grain = std::max<int64_t>(kParallelWork / (side * side), 1);
  parallel_for(0, planes * tiles_down * tiles_across, grain, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t c = tile % tiles_across * side, r = tile / tiles_across % tiles_down * side;
      int64_t to = r * to_step + c, from = c * from_step + r, plane = tile / tiles_across / tiles_down;
      for (size_t d = dst.sizes().size(); d-- > 0;) {
        if (d == along_dst || d == along_src) continue;
        const int64_t index = plane % dst.sizes()[d];
        plane /= dst.sizes()[d];
        to += index * dst.strides()[d];
        from += index * src.strides()[d];
      }
      const T* source = reinterpret_cast<const T*>(src.data()) + from;
      // Prefetches the next tile of these lines. Each line is in its own page, so the hardware
      // prefetcher finds no pattern.
      if (!buffered && r + side < rows)
        for (int64_t k = 0; k < std::min(side, columns - c); ++k) __builtin_prefetch(source + k * from_step + side);
      (buffered ? copy_tile_buffered<T> : transpose_tile<T>)(reinterpret_cast<T*>(dst.data()) + to, to_step, source,
                                                             from_step, std::min(side, rows - r),
                                                             std::min(side, columns - c));
    }
  });
}

// Sets `dim` to the dimension with stride 1 and more than one element. Returns false if there is
// none.
bool dense_dimension(const Tensor& t, size_t& dim) {
  for (size_t d = t.sizes().size(); d-- > 0;) {
    if (t.strides()[d] == 1 && t.sizes()[d] > 1) {
      dim = d;
      return true;
    }
  }
  return false;
}

}  // namespace

void transpose_elements(int64_t size, char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows,
                        int64_t columns) {
  visit_element_size(size, [&]<class T>() {
    transpose_tile(reinterpret_cast<T*>(to), to_step / size, reinterpret_cast<const T*>(from), from_step / size, rows,
                   columns);
  });
}

bool copy_transposed(const Tensor& dst, const Tensor& src) {
  size_t along_dst = 0, along_src = 0;
  // Bools need normalisation: foreign memory may hold bytes that are neither 0 nor 1.
  if (dst.dtype() != src.dtype() || is_bool(dst.dtype()) || dst.sizes() != src.sizes() ||
      dst.numel() < 4 * kMinimum * kMinimum || dst.is_unaligned() || src.is_unaligned())
    return false;
  if (!dense_dimension(dst, along_dst) || !dense_dimension(src, along_src) || along_dst == along_src) return false;
  if (dst.sizes()[along_dst] < kMinimum || dst.sizes()[along_src] < kMinimum) return false;
  if (may_share_memory(dst, src)) return false;
  visit_size(dst.dtype(), [&]<class Bits>() { copy_tiles<Bits>(dst, src, along_dst, along_src); });
  return true;
}

}  // namespace tnp
