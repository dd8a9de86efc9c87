// Sliding sums of products of two sequences: a thread for each of them, or, if they are few and long, a block.
#include "aten/functions.h"
#include "aten/kernel_functions.h"
#include "aten/kernels/correlate.h"
#include "aten/kernels/cuda/walk.h"

namespace tnp {

namespace gpu {
namespace {

// out[k] = sum over j of x[k + j] v[j], four products at a time, as the CPU adds them.
template <class T>
struct Slide {
  static constexpr uint32_t kThreads = kWalkThreads;
  const T *x, *v;
  T* out;
  int64_t m, n;
  TNP_HOST_DEVICE void run(Place place) const {
    walk(place, n, [this](int64_t k) {
      const T* s = x + k;
      T sum = T(0);
      int64_t j = 0;
      for (; j + 4 <= m; j += 4)
        sum = sum + ((v[j] * s[j] + v[j + 1] * s[j + 1]) + (v[j + 2] * s[j + 2] + v[j + 3] * s[j + 3]));
      for (; j < m; ++j) sum = sum + v[j] * s[j];
      out[k] = sum;
    });
  }
};

constexpr int64_t kFewSums = 4096, kLongSum = 1024;

template <class T>
struct SlideTogether {
  static constexpr uint32_t kThreads = 256;
  static constexpr int kSteps = 8;
  static_assert((1u << kSteps) == kThreads);
  struct Shared {
    T sums[kThreads];
  };
  struct Private {};
  const T *x, *v;
  T* out;
  int64_t m;
  TNP_HOST_DEVICE int phases() const { return kSteps + 1; }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    if (phase == 0) {
      T sum(0);
      for (int64_t j = place.thread; j < m; j += kThreads) sum += v[j] * x[place.block + j];
      shared.sums[place.thread] = sum;
      return;
    }
    const uint32_t half = kThreads >> phase;
    if (place.thread >= half) return;
    shared.sums[place.thread] += shared.sums[place.thread + half];
    if (half == 1) out[place.block] = shared.sums[0];
  }
};

template <class T>
void slide(const Tensor& x, const Tensor& v, const Tensor& out) {
  Slide<T> kernel{reinterpret_cast<const T*>(x.address()), reinterpret_cast<const T*>(v.address()),
                  reinterpret_cast<T*>(out.address()), v.numel(), out.numel()};
  if (kernel.n <= kFewSums && kernel.m >= kLongSum) {
    return launch(SlideTogether<T>{kernel.x, kernel.v, kernel.out, kernel.m}, static_cast<uint32_t>(kernel.n),
                  out.device());
  }
  launch(kernel, blocks_to_walk(kernel.n), out.device());
}

}  // namespace
}  // namespace gpu

Tensor native::correlate_padded_cuda(const Tensor& input, const Tensor& other, int64_t left, int64_t right) {
  return correlate_padded(input, other, left, right, [&]<class T>(const Tensor& x, const Tensor& v, const Tensor& out) {
    gpu::slide<T>(x, v, out);
  });
}

}  // namespace tnp
