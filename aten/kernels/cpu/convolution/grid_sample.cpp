// Grid sampling of images. Threads share the sample points, and the planes for the images'
// gradients.
#include "aten/kernels/grid_sample.h"

#include <cstring>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/grid_sampling.h"

namespace tnp::native {

namespace {

template <class F>
void for_all(int64_t n, int64_t work, const F& body) {
  parallel_for(0, n, std::max<int64_t>(kParallelWork / std::max<int64_t>(work, 1), 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace

void grid_sample_cpu(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners,
                     const Tensor& out) {
  if (out.numel() == 0) return;
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    const auto s = grid_sampler_of<T>(input.sizes(), grid.sizes(), mode, padding, align_corners);
    for_all(s.images * s.out, 30 + 5 * s.channels,
            SamplePlace<T>{s, input.data_ptr<T>(), grid.data_ptr<T>(), out.data_ptr<T>()});
  });
}

void grid_sample_backward_cpu(const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode,
                              int64_t padding, bool align_corners, std::span<const bool>, const Tensor& grad_input,
                              const Tensor& grad_grid) {
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    const auto s = grid_sampler_of<T>(input.sizes(), grid.sizes(), mode, padding, align_corners);
    const T *dy = grad.data_ptr<T>(), *places = grid.data_ptr<T>();
    if (grad_grid.defined())
      for_all(s.images * s.out, 30 + 10 * s.channels,
              GradientOfPlace<T>{s, dy, input.data_ptr<T>(), places, grad_grid.data_ptr<T>()});
    if (!grad_input.defined()) return;
    T* to = grad_input.data_ptr<T>();
    for_all(s.images * s.channels, s.out * 30, [&](int64_t i) {
      T* plane = to + i * s.in_plane();
      std::memset(plane, 0, static_cast<size_t>(s.in_plane()) * sizeof(T));
      for (int64_t p = 0; p < s.out; ++p) {
        GridTaps<T> t[3];
        s.at(places, i / s.channels, p, t);
        const T g = dy[i * s.out + p];
        s.for_each_pixel(t, [&](int64_t pixel, T weight, T, T, T) { plane[pixel] += weight * g; });
      }
    });
  });
}

}  // namespace tnp::native
