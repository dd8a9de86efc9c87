// Sliding sums of products of two sequences: what convolve and correlate are made of.
#include "aten/core/parallel.h"
#include "aten/kernels/cpu/dense.h"
#include "aten/native_functions.h"

namespace tnp::native {

namespace {

// out[k] = sum over j of x[k + j] v[j]. Four taps at a time go over a block of results that stays in L1, so that the inner
// loop is vectorised however short v is.
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
  TNP_CHECK(input.dim() == 1 && other.dim() == 1, ErrorKind::Value, "object too deep for desired array");
  const int64_t size = input.numel(), m = other.numel(), n = size + left + right - m + 1;
  TNP_CHECK(m > 0 && left >= 0 && left < m && right >= 0 && right < m && n >= 0, ErrorKind::Value, "correlate: {other} of ", m,
            " elements does not fit ", size, " with ", left, " and ", right, " zeros around");
  const ScalarType type = promote_types(input.dtype(), other.dtype());
  const ScalarType compute = is_integral(type) ? ScalarType::Int64 : compute_type(type);
  Tensor v = to_dense(other, compute), x = left || right ? empty_tensor({size + left + right}, compute) : to_dense(input, compute);
  if (left || right) {
    const int64_t bytes = x.itemsize();
    std::memset(x.data(), 0, static_cast<size_t>(left * bytes));
    copy_into(view_of(x, IntList(&size, 1), x.strides(), x.address() + left * bytes), input);
    std::memset(x.data() + (left + size) * bytes, 0, static_cast<size_t>(right * bytes));
  }
  Tensor out = empty_tensor(IntList(&n, 1), compute);
  if (compute == ScalarType::Int64) {  // unsigned: wraps on overflow
    slide(reinterpret_cast<const uint64_t*>(x.data()), reinterpret_cast<const uint64_t*>(v.data()), m, reinterpret_cast<uint64_t*>(out.data()), n);
  } else {
    visit<InexactTypes>(compute, [&]<class T>() { slide(x.data_ptr<T>(), v.data_ptr<T>(), m, out.data_ptr<T>(), n); });
  }
  return to_dense(out, type);
}

}  // namespace tnp::native
