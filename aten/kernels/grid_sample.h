// Sampling of images at the points of a grid: the pixels and weights whose sum is a sample, on
// every device.
#pragma once

#include <cmath>

#include "aten/core/tensor.h"

namespace tnp {

enum class GridMode : int64_t { Linear, Nearest, Cubic };
enum class GridPadding : int64_t { Zeros, Border, Reflection };

// The pixels along one axis, their weights, and the derivatives of the weights by the grid
// coordinate.
template <class A>
struct GridTaps {
  int count;
  int64_t index[4];
  A weight[4], slope[4];
};

template <class A>
struct GridSampler {
  GridMode mode;
  GridPadding padding;
  bool align_corners;
  int64_t images, channels, axes;  // 2 or 3
  int64_t in[3], out;              // out: number of sample points in a plane of the result

  TNP_HOST_DEVICE int64_t in_plane() const { return in[0] * in[1] * in[2]; }

  // Clamps `x` to [0, size). Multiplies the derivative `factor` by 0 if x was outside.
  TNP_HOST_DEVICE A clip(A x, int64_t size, A& factor) const {
    const A last = static_cast<A>(size - 1);
    if (!(x > 0)) return factor = 0, A(0);
    if (x >= last) return factor = 0, last;
    return x;
  }
  TNP_HOST_DEVICE A reflect(A x, int64_t size, A& factor) const {
    const A low = align_corners ? A(0) : A(-0.5),
            span = align_corners ? static_cast<A>(size - 1) : static_cast<A>(size);
    if (!(span > 0)) return factor = 0, A(0);
    x -= low;
    if (x < 0) x = -x, factor = -factor;
    const A rest = std::fmod(x, span), flips = std::floor(x / span);
    if (std::fmod(flips, A(2)) == 0) return rest + low;
    factor = -factor;
    return span - rest + low;
  }
  TNP_HOST_DEVICE A padded(A x, int64_t size, A& factor) const {
    if (padding == GridPadding::Reflection) x = reflect(x, size, factor);
    if (padding != GridPadding::Zeros) x = clip(x, size, factor);
    // Values outside this range, and NaN, become -100: outside the image.
    return x > A(-1e9) && x < A(1e9) ? x : A(-100);
  }
  TNP_HOST_DEVICE void add(GridTaps<A>& taps, int64_t at, int64_t size, A weight, A slope) const {
    const bool inside = at >= 0 && at < size;
    const int k = taps.count++;
    taps.index[k] = inside ? at : 0;
    taps.weight[k] = inside ? weight : A(0);
    taps.slope[k] = inside ? slope : A(0);
  }

  TNP_HOST_DEVICE GridTaps<A> taps(A place, int64_t size) const {
    GridTaps<A> t{};
    A factor = align_corners ? static_cast<A>(size - 1) / 2 : static_cast<A>(size) / 2;
    A x = align_corners ? (place + 1) / 2 * static_cast<A>(size - 1) : ((place + 1) * static_cast<A>(size) - 1) / 2;
    if (mode != GridMode::Cubic) {
      x = padded(x, size, factor);
      if (mode == GridMode::Nearest) {
        add(t, static_cast<int64_t>(std::nearbyint(x)), size, A(1), A(0));
        return t;
      }
      const A low = std::floor(x), part = x - low;
      add(t, static_cast<int64_t>(low), size, 1 - part, -factor);
      add(t, static_cast<int64_t>(low) + 1, size, part, factor);
      return t;
    }
    if (!(x > A(-1e9) && x < A(1e9))) x = A(-100);
    const A low = std::floor(x), part = x - low, a = A(-0.75);
    for (int k = -1; k <= 2; ++k) {
      const A d = part - static_cast<A>(k), far = std::abs(d), sign = d < 0 ? A(-1) : A(1);
      const A near_weight = ((a + 2) * far - (a + 3)) * far * far + 1,
              far_weight = ((far - 5) * far + 8) * far * a - 4 * a;
      const A near_slope = (3 * (a + 2) * far - 2 * (a + 3)) * far, far_slope = ((3 * far - 10) * far + 8) * a;
      A ignored = 1;
      const A at = padded(low + static_cast<A>(k), size, ignored);
      add(t, static_cast<int64_t>(at), size, far < 1 ? near_weight : far_weight,
          sign * (far < 1 ? near_slope : far_slope) * factor);
    }
    return t;
  }

