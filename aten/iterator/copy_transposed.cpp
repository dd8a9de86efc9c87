// Note [Tiles]: along either dimension alone, one side's elements are far apart: each touches a cache line, and often a
// page, of its own, and is gone before its neighbour is wanted. A tile of both dimensions uses all of each line it
// touches.
#include "aten/iterator/copy_transposed.h"

#include <algorithm>

#include "aten/core/element_bits.h"
#include "aten/core/parallel.h"
#include "aten/iterator/overlap.h"

namespace tnp {

namespace {

constexpr int64_t kTileBytes = 128;  // along both dimensions: two lines of cache, which the processor fetches in pairs
constexpr int64_t kMinimum = 16;     // elements along each dimension

// A tile of `columns` elements along dst's dense dimension and `rows` along src's. Steps in elements.
template <class T>
void copy_tile(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = std::max<int64_t>(kTileBytes / static_cast<int64_t>(sizeof(T)), 8);
  alignas(64) T tile[kSide * kSide];
  if (rows == kSide && columns == kSide) {
    for (int64_t c = 0; c < kSide; ++c) {
      for (int64_t r = 0; r < kSide; ++r) tile[c * kSide + r] = from[c * from_step + r];
    }
    for (int64_t r = 0; r < kSide; ++r) {
      for (int64_t c = 0; c < kSide; ++c) to[r * to_step + c] = tile[c * kSide + r];
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[r * to_step + c] = from[c * from_step + r];
  }
}

// `along_dst` and `along_src`: the dimensions where dst and src are dense.
template <class T>
void copy_tiles(const Tensor& dst, const Tensor& src, size_t along_dst, size_t along_src) {
  constexpr int64_t kSide = std::max<int64_t>(kTileBytes / static_cast<int64_t>(sizeof(T)), 8);
  const int64_t columns = dst.sizes()[along_dst], rows = dst.sizes()[along_src];
  const int64_t to_step = dst.strides()[along_src], from_step = src.strides()[along_dst];
  const int64_t tiles_across = (columns + kSide - 1) / kSide, tiles_down = (rows + kSide - 1) / kSide;
  const int64_t planes = dst.numel() / (columns * rows);
  const int64_t grain = std::max<int64_t>(kParallelWork / (kSide * kSide), 1);
  parallel_for(0, planes * tiles_down * tiles_across, grain, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t c = tile % tiles_across * kSide, r = tile / tiles_across % tiles_down * kSide;
      int64_t to = r * to_step + c, from = c * from_step + r, plane = tile / tiles_across / tiles_down;
      for (size_t d = dst.sizes().size(); d-- > 0;) {
        if (d == along_dst || d == along_src) continue;
        const int64_t index = plane % dst.sizes()[d];
        plane /= dst.sizes()[d];
        to += index * dst.strides()[d];
        from += index * src.strides()[d];
      }
      copy_tile(reinterpret_cast<T*>(dst.data()) + to, to_step, reinterpret_cast<const T*>(src.data()) + from,
                from_step, std::min(kSide, rows - r), std::min(kSide, columns - c));
    }
  });
}

// The dimension with stride 1 and more than one element, or none.
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

bool copy_transposed(const Tensor& dst, const Tensor& src) {
  size_t along_dst = 0, along_src = 0;
  // Bools are not copied as they are: foreign memory may hold bytes that are neither 0 nor 1.
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
