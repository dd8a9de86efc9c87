// Iteration over tiles, for transposed operands: see Note [Transposed operands] in loop_nest.h.
#include <algorithm>

#include "aten/iterator/copy_transposed.h"
#include "aten/iterator/loop_nest.h"

namespace tnp {

std::optional<Iterator::LoopNest::Tiles> Iterator::LoopNest::Tiles::plan(const LoopNest& nest) {
  constexpr int64_t kFewColumns = 64, kFewRows = 16, kColumns = 128, kRowBytes = 128, kMostRows = 64;
  const DimVector& dims = nest.dims;
  if (dims.size() < 2 || dims[0] < kFewColumns) return std::nullopt;
  Tiles tiles(nest);
  int64_t widest = 1;
  for (int k = nest.of.num_outputs_; k < nest.of.num_operands_; ++k) {
    const DimVector& steps = nest.steps[static_cast<size_t>(k)];
    const int64_t size = nest.own_size(k);
    if (steps[0] == size || steps[0] == 0) continue;
    size_t dense = 1;
    while (dense < dims.size() && !(steps[dense] == size && dims[dense] >= kFewRows)) ++dense;
    if (dense == dims.size() || (tiles.down != 0 && tiles.down != dense)) continue;
    if (nest.of.operands_[static_cast<size_t>(k)].unaligned) continue;
    tiles.down = dense;
    tiles.transposed[k] = true;
    widest = std::max(widest, size);
  }
  if (tiles.down == 0) return std::nullopt;
  tiles.rows = std::min({kRowBytes / widest, kMostRows, dims[tiles.down]});
  tiles.columns = std::min(kColumns, dims[0]);
  return tiles;
}

int64_t Iterator::LoopNest::Tiles::count() const {
  const int64_t area = nest.dims[0] * nest.dims[down];
  return ((nest.dims[0] + columns - 1) / columns) * ((nest.dims[down] + rows - 1) / rows) * (nest.of.numel_ / area);
}

void Iterator::LoopNest::Tiles::run(int64_t begin, int64_t end, LoopRef loop) const {
  const DimVector& dims = nest.dims;
  const int operands = nest.of.num_operands_;
  const int64_t across = (dims[0] + columns - 1) / columns, stacked = (dims[down] + rows - 1) / rows;
  int64_t offsets[kMaxOperands] = {}, steps[kMaxOperands], bytes = 0;
  for (int k = 0; k < operands; ++k) {
    const int64_t size = nest.own_size(k);
    steps[k] = transposed[k] ? size : nest.steps[static_cast<size_t>(k)][0];
    if (!transposed[k]) continue;
    offsets[k] = bytes;
    bytes += (rows * columns * size + 63) / 64 * 64;
  }
  const auto memory = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(bytes));
  std::optional<Chunks> chunks;
  if (nest.chunked) chunks.emplace(nest, steps, columns);
  for (int64_t tile = begin; tile < end; ++tile) {
    const int64_t column = tile % across * columns, row = tile / across % stacked * rows;
    const int64_t width = std::min(columns, dims[0] - column), height = std::min(rows, dims[down] - row);
    char* corner[kMaxOperands];
    for (int k = 0; k < operands; ++k) {
      const DimVector& s = nest.steps[static_cast<size_t>(k)];
      corner[k] = nest.origin[static_cast<size_t>(k)] + column * s[0] + row * s[down];
      int64_t plane = tile / across / stacked;
      for (size_t d = 1; d < dims.size(); ++d) {
        if (d == down) continue;
        corner[k] += plane % dims[d] * s[d];
        plane /= dims[d];
      }
      if (!transposed[k]) continue;
      char* buffer = memory.get() + offsets[k];
      const int64_t size = nest.own_size(k);
      transpose_elements(size, buffer, columns * size, corner[k], s[0], height, width);
      corner[k] = buffer;
    }
    char* data[kMaxOperands];
    for (int64_t r = 0; r < height; ++r) {
      for (int k = 0; k < operands; ++k) {
        const int64_t step = transposed[k] ? columns * nest.own_size(k) : nest.steps[static_cast<size_t>(k)][down];
        data[k] = corner[k] + r * step;
      }
      if (chunks)
        chunks->run(data, width, loop);
      else
        loop(data, steps, width);
    }
  }
}

}  // namespace tnp
