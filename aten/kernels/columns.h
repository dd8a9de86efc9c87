// Functors for one element of im2col (the matrix of columns) and one element of col2im, on every
// device.
#pragma once

#include "aten/kernels/convolution.h"

namespace tnp {

// im2col: columns[part][row][p] = the element of x that patch p reads at that channel and tap, or 0
// outside x.
template <class T>
struct GatherColumns {
  Convolution c;
  const T* x;
  T* columns;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t plane = c.y_plane(), p = i % plane, row = i / plane % c.rows(), part = i / plane / c.rows();
    const int64_t tap = row % c.taps(), channel = row / c.taps();
    const int64_t w = p % c.y[2] * c.stride[2] - c.padding[2] + tap % c.kernel[2] * c.dilation[2];
    const int64_t h =
        p / c.y[2] % c.y[1] * c.stride[1] - c.padding[1] + tap / c.kernel[2] % c.kernel[1] * c.dilation[1];
    const int64_t d =
        p / c.y[2] / c.y[1] * c.stride[0] - c.padding[0] + tap / c.kernel[2] / c.kernel[1] * c.dilation[0];
    const bool inside = w >= 0 && w < c.x[2] && h >= 0 && h < c.x[1] && d >= 0 && d < c.x[0];
    columns[i] = inside ? x[(part * c.x_channels + channel) * c.x_plane() + (d * c.x[1] + h) * c.x[2] + w] : T{};
  }
};

// col2im: each element of x = the sum of the column elements that im2col copies it to. A: the dtype
// of the sum.
template <class T, class A>
struct SumColumns {
  Convolution c;
  const T *columns, *bias;  // bias: one element per channel, or null
  T* x;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t w = i % c.x[2], h = i / c.x[2] % c.x[1], d = i / c.x[2] / c.x[1] % c.x[0];
    const int64_t channel = i / c.x_plane() % c.x_channels, part = i / c.x_plane() / c.x_channels;
    A sum = bias ? convert<A>(bias[part % c.groups * c.x_channels + channel]) : A(0);
    for (int64_t tap = 0; tap < c.taps(); ++tap) {
      const int64_t from_w = w + c.padding[2] - tap % c.kernel[2] * c.dilation[2];
      const int64_t from_h = h + c.padding[1] - tap / c.kernel[2] % c.kernel[1] * c.dilation[1];
      const int64_t from_d = d + c.padding[0] - tap / c.kernel[2] / c.kernel[1] * c.dilation[0];
      if (from_w < 0 || from_h < 0 || from_d < 0 || from_w % c.stride[2] || from_h % c.stride[1] ||
          from_d % c.stride[0]) {
        continue;
      }
      const int64_t ow = from_w / c.stride[2], oh = from_h / c.stride[1], od = from_d / c.stride[0];
      if (ow >= c.y[2] || oh >= c.y[1] || od >= c.y[0]) continue;
      const int64_t row = part * c.rows() + channel * c.taps() + tap;
      sum += convert<A>(columns[row * c.y_plane() + (od * c.y[1] + oh) * c.y[2] + ow]);
    }
    x[i] = convert<T>(sum);
  }
};

// The patches of images of `size` (N, C, H, W), as a convolution whose im2col columns are these
// patches.
inline Convolution patches_of(IntList size, IntList kernel, IntList dilation, IntList padding, IntList stride) {
  DimVector weight{1, size[1], kernel[0], kernel[1]}, y{size[0], 1};
  for (size_t d = 0; d < 2; ++d)
    y.push_back((size[2 + d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1);
  return convolution_of(size, weight, y, stride, padding, dilation, 1);
}

}  // namespace tnp
