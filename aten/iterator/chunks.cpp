// Processes a line in chunks if operands are cast or unaligned, or elements are masked: see Note
// [Chunks].
#include <algorithm>

#include "aten/iterator/block_copies.h"
#include "aten/iterator/loop_nest.h"

namespace tnp {

namespace {

// Calls body(offset, length) for each run of true mask elements.
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

// Copies `n` elements of `size` bytes between addresses of any alignment.
void copy_elements(int64_t size, char* to, int64_t to_step, char* from, int64_t from_step, int64_t n) {
  if (to_step == size && from_step == size) {
    std::memcpy(to, from, static_cast<size_t>(n * size));
    return;
  }
  visit_element_size(
      size, [&]<class Bits>() { block_copies::exchange_elements<Bits, true>(to, to_step, from, from_step, n); });
}

}  // namespace

Iterator::LoopNest::Chunks::Chunks(const LoopNest& nest, const int64_t* steps, int64_t longest)
    : of_(nest.of), steps_(steps) {
  const int64_t length = std::min(longest, kChunk);
  int64_t bytes = 0;
  int64_t offsets[kMaxOperands], offsets_aligned[kMaxOperands];
  auto take = [&](int64_t itemsize) {
    const int64_t offset = bytes;
    bytes += (length * itemsize + 63) / 64 * 64;
    return offset;
  };
  for (int k = 0; k < of_.num_operands_; ++k) {
    const Operand& o = of_.operands_[k];
    itemsizes_[k] = element_size(o.loop_dtype);
    offsets_aligned[k] = o.unaligned ? take(nest.own_size(k)) : 0;
    offsets[k] = o.cast ? take(itemsizes_[k]) : offsets_aligned[k];
  }
  if (bytes) memory_.reset(new char[static_cast<size_t>(bytes)]);
  for (int k = 0; k < of_.num_operands_; ++k) {
    buffers_[k] = memory_.get() + offsets[k];
    aligned_[k] = memory_.get() + offsets_aligned[k];
  }
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
      const Operand& o = of_.operands_[k];
      char* own = line[k] + start * steps_[k];
      int64_t step = steps_[k];
      if (TNP_UNLIKELY(o.unaligned)) {  // outputs too: some loops leave elements unchanged
        const int64_t size = o.tensor.itemsize();
        copy_elements(size, aligned_[k], size, own, step, step == 0 ? 1 : length);
        own = aligned_[k];
        if (step != 0 || k < num_outputs) step = size;
      }
      data[k] = o.cast ? buffers_[k] : own;
      strides[k] = o.cast ? itemsizes_[k] : step;
      if (!o.cast || k < num_outputs) continue;
      if (step == 0) strides[k] = 0;
      char* pair[] = {buffers_[k], own};
      int64_t pair_strides[] = {itemsizes_[k], step};
      o.cast(pair, pair_strides, step == 0 ? 1 : length);
    }
    auto cast_out = [&](Loop cast, char* to, int64_t step, int k, char* from, int64_t count) {
      char* pair[] = {to, from};
      int64_t pair_strides[] = {step, itemsizes_[k]};
      cast(pair, pair_strides, count);
    };
    auto piece = [&](int64_t offset, int64_t count) {
      char* at[kMaxOperands];
      for (int k = 0; k < num_data; ++k) at[k] = data[k] + offset * strides[k];
      loop(at, strides, count);
      for (int k = 0; k < num_outputs; ++k) {
        const Operand& o = of_.operands_[k];
        char* own = line[k] + (start + offset) * steps_[k];
        if (TNP_LIKELY(!o.unaligned)) {
          if (o.cast) cast_out(o.cast, own, steps_[k], k, at[k], count);
          continue;
        }
        const int64_t size = o.tensor.itemsize();
        char* aligned = aligned_[k] + offset * size;
        if (o.cast) cast_out(o.cast, aligned, size, k, at[k], count);
        copy_elements(size, own, steps_[k], aligned, size, count);
      }
    };
    if (mask < 0)
      piece(0, length);
    else
      for_each_run(line[mask] + start * steps_[mask], steps_[mask], length, piece);
  }
}

}  // namespace tnp
