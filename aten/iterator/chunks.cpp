// A line, a chunk at a time, where operands are cast or elements masked; see Note [Chunks].
#include <algorithm>

#include "aten/iterator/loop_nest.h"

namespace tnp {

namespace {

// Calls body(offset, length) for the stretches where the mask is true.
template <class F>
void for_each_run(const char* mask, int64_t step, int64_t n, F&& body) {
  int64_t i = 0;
  while (i < n) {
    while (i < n && mask[i * step] == 0) ++i;
    int64_t begin = i;
    while (i < n && mask[i * step] != 0) ++i;
    if (i > begin) body(begin, i - begin);
  }
}

}  // namespace

Iterator::LoopNest::Chunks::Chunks(const LoopNest& nest, const int64_t* steps, int64_t longest)
    : of_(nest.of), steps_(steps) {
  const int64_t length = std::min(longest, kChunk);
  int64_t bytes = 0;
  int64_t offsets[kMaxOperands];
  for (int k = 0; k < of_.num_operands_; ++k) {
    const Operand& o = of_.operands_[k];
    itemsizes_[k] = element_size(o.loop_dtype);
    offsets[k] = bytes;
    if (o.cast) bytes += (length * itemsizes_[k] + 63) / 64 * 64;
  }
  if (bytes) memory_.reset(new char[static_cast<size_t>(bytes)]);
  for (int k = 0; k < of_.num_operands_; ++k) buffers_[k] = memory_.get() + offsets[k];
}

void Iterator::LoopNest::Chunks::run(char* const* line, int64_t n, LoopRef loop) const {
  const int mask = of_.mask_, num_outputs = of_.num_outputs_;
  const int num_data = mask < 0 ? of_.num_operands_ : of_.num_operands_ - 1;
  char* data[kMaxOperands];
  int64_t strides[kMaxOperands];
  int64_t length = std::min(n, kChunk);
  for (int64_t start = 0; start < n; start += length) {
    length = std::min(n - start, length);
    for (int k = 0; k < num_data; ++k) {
      Loop cast = of_.operands_[k].cast;
      char* own = line[k] + start * steps_[k];
      data[k] = cast ? buffers_[k] : own;
      strides[k] = cast ? itemsizes_[k] : steps_[k];
      if (!cast || k < num_outputs) continue;
      if (steps_[k] == 0) strides[k] = 0;
      char* pair[] = {buffers_[k], own};
      int64_t pair_strides[] = {itemsizes_[k], steps_[k]};
      cast(pair, pair_strides, steps_[k] == 0 ? 1 : length);
    }
    auto piece = [&](int64_t offset, int64_t count) {
      char* at[kMaxOperands];
      for (int k = 0; k < num_data; ++k) at[k] = data[k] + offset * strides[k];
      loop(at, strides, count);
      for (int k = 0; k < num_outputs; ++k) {
        Loop cast = of_.operands_[k].cast;
        if (!cast) continue;
        char* pair[] = {line[k] + (start + offset) * steps_[k], at[k]};
        int64_t pair_strides[] = {steps_[k], itemsizes_[k]};
        cast(pair, pair_strides, count);
      }
    };
    if (mask < 0)
      piece(0, length);
    else
      for_each_run(line[mask] + start * steps_[mask], steps_[mask], length, piece);
  }
}

}  // namespace tnp
