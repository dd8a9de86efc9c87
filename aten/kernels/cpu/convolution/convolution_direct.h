// Convolutions as direct sums, one row of the result and one tap at a time. Used for integers, and
// for groups with too few channels for a matrix product (depthwise).
#pragma once

#include "aten/core/threads/parallel.h"
#include "aten/functors/integer_math.h"
#include "aten/kernels/cpu/convolution/convolution_columns.h"

namespace tnp::convolution {

// sum + a * b; integers wrap.
template <class T>
TNP_INLINE T multiply_add(T sum, T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return math::wrapping_add(sum, math::wrapping_mul(a, b));
  else
    return sum + a * b;
}

// Calls row(x elements, y elements, count, step in x, weight's index) for every pair of rows of a
// plane of x and a plane of y that a tap connects.
template <class X, class Y, class Row>
void for_each_row(const Convolution& c, X* x, Y* y, Row&& row) {
  for (int64_t od = 0; od < c.y[0]; ++od) {
    for (int64_t oh = 0; oh < c.y[1]; ++oh) {
      Y* to = y + (od * c.y[1] + oh) * c.y[2];
      for (int64_t kd = 0; kd < c.kernel[0]; ++kd) {
        const int64_t id = od * c.stride[0] - c.padding[0] + kd * c.dilation[0];
        if (id < 0 || id >= c.x[0]) continue;
        for (int64_t kh = 0; kh < c.kernel[1]; ++kh) {
          const int64_t ih = oh * c.stride[1] - c.padding[1] + kh * c.dilation[1];
          if (ih < 0 || ih >= c.x[1]) continue;
          X* from = x + (id * c.x[1] + ih) * c.x[2];
          for (int64_t kw = 0; kw < c.kernel[2]; ++kw) {
            const int64_t shift = kw * c.dilation[2] - c.padding[2], s = c.stride[2], reach = c.x[2] - shift;
            const int64_t first = shift >= 0 ? 0 : std::min((-shift + s - 1) / s, c.y[2]);
            const int64_t last = reach <= 0 ? first : std::clamp((reach + s - 1) / s, first, c.y[2]);
            if (last > first)
              row(from + first * s + shift, to + first, last - first, s, (kd * c.kernel[1] + kh) * c.kernel[2] + kw);
          }
        }
      }
    }
  }
}

template <class T>
void forward_direct(const Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  const int64_t channels = c.groups * c.y_channels, taps = c.taps(), rows = c.rows();
  parallel_for(0, c.images * channels, grain_of(rows * c.y_plane() / 4), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / channels, k = i % channels, group = k / c.y_channels;
      T* to = y + i * c.y_plane();
      std::fill_n(to, c.y_plane(), bias ? bias[k] : T(0));
      for (int64_t channel = 0; channel < c.x_channels; ++channel) {
        const T* from = x + ((image * c.groups + group) * c.x_channels + channel) * c.x_plane();
        const T* w = weight + k * rows + channel * taps;
        for_each_row(c, from, to, [w](const T* in, T* out, int64_t n, int64_t step, int64_t tap) {
          const T factor = w[tap];
          if (step == 1)
            for (int64_t j = 0; j < n; ++j) out[j] = multiply_add(out[j], factor, in[j]);
          else
            for (int64_t j = 0; j < n; ++j) out[j] = multiply_add(out[j], factor, in[j * step]);
        });
      }
    }
  });
}

template <class T>
void input_direct(const Convolution& c, const T* y, const T* weight, const T* bias, T* x) {
  const int64_t channels = c.groups * c.x_channels, taps = c.taps(), rows = c.rows();
  parallel_for(0, c.images * channels, grain_of(c.y_channels * taps * c.y_plane() / 4),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t image = i / channels, group = i % channels / c.x_channels, channel = i % c.x_channels;
                   T* to = x + i * c.x_plane();
                   std::fill_n(to, c.x_plane(), bias ? bias[i % channels] : T(0));
                   for (int64_t k = 0; k < c.y_channels; ++k) {
                     const T* from = y + ((image * c.groups + group) * c.y_channels + k) * c.y_plane();
                     const T* w = weight + (group * c.y_channels + k) * rows + channel * taps;
                     for_each_row(c, to, from, [w](T* out, const T* in, int64_t n, int64_t step, int64_t tap) {
                       const T factor = w[tap];
                       if (step == 1)
                         for (int64_t j = 0; j < n; ++j) out[j] = multiply_add(out[j], factor, in[j]);
                       else
                         for (int64_t j = 0; j < n; ++j) out[j * step] = multiply_add(out[j * step], factor, in[j]);
                     });
                   }
                 }
               });
}

template <class T>
void weight_direct(const Convolution& c, const T* x, const T* y, T* weight) {
  const int64_t channels = c.groups * c.y_channels, taps = c.taps(), rows = c.rows();
  parallel_for(0, channels * c.x_channels, grain_of(c.images * taps * c.y_plane() / 4),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t k = i / c.x_channels, channel = i % c.x_channels, group = k / c.y_channels;
                   T* w = weight + k * rows + channel * taps;
                   std::fill_n(w, taps, T(0));
                   for (int64_t image = 0; image < c.images; ++image) {
                     const T* in = x + ((image * c.groups + group) * c.x_channels + channel) * c.x_plane();
                     const T* dy = y + (image * channels + k) * c.y_plane();
                     for_each_row(c, in, dy, [w](const T* a, const T* b, int64_t n, int64_t step, int64_t tap) {
                       T sums[8] = {};
                       int64_t j = 0;
                       for (; step == 1 && j + 8 <= n; j += 8)
                         for (int64_t l = 0; l < 8; ++l) sums[l] = multiply_add(sums[l], a[j + l], b[j + l]);
                       for (; j < n; ++j) sums[0] = multiply_add(sums[0], a[j * step], b[j]);
                       for (int64_t l = 0; l < 8; ++l) w[tap] = multiply_add(w[tap], sums[l], T(1));
                     });
                   }
                 }
               });
}

}  // namespace tnp::convolution
