// Iteration over blocks of short lines: see Note [Short lines] in loop_nest.h.
#include <algorithm>

#include "aten/iterator/block_copies.h"
#include "aten/iterator/loop_nest.h"

namespace tnp {

std::optional<Iterator::LoopNest::Blocks> Iterator::LoopNest::Blocks::plan(const LoopNest& nest) {
  // In elements: the upper bound of a short line, and the lower bound of an array for which blocks
  // pay.
  constexpr int64_t kShort = 64, kFew = 256;
  const DimVector& dims = nest.dims;
  if (dims.size() < 2 || dims[0] >= kShort || nest.of.numel_ < kFew) return std::nullopt;
  Blocks blocks(nest);
  blocks.unit = dims[0];
  while (blocks.level + 1 < dims.size() && blocks.unit * dims[blocks.level] <= kChunk)
    blocks.unit *= dims[blocks.level++];
  blocks.repeats = std::clamp<int64_t>(kChunk / blocks.unit, 1, dims[blocks.level]);
  const size_t top = blocks.repeats > 1 ? blocks.level : blocks.level - 1;  // the outermost dimension within a block
  if (top == 0) return std::nullopt;
  // Estimated cost per line, in nanoseconds.
  double by_lines = nest.chunked ? 20 : 6, by_blocks = 0;
  for (int k = 0; k < nest.of.num_operands_; ++k) {
    const DimVector& steps = nest.steps[static_cast<size_t>(k)];
    int64_t size = dims[0];
    for (size_t d = 1; d <= top; size *= dims[d++]) blocks.copied[k] |= steps[d] != steps[0] * size;
    blocks.steps[k] = blocks.copied[k] ? nest.own_size(k) : steps[0];
    if (!blocks.copied[k]) continue;
    const bool repeated = k >= nest.of.num_outputs_ && steps[blocks.level] == 0;
    if (repeated) continue;
    const bool rows = steps[0] == nest.own_size(k) || steps[0] == 0;
    const auto n = static_cast<double>(dims[0]);
    by_blocks += rows ? 1 + n * static_cast<double>(nest.own_size(k)) / 48 : 0.4 * n;
    if (!rows) by_lines += 0.6 * n;  // a strided loop without blocks would be slower as well
  }
  if (by_blocks >= by_lines) return std::nullopt;
  return blocks;
}

void Iterator::LoopNest::Blocks::run(int64_t begin, int64_t end, LoopRef loop) const {
  const Iterator& of = nest.of;
  const DimVector& dims = nest.dims;
  char* data[kMaxOperands];
  char* buffers[kMaxOperands];
  int64_t sizes[kMaxOperands];
  // The units that an input's buffer still contains: `held_units` units, the first at address
  // `held`.
  const char* held[kMaxOperands] = {};
  int64_t held_units[kMaxOperands] = {};
  int64_t bytes = 0;
  for (int k = 0; k < of.num_operands_; ++k) {
    data[k] = nest.origin[static_cast<size_t>(k)];
    sizes[k] = nest.own_size(k);
    if (copied[k]) bytes += (unit * repeats * sizes[k] + block_copies::kSlack + 63) / 64 * 64;
  }
  auto memory = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(bytes));
  for (int k = of.num_operands_ - 1; k >= 0; --k) {
    if (copied[k]) bytes -= (unit * repeats * sizes[k] + block_copies::kSlack + 63) / 64 * 64;
    buffers[k] = memory.get() + bytes;
  }
  // Copy `count` units between operand k, starting at data[k], and its buffer.
  auto to_buffer = [&](int k, int64_t count) {
    block_copies::exchange<true>(sizes[k], buffers[k], data[k], dims.data(), nest.steps[static_cast<size_t>(k)].data(),
                                 level, count);
  };
  auto from_buffer = [&](int k, int64_t count) {
    block_copies::exchange<false>(sizes[k], buffers[k], data[k], dims.data(), nest.steps[static_cast<size_t>(k)].data(),
                                  level, count);
  };
  std::optional<Chunks> chunks;
  if (nest.chunked) chunks.emplace(nest, steps, unit * repeats);

  DimVector index(dims.size(), 0);
  int64_t rest = begin;
  for (size_t d = level; d < dims.size() && rest > 0; ++d) {
    index[d] = rest % dims[d];
    rest /= dims[d];
    for (int k = 0; k < of.num_operands_; ++k) data[k] += index[d] * nest.steps[static_cast<size_t>(k)][d];
  }
  for (int64_t left = end - begin;;) {
    const int64_t count = std::min({repeats, dims[level] - index[level], left});
    char* at[kMaxOperands];
    for (int k = 0; k < of.num_operands_; ++k) {
      at[k] = copied[k] ? buffers[k] : data[k];
      if (!copied[k]) continue;
      // With a mask, outputs are loaded first, so that masked-out elements are written back
      // unchanged.
      if (k < of.num_outputs_ ? of.mask_ < 0 : held[k] == data[k] && held_units[k] >= count) continue;
      to_buffer(k, count);
      held[k] = data[k];
      held_units[k] = count;
    }
    if (chunks)
      chunks->run(at, unit * count, loop);
    else
      loop(at, steps, unit * count);
    for (int k = 0; k < of.num_outputs_; ++k)
      if (copied[k]) from_buffer(k, count);
    left -= count;
    if (left == 0) return;
    index[level] += count;
    for (int k = 0; k < of.num_operands_; ++k) data[k] += count * nest.steps[static_cast<size_t>(k)][level];
    for (size_t d = level; index[d] == dims[d] && d + 1 < dims.size(); ++d) {
      index[d] = 0;
      ++index[d + 1];
      for (int k = 0; k < of.num_operands_; ++k) {
        const DimVector& s = nest.steps[static_cast<size_t>(k)];
        data[k] += s[d + 1] - dims[d] * s[d];
      }
    }
  }
}

}  // namespace tnp
