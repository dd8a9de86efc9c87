// Boolean indexing without index arrays: x[mask] and x[mask] = values.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "aten/core/numbers/element_bits.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/indexing.h"
#include "aten/kernels/cpu/indexing/mask_indices.h"

namespace tnp {

namespace {

constexpr uint64_t kAllTrue = 0x0101010101010101u;

// Moves rows of one element. `packed` holds the rows where the mask is true, at most `room`; `all`
// holds the rows of the whole block.
template <class T, bool put>
int64_t move_elements(T* all, const uint8_t* m, int64_t n, T* packed, int64_t room) {
  static_assert(std::endian::native == std::endian::little);
  int64_t k = 0, i = 0;
  auto move = [&](int64_t at) {
    if constexpr (put)
      all[at] = packed[k++];
    else
      packed[k++] = all[at];
  };
  while (i + 8 <= n) {
    uint64_t word = true_bytes(m + i);
    if (word == 0) {
      for (i += 8; i + 32 <= n &&
                   !(true_bytes(m + i) | true_bytes(m + i + 8) | true_bytes(m + i + 16) | true_bytes(m + i + 24));)
        i += 32;
      continue;
    }
    const bool fits = k + 8 <= room;
    if (word == kAllTrue && fits) {
      if constexpr (put)
        std::memcpy(all + i, packed + k, 8 * sizeof(T));
      else
        std::memcpy(packed + k, all + i, 8 * sizeof(T));
      k += 8;
    } else if (fits && std::popcount(word) > 2) {  // no branch on the mask
      // Gather: surplus elements are overwritten later. Scatter: elements where the mask is false
      // are not written, because another thread may write them.
      T nowhere;
      for (int64_t j = 0; j < 8; ++j, word >>= 8) {
        if constexpr (put)
          *(word & 1 ? all + i + j : &nowhere) = packed[k];
        else
          packed[k] = all[i + j];
        k += static_cast<int64_t>(word & 1);
      }
    } else {
      for (; word && k < room; word &= word - 1) move(i + std::countr_zero(word) / 8);
    }
    i += 8;
  }
  for (; i < n && k < room; ++i) {
    if (m[i]) move(i);
  }
  return k;
}

// Moves rows of `width` bytes.
template <bool put>
int64_t move_wide(char* all, const uint8_t* m, int64_t n, char* packed, int64_t room, size_t width) {
  int64_t k = 0;
  for (int64_t i = 0; i < n && k < room; ++i) {
    if (!m[i]) continue;
    char *row = all + static_cast<size_t>(i) * width, *other = packed + static_cast<size_t>(k++) * width;
    std::memcpy(put ? row : other, put ? other : row, width);
  }
  return k;
}

constexpr int64_t kBlock = 1 << 13;

// The position of each block's first true element in the packed rows; the last entry is the total.
std::vector<int64_t> block_offsets(const Tensor& mask) {
  const auto* m = mask.data_ptr<uint8_t>();
  const int64_t n = mask.numel(), blocks = (n + kBlock - 1) / kBlock;
  std::vector<int64_t> offsets(static_cast<size_t>(blocks + 1));
  parallel_for(0, blocks, 32, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      offsets[static_cast<size_t>(b + 1)] = count_nonzero_bytes(m + b * kBlock, std::min(kBlock, n - b * kBlock));
  });
  for (size_t b = 0; b < static_cast<size_t>(blocks); ++b) offsets[b + 1] += offsets[b];
  return offsets;
}

template <bool put>
void move_rows(const Tensor& rows, const Tensor& mask, const Tensor& packed, const std::vector<int64_t>& offsets) {
  const auto* m = mask.data_ptr<uint8_t>();
  const int64_t n = mask.numel(), blocks = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t elements = n == 0 ? 0 : rows.numel() / n;
  const size_t width = static_cast<size_t>(elements * rows.itemsize());
  char *all = static_cast<char*>(rows.data()), *chosen = static_cast<char*>(packed.data());
  if (offsets.back() == 0 || width == 0) return;
  const int64_t grain = std::max<int64_t>(1, (1 << 18) / (kBlock * std::max<int64_t>(static_cast<int64_t>(width), 4)));
  parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b * kBlock, length = std::min(kBlock, n - first);
      const int64_t to = offsets[static_cast<size_t>(b)], room = offsets[static_cast<size_t>(b + 1)] - to;
      char *from = all + static_cast<size_t>(first) * width, *at = chosen + static_cast<size_t>(to) * width;
      int64_t moved;
      if (elements == 1) {
        moved = visit_size(rows.dtype(), [&]<class T>() {
          return move_elements<T, put>(reinterpret_cast<T*>(from), m + first, length, reinterpret_cast<T*>(at), room);
        });
      } else {
        moved = move_wide<put>(from, m + first, length, at, room, width);
      }
      // If another thread has cleared elements since they were counted, the remaining rows are
      // zero.
      if (!put && moved < room)
        std::memset(at + static_cast<size_t>(moved) * width, 0, static_cast<size_t>(room - moved) * width);
    }
  });
}

}  // namespace

Tensor native::select_rows_cpu(const Tensor& rows, const Tensor& mask) {
  if (TNP_UNLIKELY(!rows.is_contiguous() || !mask.is_contiguous()))
    return select_rows_cpu(to_dense(rows, rows.dtype()), to_dense(mask, ScalarType::Bool));
  const std::vector<int64_t> offsets = block_offsets(mask);
  DimVector sizes = rows.sizes();
  sizes[0] = offsets.back();
  Tensor out = empty_tensor(sizes, rows.dtype());
  move_rows<false>(rows, mask, out, offsets);
  return out;
}

bool native::put_rows_cpu(const Tensor& rows, const Tensor& mask, const Tensor& values) {
  if (TNP_UNLIKELY(!mask.is_contiguous() || !values.is_contiguous()))
    return put_rows_cpu(rows, to_dense(mask, ScalarType::Bool), to_dense(values, rows.dtype()));
  const std::vector<int64_t> offsets = block_offsets(mask);
  if (offsets.back() != values.size(0)) return false;
  rows.bump_version();
  move_rows<true>(rows, mask, values, offsets);
  return true;
}

}  // namespace tnp
