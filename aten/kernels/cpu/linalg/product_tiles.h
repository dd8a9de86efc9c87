// Division of a matrix product into tiles of the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "aten/core/threads/parallel.h"

namespace tnp::native {

// Note [Tiles]: libraries and loops without threads of their own compute rectangular tiles of the
// result. They pack the rows and columns beside each tile again. So, among the divisions into the
// wanted number of tiles, the one with the shortest sides is chosen. Sides are multiples of the
// kernel's block size.
struct Grid {
  int64_t height, width;  // size of a tile
};
inline Grid tiles_of(int64_t rows, int64_t cols, int64_t wanted, int64_t row_step, int64_t col_step) {
  auto side = [](int64_t length, int64_t parts, int64_t step) {
    return parts == 1 ? length : ((length + parts - 1) / parts + step - 1) / step * step;
  };
  Grid best{rows, cols};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t across = 1; across <= wanted; ++across) {
    if (wanted % across != 0) continue;
    const Grid grid{side(rows, wanted / across, row_step), side(cols, across, col_step)};
    // All threads wait for the largest tile. Packing a line costs as much as multiplying it some
    // dozens of times.
    constexpr int64_t kPacking = 48;
    const int64_t cost = grid.height * grid.width + kPacking * (grid.height + grid.width);
    if (cost < least) least = cost, best = grid;
  }
  return best;
}

// Calls body(row, col, height, width) for each tile of a result, on several threads.
template <class F>
void for_each_tile(int64_t rows, int64_t cols, Grid tile, F&& body) {
  const int64_t down = (rows + tile.height - 1) / tile.height, across = (cols + tile.width - 1) / tile.width;
  std::optional<LongWork> long_work;
  if (down * across == 1) long_work.emplace();
  parallel_for(0, down * across, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t row = i / across * tile.height, col = i % across * tile.width;
      body(row, col, std::min(tile.height, rows - row), std::min(tile.width, cols - col));
    }
  });
}

}  // namespace tnp::native
