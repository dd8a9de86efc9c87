// Sliding sums of products of two sequences: what convolve and correlate are made of.
#include "aten/kernels/correlate.h"
#include "aten/core/parallel.h"
#include "aten/kernel_functions.h"

namespace tnp::native {

namespace {

// out[k] = sum over j of x[k + j] v[j]. Four taps at a time go over a block of results that stays in L1, so that the
// inner loop is vectorised however short v is.
template <class T>
void slide(const T* x, const T* v, int64_t m, T* out, int64_t n) {
  constexpr int64_t kBlock = 1024;
  parallel_for(0, n, std::max<int64_t>(kParallelWork / m, 1), [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t length = std::min(kBlock, end - first);
      T* y = out + first;
      std::fill_n(y, length, T(0));
      int64_t j = 0;
      for (; j + 4 <= m; j += 4) {
        const T *s = x + first + j, a = v[j], b = v[j + 1], c = v[j + 2], d = v[j + 3];
#pragma GCC ivdep
        for (int64_t i = 0; i < length; ++i) y[i] += (a * s[i] + b * s[i + 1]) + (c * s[i + 2] + d * s[i + 3]);
      }
      for (; j < m; ++j) {
        const T *s = x + first + j, a = v[j];
#pragma GCC ivdep
        for (int64_t i = 0; i < length; ++i) y[i] += a * s[i];
      }
    }
  });
}

}  // namespace

Tensor correlate_padded_cpu(const Tensor& input, const Tensor& other, int64_t left, int64_t right) {
  return correlate_padded(input, other, left, right, []<class T>(const Tensor& x, const Tensor& v, const Tensor& out) {
    slide(reinterpret_cast<const T*>(x.data()), reinterpret_cast<const T*>(v.data()), v.numel(),
          reinterpret_cast<T*>(out.data()), out.numel());
  });
}

}  // namespace tnp::native
