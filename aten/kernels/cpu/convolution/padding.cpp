// Constant padding on the CPU. The lines of a dense result are written once: its front, its copied
// elements, its end.
#include "aten/kernels/padding.h"

#include <algorithm>
#include <cstring>

#include "aten/core/containers/small_vector.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/padding.h"

namespace tnp::native {

namespace {

// An axis of the result: elements [low, low + count) are those of the input from `first` on.
struct PaddedAxis {
  int64_t size, low, first, count, stride;  // stride: of the input, in elements
  bool is_whole() const { return low == 0 && first == 0 && count == size; }
};
using Axes = SmallVector<PaddedAxis, 6>;

Axes padded_axes(const Tensor& input, IntList pad, const Tensor& out) {
  Axes axes;
  for (int64_t d = 0; d < out.dim(); ++d) {
    const auto pair = static_cast<size_t>(2 * (out.dim() - 1 - d));
    const int64_t before = pair < pad.size() ? pad[pair] : 0, low = std::max<int64_t>(before, 0),
                  first = std::max<int64_t>(-before, 0);
    axes.push_back({out.size(d), low, first, std::min(input.size(d) - first, out.size(d) - low), input.stride(d)});
  }
  return axes;
}

// Joins the last axes into one line as far as the lines of the input have no gaps.
void join_last_axes(Axes& axes) {
  while (axes.size() > 1) {
    const PaddedAxis line = axes.back();
    PaddedAxis& outer = axes[axes.size() - 2];
    if (!line.is_whole() || line.stride != 1 || outer.stride != line.size) return;
    outer = {outer.size * line.size, outer.low * line.size, outer.first * line.size, outer.count * line.size, 1};
    axes.pop_back();
  }
}

template <class Bits>
void pad_line(const PaddedAxis& line, const Bits* from, Bits value, Bits* to) {
  std::fill_n(to, line.low, value);
  std::memcpy(static_cast<void*>(to + line.low), from + line.first, static_cast<size_t>(line.count) * sizeof(Bits));
  std::fill_n(to + line.low + line.count, line.size - line.low - line.count, value);
}

// The last two axes: lines, and fill before and after them.
template <class Bits>
void pad_plane(const PaddedAxis& rows, const PaddedAxis& line, const Bits* from, Bits value, Bits* to) {
  std::fill_n(to, rows.low * line.size, value);
  to += rows.low * line.size;
  from += rows.first * rows.stride;
  for (int64_t i = 0; i < rows.count; ++i, to += line.size, from += rows.stride) pad_line(line, from, value, to);
  std::fill_n(to, (rows.size - rows.low - rows.count) * line.size, value);
}

template <class Bits>
void pad_planes(const Axes& axes, const Bits* from, Bits value, Bits* to) {
  const PaddedAxis line = axes.back(), rows = axes[axes.size() - 2];
  const size_t outer = axes.size() - 2;
  int64_t planes = 1;
  for (size_t d = 0; d < outer; ++d) planes *= axes[d].size;
  const int64_t plane = rows.size * line.size, work = 8 * rows.size + plane * static_cast<int64_t>(sizeof(Bits)) / 16;
  parallel_for(0, planes, std::max<int64_t>(kParallelWork / work, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Bits* source = from;
      bool copied = true;
      int64_t rest = i;
      for (size_t d = outer; copied && d-- > 0;) {
        const int64_t at = rest % axes[d].size - axes[d].low;
        rest /= axes[d].size;
        copied = at >= 0 && at < axes[d].count;
        if (copied) source += (at + axes[d].first) * axes[d].stride;
      }
      if (copied)
        pad_plane(rows, line, source, value, to + i * plane);
      else
        std::fill_n(to + i * plane, plane, value);
    }
  });
}

}  // namespace

void constant_pad_nd_cpu(const Tensor& input, IntList pad, const Scalar& value, const Tensor& out) {
  if (out.numel() == 0) return;
  Axes axes = padded_axes(input, pad, out);
  join_last_axes(axes);
  while (axes.size() < 2) axes.insert(0, {1, 0, 0, 1, 0});
  const bool dense = out.is_contiguous() && axes.back().stride == 1 &&
                     std::ranges::all_of(axes, [](const PaddedAxis& a) { return a.count > 0; });
  if (!dense) return pad_constant(input, pad, value, out);
  const Tensor element = scalar_tensor(value, out.dtype());
  visit_size(out.dtype(), [&]<class Bits>() {
    Bits bits;
    std::memcpy(&bits, element.data(), sizeof(Bits));
    pad_planes(axes, reinterpret_cast<const Bits*>(input.data()), bits, reinterpret_cast<Bits*>(out.data()));
  });
}

}  // namespace tnp::native
