// What correlate_padded does on every device: checks and types; the sums are the kernels'.
#pragma once

#include "aten/core/device_runtime.h"
#include "aten/core/promotion.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"

namespace tnp {

// Note [Nothing around a sequence]: out[k] = sum over j of x[k + j - left] v[j], over those j for which x has the
// element. Zeros around x would give the same where v is finite, but 0 times infinity, or NaN, is NaN.
template <class T>
struct Sliding {
  const T* x;
  int64_t size;  // of x
  const T* v;
  int64_t taps;  // of v
  int64_t left;
  T* out;
  int64_t sums;  // of out
};

// The result has input.numel() + left + right - other.numel() + 1 elements. slide(Sliding<T>) computes them, if there
// are any, from dense memory.
template <class Slide>
Tensor correlate_padded(const Tensor& input, const Tensor& other, int64_t left, int64_t right, Slide&& slide) {
  TNP_CHECK(input.dim() == 1 && other.dim() == 1, ErrorKind::Value, "object too deep for desired array");
  const int64_t size = input.numel(), m = other.numel(), n = size + left + right - m + 1;
  TNP_CHECK(m > 0 && left >= 0 && left < m && right >= 0 && right < m && n >= 0, ErrorKind::Value,
            "correlate: {other} of ", m, " elements does not fit ", size, " with ", left, " and ", right,
            " places around");
  if (input.device() != other.device()) raise_devices_differ(input.device(), other.device());
  const ScalarType type = promote_types(input.dtype(), other.dtype());
  const ScalarType compute = is_integral(type) ? ScalarType::Int64 : compute_type(type);
  Tensor x = native::to_dense(input, compute), v = native::to_dense(other, compute);
  Tensor out = empty_tensor(IntList(&n, 1), compute, input.device());
  auto run = [&]<class T>() {
    slide(Sliding<T>{reinterpret_cast<const T*>(x.address()), size, reinterpret_cast<const T*>(v.address()), m, left,
                     reinterpret_cast<T*>(out.address()), n});
  };
  if (n > 0) {
    if (compute == ScalarType::Int64)
      run.template operator()<uint64_t>();  // unsigned: wraps on overflow
    else
      visit<InexactTypes>(compute, run);
  }
  return native::to_dense(out, type);
}

}  // namespace tnp
