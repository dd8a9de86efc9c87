// Runs the plan: orders and coalesces dimensions, distributes lines over threads.
#include <algorithm>
#include <cstdlib>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/coalesce.h"
#include "aten/iterator/loop_nest.h"

namespace tnp {

// NumPy's order: axes are compared by the strides of all operands. If operands disagree, row-major
// wins.
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
        int64_t slow = std::abs(o.strides[static_cast<size_t>(axis)]),
                fast = std::abs(o.strides[static_cast<size_t>(axes[j])]);
        if (slow == 0 || fast == 0) continue;
        if (fast <= slow)
          swap = false;
        else if (!known)
          swap = true;
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

Iterator::LoopNest Iterator::make_nest(const DimVector& axes, bool any_direction) const {
  LoopNest nest(*this);
  for (int k = 0; k < num_operands_; ++k) {
    nest.origin[k] = operands_[k].data;
    nest.chunked |= operands_[k].cast != nullptr || operands_[k].unaligned || operands_[k].is_mask;
  }
  for (int64_t axis : axes) {
    auto a = static_cast<size_t>(axis);
    int64_t size = shape_[a];
    if (size == 1) continue;
    // If no operand has a positive stride along this axis, reverse it.
    bool backwards = any_direction, moves = false;
    for (int k = 0; k < num_operands_ && backwards; ++k) {
      backwards = operands_[k].strides[a] <= 0;
      moves |= operands_[k].strides[a] < 0;
    }
    backwards &= moves;
    int64_t sign = backwards ? -1 : 1;
    for (int k = 0; k < num_operands_ && backwards; ++k) nest.origin[k] += (size - 1) * operands_[k].strides[a];
    add_axis(
        nest.dims, static_cast<size_t>(num_operands_), size, [&](size_t k) { return sign * operands_[k].strides[a]; },
        [&](size_t k) -> DimVector& { return nest.steps[k]; });
  }
  if (nest.dims.empty()) {
    nest.dims.push_back(1);
    for (int k = 0; k < num_operands_; ++k) nest.steps[k].push_back(0);
  }
  return nest;
}

// A short innermost dimension costs one call per few elements: iterates over a much longer
// dimension instead.
void Iterator::LoopNest::take_longest_first() {
  if (dims[0] >= 16) return;
  const auto longest = std::max_element(dims.begin(), dims.end()) - dims.begin();
  if (dims[static_cast<size_t>(longest)] < 4 * dims[0]) return;
  auto to_front = [&](DimVector& v) { std::rotate(v.begin(), v.begin() + longest, v.begin() + longest + 1); };
  to_front(dims);
  for (int k = 0; k < of.num_operands_; ++k) to_front(steps[static_cast<size_t>(k)]);
}

void Iterator::run(const LoopNest& nest, int64_t begin, int64_t end, LoopRef loop) const {
  char* data[kMaxOperands];
  int64_t steps[kMaxOperands];
  DimVector index(nest.dims.size(), 0);
  for (int k = 0; k < num_operands_; ++k) {
    data[k] = nest.origin[k];
    steps[k] = nest.steps[k][0];
  }
  if (begin > 0) {
    int64_t rest = begin;
    for (size_t d = 0; d < nest.dims.size() && rest > 0; ++d) {
      index[d] = rest % nest.dims[d];
      rest /= nest.dims[d];
      for (int k = 0; k < num_operands_; ++k) data[k] += index[d] * nest.steps[k][d];
    }
  }
  std::optional<LoopNest::Chunks> chunks;
  if (nest.chunked) chunks.emplace(nest, steps, std::min(nest.dims[0], end - begin));

  int64_t left = end - begin;
  for (;;) {
    int64_t n = std::min(nest.dims[0] - index[0], left);
    if (chunks)
      chunks->run(data, n, loop);
    else
      loop(data, steps, n);
    left -= n;
    if (left == 0) return;
    // Advances to the start of the next line.
    for (int k = 0; k < num_operands_; ++k) data[k] -= index[0] * steps[k];
    index[0] = 0;
    for (size_t d = 1; d < nest.dims.size(); ++d) {
      for (int k = 0; k < num_operands_; ++k) data[k] += nest.steps[k][d];
      if (++index[d] < nest.dims[d]) break;
      for (int k = 0; k < num_operands_; ++k) data[k] -= nest.dims[d] * nest.steps[k][d];
      index[d] = 0;
    }
  }
}

namespace {

// Distributes [0, count) over threads in calls body(begin, end). Each item has `elements` elements
// of `cost` nanoseconds.
template <class F>
void in_tasks(int64_t count, int64_t elements, double cost, F&& body) {
  const double grain = static_cast<double>(kParallelWork) / std::max(cost * static_cast<double>(elements), 0.01);
  if (static_cast<double>(count) <= grain) return body(int64_t{0}, count);
  parallel_for(0, count, std::max<int64_t>(static_cast<int64_t>(grain) / kTasksPerGrain, 1), body);
}

}  // namespace

void Iterator::for_each_with(LoopRef loop, double cost) {
  if (TNP_UNLIKELY(!device_.is_cpu())) return skip_or_raise();
  if (numel_ == 0) return;
  LoopNest nest = make_nest(axes_by_stride(), true);
  nest.take_longest_first();
  for (int k = 0; k < num_operands_; ++k)
    if (operands_[k].cast) cost += 0.5;
  in_tasks(numel_, 1, cost, [&](int64_t begin, int64_t end) { run(nest, begin, end, loop); });
}

void Iterator::for_each(Loop loop, double cost) {
  if (TNP_UNLIKELY(!device_.is_cpu())) return skip_or_raise();
  if (numel_ == 0) return;
  LoopNest nest = make_nest(axes_by_stride(), true);
  for (int k = 0; k < num_operands_; ++k)
    if (operands_[k].cast) cost += 0.5;
  if (auto blocks = LoopNest::Blocks::plan(nest)) {
    return in_tasks(blocks->units(), blocks->unit, cost,
                    [&](int64_t begin, int64_t end) { blocks->run(begin, end, loop); });
  }
  if (auto tiles = LoopNest::Tiles::plan(nest)) {
    return in_tasks(tiles->count(), tiles->elements(), cost,
                    [&](int64_t begin, int64_t end) { tiles->run(begin, end, loop); });
  }
  nest.take_longest_first();
  in_tasks(numel_, 1, cost, [&](int64_t begin, int64_t end) { run(nest, begin, end, loop); });
}

void Iterator::for_each_serial(LoopRef loop) {
  if (TNP_UNLIKELY(!device_.is_cpu())) return skip_or_raise();
  if (numel_ == 0) return;
  DimVector axes(shape_.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(axes.size() - 1 - i);
  run(make_nest(axes, false), 0, numel_, loop);
}

}  // namespace tnp
