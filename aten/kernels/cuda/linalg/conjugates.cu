#include "aten/kernels/cuda/linalg/conjugates.h"

#include "aten/core/numbers/dtype.h"
#include "aten/kernels/cuda/grid_stride.h"

namespace tnp::gpu {

namespace {

// Scales real numbers. Complex numbers are treated as pairs of real numbers.
template <class T>
struct Scale {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const T* in;
  T* out;
  int64_t count;
  T factor;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) { out[i] = in[i] * factor; });
  }
};

template <class T>
struct Conjugate {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  Complex<T>* t;
  int64_t count;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) { t[i].im = -t[i].im; });
  }
};

// A thread handles a frequency and its conjugate, so that no thread reads an element that another
// one writes.
template <class T>
struct CompleteConjugates {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  Complex<T>* out;
  int64_t n, inner, count;
  T factor;
  bool forward;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      const int64_t half = n / 2 + 1, k = i / inner % half;
      Complex<T>* line = out + i / inner / half * n * inner + i % inner;
      const Complex<T> computed = line[k * inner], y(computed.re * factor, computed.im * factor),
                       conjugate(y.re, -y.im);
      line[k * inner] = forward ? y : conjugate;
      if (k > 0 && k != n - k) line[(n - k) * inner] = forward ? conjugate : y;
    });
  }
};

}  // namespace

void scale_into(const Tensor& out, const Tensor& in, double factor) {
  const int64_t count = out.is_complex() ? 2 * out.numel() : out.numel();
  visit<FloatTypes>(to_real(out.dtype()), [&]<class T>() {
    launch(Scale<T>{reinterpret_cast<const T*>(in.address()), reinterpret_cast<T*>(out.address()), count,
                    static_cast<T>(factor)},
           grid_stride_blocks(count), out.device());
  });
}

void conjugate(const Tensor& t) {
  if (!t.is_complex()) return;
  visit<FloatTypes>(to_real(t.dtype()), [&]<class T>() {
    launch(Conjugate<T>{reinterpret_cast<Complex<T>*>(t.address()), t.numel()}, grid_stride_blocks(t.numel()),
           t.device());
  });
}

void complete_conjugates(const Tensor& out, int64_t dim, bool forward, double factor) {
  const int64_t n = out.size(dim);
  if (out.numel() == 0) return;
  int64_t inner = 1;
  for (int64_t d = dim + 1; d < out.dim(); ++d) inner *= out.size(d);
  const int64_t count = out.numel() / n * (n / 2 + 1);
  visit<FloatTypes>(to_real(out.dtype()), [&]<class T>() {
    launch(CompleteConjugates<T>{reinterpret_cast<Complex<T>*>(out.address()), n, inner, count, static_cast<T>(factor),
                                 forward},
           grid_stride_blocks(count), out.device());
  });
}

}  // namespace tnp::gpu
