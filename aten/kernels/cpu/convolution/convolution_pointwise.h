// Convolutions with a 1 x 1 kernel as products of row-major matrices, without any reordering.
#pragma once

#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/convolution/convolution_columns.h"
#include "aten/kernels/cpu/linalg/block_products.h"

namespace tnp::convolution {

// Whether blocked products are fast: they need enough columns and sums of enough terms.
template <class T>
bool suits_products(const Convolution& c) {
  return native::BlockProducts<T>::has_loops() && is_pointwise(c) && std::min(c.x_channels, c.y_channels) >= 16 &&
         c.y_plane() >= 32;
}

// `to` (images, groups, rows, plane) = weight of a group @ `from` (images, groups, terms, plane) +
// bias. The weight of a group is (rows, terms), with stride `line` between rows and `step` between
// terms.
template <class T>
void multiply_planes(const Convolution& c, int64_t rows, int64_t terms, native::Block<T> weight, const T* from,
                     const T* bias, T* to) {
  // The number of columns of a plane in one product. It is small if there are few planes to share
  // among threads. Otherwise it is most of a plane, because each product packs the weight again.
  const int64_t plane = c.y_plane(), most = c.images * c.groups >= 4 * get_num_threads() ? 4800 : 480;
  const int64_t blocks = (plane + most - 1) / most;
  parallel_for(0, c.images * c.groups * blocks, grain_of(rows * terms * std::min(plane, most) / 16),
               [&](int64_t begin, int64_t end) {
                 native::BlockProducts<T> products;
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t matrix = i / blocks, group = matrix % c.groups, first = i % blocks * most,
                                 columns = std::min(most, plane - first);
                   const T* x = from + matrix * terms * plane + first;
                   T* y = to + matrix * rows * plane + first;
                   products.multiply(rows, columns, terms,
                                     {weight.data + group * rows * terms, weight.line, weight.step}, {x, plane, 1}, y,
                                     plane, bias ? bias + group * rows : nullptr);
                 }
               });
}

template <class T>
void forward_by_products(const Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  multiply_planes<T>(c, c.y_channels, c.x_channels, {weight, c.x_channels, 1}, x, bias, y);
}
template <class T>
void input_by_products(const Convolution& c, const T* y, const T* weight, const T* bias, T* x) {
  multiply_planes<T>(c, c.x_channels, c.y_channels, {weight, 1, c.x_channels}, y, bias, x);
}

}  // namespace tnp::convolution
