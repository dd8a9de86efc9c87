// Walking the plan: which dimension is fastest, coalescing, threads, chunks.
#include <algorithm>
#include <memory>

#include "aten/core/parallel.h"
#include "aten/iterator/iterator.h"

namespace tnp {

namespace {

int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

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

struct Iterator::Walk {
  DimVector dims;                                    // fastest first; never empty
  std::array<DimVector, kMaxOperands> steps;         // bytes, by dims
  std::array<char*, kMaxOperands> origin;
  bool chunked = false;                              // some operand is cast, or there is a mask
};

// NumPy's order: axes are compared by the strides of all operands; where these contradict each other, row-major wins.
DimVector Iterator::axes_by_stride() const {
  size_t n = shape_.size();
  DimVector axes(n);
  for (size_t i = 0; i < n; ++i) axes[i] = static_cast<int64_t>(n - 1 - i);
  for (size_t i = 1; i < n; ++i) {
    int64_t axis = axes[i];
    size_t place = i;
    for (size_t j = i; j-- > 0;) {
      bool known = false, swap = false;
      for (int k = 0; k < num_operands_; ++k) {
        const Operand& o = operands_[k];
        if (!o.tensor.defined()) continue;
        int64_t slow = magnitude(o.strides[static_cast<size_t>(axis)]), fast = magnitude(o.strides[static_cast<size_t>(axes[j])]);
        if (slow == 0 || fast == 0) continue;
        if (fast <= slow) swap = false;
        else if (!known) swap = true;
        known = true;
      }
      if (!known) continue;
      if (!swap) break;
      place = j;
    }
    axes.erase(i);
    axes.insert(place, axis);
  }
  return axes;
}

Iterator::Walk Iterator::make_walk(const DimVector& axes, bool any_direction) const {
  Walk walk;
  for (int k = 0; k < num_operands_; ++k) {
    walk.origin[k] = operands_[k].data;
    walk.chunked |= operands_[k].cast != nullptr || operands_[k].is_mask;
  }
  for (int64_t axis : axes) {
    auto a = static_cast<size_t>(axis);
    int64_t size = shape_[a];
    if (size == 1) continue;
    // Backwards for everybody is forwards from the other end.
    bool backwards = any_direction, moves = false;
    for (int k = 0; k < num_operands_ && backwards; ++k) {
      backwards = operands_[k].strides[a] <= 0;
      moves |= operands_[k].strides[a] < 0;
    }
    backwards &= moves;
    int64_t sign = backwards ? -1 : 1;
    bool merge = !walk.dims.empty();
    for (int k = 0; k < num_operands_; ++k) {
      if (backwards) walk.origin[k] += (size - 1) * operands_[k].strides[a];
      merge = merge && sign * operands_[k].strides[a] == walk.steps[k].back() * walk.dims.back();
    }
    if (merge) {
      walk.dims.back() *= size;
      continue;
    }
    walk.dims.push_back(size);
    for (int k = 0; k < num_operands_; ++k) walk.steps[k].push_back(sign * operands_[k].strides[a]);
  }
  if (walk.dims.empty()) {
    walk.dims.push_back(1);
    for (int k = 0; k < num_operands_; ++k) walk.steps[k].push_back(0);
  }
  if (any_direction && walk.dims[0] < 16) {
    // A short innermost dimension costs a call per few elements: go along a much longer one instead.
    size_t longest = static_cast<size_t>(std::max_element(walk.dims.begin(), walk.dims.end()) - walk.dims.begin());
    if (walk.dims[longest] >= 4 * walk.dims[0]) {
      auto to_front = [&](DimVector& v) { std::rotate(v.begin(), v.begin() + longest, v.begin() + longest + 1); };
      to_front(walk.dims);
      for (int k = 0; k < num_operands_; ++k) to_front(walk.steps[k]);
    }
  }
  return walk;
}

namespace {

// One line, a chunk at a time: casts in, the loop on what the mask lets through, casts out.
struct Chunks {
  int num_operands = 0, num_outputs = 0, mask = -1;
  const int64_t* steps = nullptr;                    // along the line, of the operands themselves
  Loop casts[kMaxOperands];
  char* buffers[kMaxOperands];
  int64_t itemsizes[kMaxOperands];                   // in the buffers
  std::unique_ptr<char[]> memory;