  // The taps of depth, rows and columns at point `p` of an image.
  TNP_HOST_DEVICE void at(const A* grid, int64_t image, int64_t p, GridTaps<A>* t) const {
    const A* place = grid + (image * out + p) * axes;
    t[2] = taps(place[0], in[2]);
    t[1] = taps(place[1], in[1]);
    if (axes == 3) {
      t[0] = taps(place[2], in[0]);
    } else {
      t[0] = {};
      add(t[0], 0, 1, A(1), A(0));
    }
  }
  // Calls tap(pixel, weight, derivatives by x, y, z) for all pixels of a sample point.
  template <class Tap>
  TNP_HOST_DEVICE void for_each_pixel(const GridTaps<A>* t, Tap&& tap) const {
    for (int i = 0; i < t[0].count; ++i) {
      for (int j = 0; j < t[1].count; ++j) {
        for (int k = 0; k < t[2].count; ++k) {
          const int64_t pixel = (t[0].index[i] * in[1] + t[1].index[j]) * in[2] + t[2].index[k];
          const A z = t[0].weight[i], y = t[1].weight[j], x = t[2].weight[k];
          tap(pixel, z * y * x, z * y * t[2].slope[k], z * t[1].slope[j] * x, t[0].slope[i] * y * x);
        }
      }
    }
  }
};

// Samples all channels at one point of one image.
template <class A>
struct SamplePlace {
  GridSampler<A> s;
  const A *input, *grid;
  A* to;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t image = i / s.out, p = i % s.out;
    GridTaps<A> t[3];
    s.at(grid, image, p, t);
    for (int64_t c = 0; c < s.channels; ++c) {
      const A* plane = input + (image * s.channels + c) * s.in_plane();
      A sum(0);
      s.for_each_pixel(t, [&](int64_t pixel, A weight, A, A, A) {
        if (weight != 0) sum += weight * plane[pixel];
      });
      to[(image * s.channels + c) * s.out + p] = sum;
    }
  }
};

// The gradient of one point of the grid.
template <class A>
struct GradientOfPlace {
  GridSampler<A> s;
  const A *grad, *input, *grid;
  A* to;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t image = i / s.out, p = i % s.out;
    GridTaps<A> t[3];
    s.at(grid, image, p, t);
    A sums[3] = {};
    for (int64_t c = 0; c < s.channels; ++c) {
      const A* plane = input + (image * s.channels + c) * s.in_plane();
      const A g = grad[(image * s.channels + c) * s.out + p];
      s.for_each_pixel(t, [&](int64_t pixel, A, A x, A y, A z) {
        const A value = g * plane[pixel];
        sums[0] += x * value, sums[1] += y * value, sums[2] += z * value;
      });
    }
    for (int64_t d = 0; d < s.axes; ++d) to[i * s.axes + d] = sums[d];
  }
};

template <class A>
GridSampler<A> grid_sampler_of(IntList input, IntList grid, int64_t mode, int64_t padding, bool align_corners) {
  GridSampler<A> s{};
  s.mode = static_cast<GridMode>(mode);
  s.padding = static_cast<GridPadding>(padding);
  s.align_corners = align_corners;
  s.images = input[0];
  s.channels = input[1];
  s.axes = static_cast<int64_t>(input.size()) - 2;
  s.in[0] = 1;
  s.out = 1;
  for (size_t d = 0; d < static_cast<size_t>(s.axes); ++d) {
    s.in[3 - s.axes + static_cast<int64_t>(d)] = input[2 + d];
    s.out *= grid[1 + d];
  }
  return s;
}

}  // namespace tnp
