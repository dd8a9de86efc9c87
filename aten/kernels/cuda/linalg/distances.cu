// Distances between all pairs of rows: one thread per pair, and one per element of the gradient.
#include "aten/kernel_functions/distances.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/distance.h"

namespace tnp {

namespace gpu {
namespace {

template <class T, class D>
struct PairDistances {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  D distance;
  const T *a, *b;
  T* out;
  int64_t count, n, k, m;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      const int64_t row = i / k;
      const T *x = a + row * m, *y = b + (row / n * k + i % k) * m;
      T total(0);
      for (int64_t j = 0; j < m; ++j) total = distance.combine(total, distance.term(x[j] - y[j]));
      out[i] = distance.finish(total);
    });
  }
};

template <class T, class D>
struct PairDistancesBackward {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  D distance;
  const T *grad, *a, *b, *distances;
  T* out;
  int64_t count, n, k, m;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      const int64_t row = i / m, column = i % m;
      const T x = a[i];
      T sum(0);
      for (int64_t j = 0; j < k; ++j) {
        const T y = b[(row / n * k + j) * m + column];
        sum = sum + distance.backward(x - y, grad[row * k + j], distances[row * k + j]);
      }
      out[i] = sum;
    });
  }
};

template <class T>
const T* data_of(const Tensor& t) {
  return reinterpret_cast<const T*>(t.address());
}

}  // namespace
}  // namespace gpu

void native::cdist_cuda(const Tensor& x1, const Tensor& x2, double p, const Tensor& out) {
  if (out.numel() == 0) return;
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    distance::visit_distance<T>(p, [&]<class D>(const D& d) {
      gpu::launch(
          gpu::PairDistances<T, D>{d, gpu::data_of<T>(x1), gpu::data_of<T>(x2), reinterpret_cast<T*>(out.address()),
                                   out.numel(), x1.size(1), x2.size(1), x1.size(2)},
          gpu::grid_stride_blocks(out.numel()), out.device());
    });
  });
}

void native::cdist_backward_cuda(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                                 const Tensor& distances, const Tensor& out) {
  if (out.numel() == 0) return;
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    distance::visit_distance<T>(p, [&]<class D>(const D& d) {
      gpu::launch(gpu::PairDistancesBackward<T, D>{d, gpu::data_of<T>(grad), gpu::data_of<T>(x1), gpu::data_of<T>(x2),
                                                   gpu::data_of<T>(distances), reinterpret_cast<T*>(out.address()),
                                                   out.numel(), x1.size(1), x2.size(1), x1.size(2)},
                  gpu::grid_stride_blocks(out.numel()), out.device());
    });
  });
}

}  // namespace tnp
