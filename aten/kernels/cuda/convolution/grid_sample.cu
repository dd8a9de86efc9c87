// Grid sampling of images on GPUs: one thread per grid point. The gradient of the images uses one
// thread per grid point and channel.
#include "aten/kernels/grid_sample.h"

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/grid_sampling.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/for_each.h"

namespace tnp {

namespace gpu {
namespace {

template <class A>
struct AddToPixels {
  GridSampler<A> s;
  const A *grad, *grid;
  A* to;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t p = i % s.out, plane = i / s.out;
    GridTaps<A> t[3];
    s.at(grid, plane / s.channels, p, t);
    const A g = grad[i];
    A* own = to + plane * s.in_plane();
    s.for_each_pixel(t, [&](int64_t pixel, A weight, A, A, A) {
      if (weight != 0) atomic_add(own + pixel, weight * g);
    });
  }
};

template <class T>
T* at(const Tensor& t) {
  return reinterpret_cast<T*>(t.address());
}

}  // namespace
}  // namespace gpu

void native::grid_sample_cuda(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
                              bool align_corners, const Tensor& out) {
  if (out.numel() == 0) return;
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    const auto s = grid_sampler_of<T>(input.sizes(), grid.sizes(), mode, padding, align_corners);
    gpu::for_each(s.images * s.out, SamplePlace<T>{s, gpu::at<T>(input), gpu::at<T>(grid), gpu::at<T>(out)},
                  out.device());
  });
}

void native::grid_sample_backward_cuda(const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode,
                                       int64_t padding, bool align_corners, std::span<const bool>,
                                       const Tensor& grad_input, const Tensor& grad_grid) {
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    const auto s = grid_sampler_of<T>(input.sizes(), grid.sizes(), mode, padding, align_corners);
    const Device device = input.device();
    if (grad_grid.defined())
      gpu::for_each(s.images * s.out,
                    GradientOfPlace<T>{s, gpu::at<T>(grad), gpu::at<T>(input), gpu::at<T>(grid), gpu::at<T>(grad_grid)},
                    device);
    if (!grad_input.defined()) return;
    fill_with(grad_input, Scalar(0));
    gpu::for_each(s.images * s.channels * s.out,
                  gpu::AddToPixels<T>{s, gpu::at<T>(grad), gpu::at<T>(grid), gpu::at<T>(grad_input)}, device);
  });
}

}  // namespace tnp
