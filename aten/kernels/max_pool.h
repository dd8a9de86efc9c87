// Geometry of the windows of max pooling, on every device.
#pragma once

#include <cmath>

#include "aten/core/tensor.h"

namespace tnp {

enum class Windows : int64_t { Sliding, Adaptive, Fractional };

struct MaxPool {
  Windows kind;
  bool single;  // the image is float32: starts of fractional windows are then computed in float32
  int64_t axes, in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  const double* samples;  // random samples of fractional pooling, (planes, axes), or null

  TNP_HOST_DEVICE int64_t in_plane() const { return in[0] * in[1] * in[2]; }
  TNP_HOST_DEVICE int64_t out_plane() const { return out[0] * out[1] * out[2]; }
  // The place of an element in its plane.
  TNP_HOST_DEVICE int64_t place(int64_t z, int64_t y, int64_t x) const { return (z * in[1] + y) * in[2] + x; }
  // The start of window `o` along axis `d`. It may lie before the image.
  TNP_HOST_DEVICE int64_t start(int64_t plane, int d, int64_t o) const {
    if (kind == Windows::Sliding) return o * stride[d] - padding[d];
    if (kind == Windows::Adaptive) return o * in[d] / out[d];
    if (d < 3 - axes) return 0;
    if (o == out[d] - 1) return in[d] - kernel[d];
    // The samples of images are for columns, then rows; those of volumes are in the order of the
    // axes.
    const int64_t own = axes == 2 ? 2 - d : d - (3 - axes);
    const double sample = samples[plane * axes + own];
    if (single) {
      const float alpha = static_cast<float>(in[d] - kernel[d]) / static_cast<float>(out[d] - 1),
                  s = static_cast<float>(sample);
      return static_cast<int64_t>((static_cast<float>(o) + s) * alpha) - static_cast<int64_t>(s * alpha);
    }
    const double alpha = static_cast<double>(in[d] - kernel[d]) / static_cast<double>(out[d] - 1);
    return static_cast<int64_t>((static_cast<double>(o) + sample) * alpha) - static_cast<int64_t>(sample * alpha);
  }
  TNP_HOST_DEVICE int64_t taps(int d, int64_t o, int64_t from) const {
    return kind == Windows::Adaptive ? ((o + 1) * in[d] + out[d] - 1) / out[d] - from : kernel[d];
  }
  // The first tap of a window that is not before the image. With a dilation it may be behind the image. A
  // window without taps in the image has the lowest value, and its first taps as its place.
  TNP_HOST_DEVICE int64_t first_tap(int d, int64_t from) const {
    return from >= 0 ? from : from + (-from + dilation[d] - 1) / dilation[d] * dilation[d];
  }
};

// The geometry for the given lists of sizes. Axes missing at the front get size 1.
inline MaxPool max_pool_of(const Tensor& input, IntList output_size, int64_t kind, IntList kernel, IntList stride,
                           IntList padding, IntList dilation, const Tensor& samples) {
  MaxPool p{};
  p.kind = static_cast<Windows>(kind);
  p.single = input.dtype() != ScalarType::Float64;
  p.axes = static_cast<int64_t>(output_size.size());
  p.samples = samples.defined() ? reinterpret_cast<const double*>(samples.address()) : nullptr;
  for (int d = 0; d < 3; ++d) {
    const int64_t own = d - (3 - p.axes);
    auto of = [&](IntList list, int64_t otherwise) {
      return own < 0 || list.empty() ? otherwise : list[static_cast<size_t>(own)];
    };
    p.in[d] = own < 0 ? 1 : input.size(2 + own);
    p.out[d] = of(output_size, 1);
    p.kernel[d] = of(kernel, 1);
    p.stride[d] = of(stride, 1);
    p.padding[d] = of(padding, 0);
    p.dilation[d] = of(dilation, 1);
  }
  return p;
}

}  // namespace tnp
