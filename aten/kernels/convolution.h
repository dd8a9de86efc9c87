// Geometry of a convolution, on every device: its sizes, and the input element that each tap reads.
#pragma once

#include <algorithm>

#include "aten/core/tensor.h"

namespace tnp {

// y = the convolution of x with a weight (groups * y_channels, x_channels, kernel...). A transposed
// convolution maps y to x, like the gradient of a convolution: the operator's input is y and its
// result is x. Its weight has the same layout. If there are fewer than 3 spatial axes, axes of size
// 1 are prepended.
struct Convolution {
  int64_t images, groups, x_channels, y_channels;  // channels per group
  int64_t x[3], y[3], kernel[3], stride[3], padding[3], dilation[3];

  TNP_HOST_DEVICE int64_t x_plane() const { return x[0] * x[1] * x[2]; }
  TNP_HOST_DEVICE int64_t y_plane() const { return y[0] * y[1] * y[2]; }
  TNP_HOST_DEVICE int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  // Rows of the matrix of columns: the number of products that are summed into one element of y.
  TNP_HOST_DEVICE int64_t rows() const { return x_channels * taps(); }
  int64_t multiplications() const { return images * groups * y_channels * rows() * y_plane(); }
};

// `weight`: sizes with the groups, (groups * y_channels, x_channels, kernel...).
inline Convolution convolution_of(IntList x, IntList weight, IntList y, IntList stride, IntList padding,
                                  IntList dilation, int64_t groups) {
  Convolution c{};
  c.images = x[0];
  c.groups = groups;
  c.x_channels = weight[1];
  c.y_channels = weight[0] / groups;
  const size_t n = x.size() - 2, lead = 3 - n;
  for (size_t i = 0; i < 3; ++i) c.x[i] = c.y[i] = c.kernel[i] = c.stride[i] = c.dilation[i] = 1, c.padding[i] = 0;
  for (size_t i = 0; i < n; ++i) {
    c.x[lead + i] = x[2 + i];
    c.y[lead + i] = y[2 + i];
    c.kernel[lead + i] = weight[2 + i];
    c.stride[lead + i] = stride[i];
    c.padding[lead + i] = padding[i];
    c.dilation[lead + i] = dilation[i];
  }
  return c;
}

}  // namespace tnp
