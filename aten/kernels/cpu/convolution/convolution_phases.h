// Transposed convolutions as ordinary ones.
//
// Note [Phases] A transposed convolution with the stride s and the padding p adds y[i] w[k] to
// x[i s - p + k]. The elements of x with the same r = (position + p) mod s, a phase, read the same
// taps r, r + s, ... of w. A phase is therefore an ordinary convolution of y, with the stride 1 and
// with these taps in reverse order. No element of a matrix of columns is added to x more than once.
#pragma once

#include <algorithm>

#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/cpu/convolution/onednn_convolution.h"

namespace tnp::convolution {

// One axis of a phase.
struct PhaseAxis {
  int64_t first, count;   // elements of x: first, first + stride, ...
  int64_t tap, taps;      // of the weight: tap, tap + stride, ...
  int64_t padding;        // before the elements of y
  int64_t begin, length;  // elements of y that are read
};

inline PhaseAxis phase_axis(int64_t phase, int64_t stride, int64_t padding, int64_t kernel, int64_t x, int64_t y) {
  PhaseAxis a{};
  a.first = ((phase - padding) % stride + stride) % stride;
  a.count = std::max<int64_t>((x - a.first + stride - 1) / stride, 0);
  a.tap = phase;
  a.taps = std::max<int64_t>((kernel - phase + stride - 1) / stride, 0);
  // The first element of the phase reads y[newest - taps + 1], ..., y[newest].
  const int64_t newest = (a.first + padding - phase) / stride;
  a.begin = std::max<int64_t>(newest - a.taps + 1, 0);
  a.padding = std::max<int64_t>(a.taps - 1 - newest, 0);
  a.length = std::max<int64_t>(std::min(y, newest + a.count) - a.begin, 0);
  return a;
}

inline bool suits_phases(const onednn::ConvolutionCall& call) {
  int64_t phases = 1;
  for (const int64_t s : call.stride) phases *= s;
  return call.groups == 1 && std::ranges::all_of(call.dilation, [](int64_t d) { return d == 1; }) && phases <= 8 &&
         call.x.size(1) * call.y.size(1) > 2;
}

// Computes call.x from call.y and the weight. `forward` computes an ordinary convolution.
template <class Forward>
void input_by_phases(const onednn::ConvolutionCall& call, Forward&& forward) {
  const Tensor &x = call.x, &weight = call.weight;
  const size_t axes = call.stride.size();
  const Tensor y = native::to_dense(call.y, x.dtype());
  const DimVector ones(axes, 1);
  int64_t phases = 1;
  for (const int64_t s : call.stride) phases *= s;
  for (int64_t phase = 0; phase < phases; ++phase) {
    DimVector x_sizes{x.size(0), x.size(1)}, x_strides{x.stride(0), x.stride(1)};
    DimVector w_sizes{weight.size(1), weight.size(0)}, w_strides{weight.stride(1), weight.stride(0)};
    DimVector y_sizes{y.size(0), y.size(1)}, padding;
    char *to = x.address(), *taps = weight.address(), *from = y.address();
    int64_t rest = phase;
    for (size_t d = 0; d < axes; ++d) {
      const auto axis = static_cast<int64_t>(d) + 2;
      const int64_t s = call.stride[d];
      const PhaseAxis a = phase_axis(rest % s, s, call.padding[d], weight.size(axis), x.size(axis), y.size(axis));
      rest /= s;
      x_sizes.push_back(a.count), x_strides.push_back(x.stride(axis) * s);
      to += a.first * x.stride(axis) * x.itemsize();
      w_sizes.push_back(a.taps), w_strides.push_back(-s * weight.stride(axis));
      taps += (a.tap + (a.taps - 1) * s) * weight.stride(axis) * weight.itemsize();
      y_sizes.push_back(a.length);
      from += a.begin * y.stride(axis) * y.itemsize();
      padding.push_back(a.padding);
    }
    if (numel_of(x_sizes) == 0) continue;
    const Tensor part = empty_tensor(x_sizes, x.dtype());
    if (numel_of(w_sizes) == 0 || numel_of(y_sizes) == 0) {
      fill_with(part, Scalar(0.0));
      if (call.bias.defined()) {
        DimVector spread(part.sizes().size(), 0);
        spread[1] = call.bias.stride(0);
        copy_into(part, view_of(call.bias, x_sizes, spread, call.bias.address()));
      }
    } else {
      const Tensor own_weight = native::to_dense(view_of(weight, w_sizes, w_strides, taps), x.dtype());
      const Tensor own_y = native::to_dense(view_of(y, y_sizes, y.strides(), from), x.dtype());
      forward(
          onednn::ConvolutionCall{onednn::Pass::Forward, own_y, own_weight, part, call.bias, ones, padding, ones, 1});
    }
    copy_into(view_of(x, x_sizes, x_strides, to), part);
  }
}

}  // namespace tnp::convolution
