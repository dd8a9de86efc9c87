// Sliding sums of products of two sequences: one thread per sum, or one block per sum if there are
// few long sums.
#include "aten/kernel_functions/products.h"
#include "aten/kernels/correlate.h"
#include "aten/kernels/cuda/grid_stride.h"

namespace tnp {

namespace gpu {
namespace {

// See Note [Nothing around a sequence] in kernels/correlate.h. The products are added in the CPU's
// order: in groups of four at multiples of 4, where all four exist.
template <class T>
struct Slide {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  Sliding<T> s;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, s.sums, [this](int64_t k) {
      const T *x = s.x + (k - s.left), *v = s.v;
      const int64_t begin = k < s.left ? s.left - k : 0, reach = s.left + s.size - k,
                    end = reach < s.taps ? reach : s.taps;
      T sum = T(0);
      int64_t j = begin;
      for (; j < end && j % 4 != 0; ++j) sum = sum + v[j] * x[j];
      for (; j + 4 <= end; j += 4)
        sum = sum + ((v[j] * x[j] + v[j + 1] * x[j + 1]) + (v[j + 2] * x[j + 2] + v[j + 3] * x[j + 3]));
      for (; j < end; ++j) sum = sum + v[j] * x[j];
      s.out[k] = sum;
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
  Sliding<T> s;
  TNP_HOST_DEVICE int phases() const { return kSteps + 1; }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    if (phase == 0) {
      T sum(0);
      for (int64_t j = place.thread; j < s.taps; j += kThreads) {
        const int64_t i = place.block + j - s.left;
        if (i >= 0 && i < s.size) sum += s.v[j] * s.x[i];
      }
      shared.sums[place.thread] = sum;
      return;
    }
    const uint32_t half = kThreads >> phase;
    if (place.thread >= half) return;
    shared.sums[place.thread] += shared.sums[place.thread + half];
    if (half == 1) s.out[place.block] = shared.sums[0];
  }
};

template <class T>
void slide(const Sliding<T>& sums, Device device) {
  if (sums.sums <= kFewSums && sums.taps >= kLongSum)
    return launch(SlideTogether<T>{sums}, static_cast<uint32_t>(sums.sums), device);
  launch(Slide<T>{sums}, grid_stride_blocks(sums.sums), device);
}

}  // namespace
}  // namespace gpu

void native::correlate_padded_cuda(const Tensor& input, const Tensor& other, int64_t left, int64_t, const Tensor& out) {
  visit_sliding(input, other, left, out, [&]<class T>(const Sliding<T>& sums) { gpu::slide(sums, out.device()); });
}

}  // namespace tnp