  void run(char* const* line, int64_t n, function_ref<void(char* const*, const int64_t*, int64_t)> loop) const {
    int num_data = mask < 0 ? num_operands : num_operands - 1;
    char* data[kMaxOperands];
    int64_t strides[kMaxOperands];
    int64_t length = std::min(n, kChunk);
    for (int64_t start = 0; start < n; start += length) {
      length = std::min(n - start, length);
      for (int k = 0; k < num_data; ++k) {
        char* own = line[k] + start * steps[k];
        data[k] = casts[k] ? buffers[k] : own;
        strides[k] = casts[k] ? itemsizes[k] : steps[k];
        if (!casts[k] || k < num_outputs) continue;
        if (steps[k] == 0) strides[k] = 0;
        char* pair[] = {buffers[k], own};
        int64_t pair_strides[] = {itemsizes[k], steps[k]};
        casts[k](pair, pair_strides, steps[k] == 0 ? 1 : length);
      }
      auto piece = [&](int64_t offset, int64_t count) {
        char* at[kMaxOperands];
        for (int k = 0; k < num_data; ++k) at[k] = data[k] + offset * strides[k];
        loop(at, strides, count);
        for (int k = 0; k < num_outputs; ++k) {
          if (!casts[k]) continue;
          char* pair[] = {line[k] + (start + offset) * steps[k], at[k]};
          int64_t pair_strides[] = {steps[k], itemsizes[k]};
          casts[k](pair, pair_strides, count);
        }
      };
      if (mask < 0) piece(0, length);
      else for_each_run(line[mask] + start * steps[mask], steps[mask], length, piece);
    }
  }
};

}  // namespace

void Iterator::run(const Walk& walk, int64_t begin, int64_t end,
                   function_ref<void(char* const*, const int64_t*, int64_t)> loop) const {
  char* data[kMaxOperands];
  int64_t steps[kMaxOperands];
  DimVector index(walk.dims.size(), 0);
  for (int k = 0; k < num_operands_; ++k) {
    data[k] = walk.origin[k];
    steps[k] = walk.steps[k][0];
  }
  if (begin > 0) {
    int64_t rest = begin;
    for (size_t d = 0; d < walk.dims.size() && rest > 0; ++d) {
      index[d] = rest % walk.dims[d];
      rest /= walk.dims[d];
      for (int k = 0; k < num_operands_; ++k) data[k] += index[d] * walk.steps[k][d];
    }
  }
  Chunks chunks;
  if (walk.chunked) {
    chunks.num_operands = num_operands_;
    chunks.num_outputs = num_outputs_;
    chunks.mask = mask_;
    chunks.steps = steps;
    int64_t length = std::min({walk.dims[0], end - begin, kChunk}), bytes = 0;
    int64_t offsets[kMaxOperands];
    for (int k = 0; k < num_operands_; ++k) {
      chunks.casts[k] = operands_[k].cast;
      chunks.itemsizes[k] = element_size(operands_[k].loop_dtype);
      offsets[k] = bytes;
      if (operands_[k].cast) bytes += (length * chunks.itemsizes[k] + 63) / 64 * 64;
    }
    if (bytes) chunks.memory.reset(new char[static_cast<size_t>(bytes)]);
    for (int k = 0; k < num_operands_; ++k) chunks.buffers[k] = chunks.memory.get() + offsets[k];
  }

  int64_t left = end - begin;
  for (;;) {
    int64_t n = std::min(walk.dims[0] - index[0], left);
    if (walk.chunked) chunks.run(data, n, loop);
    else loop(data, steps, n);
    left -= n;
    if (left == 0) return;
    // To the start of the next line.
    for (int k = 0; k < num_operands_; ++k) data[k] -= index[0] * steps[k];
    index[0] = 0;
    for (size_t d = 1; d < walk.dims.size(); ++d) {
      for (int k = 0; k < num_operands_; ++k) data[k] += walk.steps[k][d];
      if (++index[d] < walk.dims[d]) break;
      for (int k = 0; k < num_operands_; ++k) data[k] -= walk.dims[d] * walk.steps[k][d];
      index[d] = 0;
    }
  }
}

void Iterator::for_each_with(function_ref<void(char* const*, const int64_t*, int64_t)> loop, double cost) {
  if (numel_ == 0) return;
  Walk walk = make_walk(axes_by_stride(), true);
  for (int k = 0; k < num_operands_; ++k) if (operands_[k].cast) cost += 0.5;
  double grain = static_cast<double>(kParallelWork) / std::max(cost, 0.01);
  if (static_cast<double>(numel_) <= grain) return run(walk, 0, numel_, loop);
  parallel_for(0, numel_, std::max<int64_t>(static_cast<int64_t>(grain) / kPiecesPerGrain, 1),
               [&](int64_t begin, int64_t end) { run(walk, begin, end, loop); });
}

void Iterator::for_each(Loop loop, double cost) { for_each_with(loop, cost); }

void Iterator::for_each_serial(function_ref<void(char* const*, const int64_t*, int64_t)> loop) {
  if (numel_ == 0) return;
  DimVector axes(shape_.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(axes.size() - 1 - i);
  run(make_walk(axes, false), 0, numel_, loop);
}

}  // namespace tnp
