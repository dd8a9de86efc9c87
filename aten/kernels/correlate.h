// The sliding sums of correlate_padded, on every device.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Note [Nothing around a sequence]: out[k] = sum of x[k + j - left] v[j] over those j for which k +
// j - left is an index of x. Zero padding of x would give the same sum if v is finite, but 0 times
// infinity or NaN is NaN.
template <class T>
struct Sliding {
  const T* x;
  int64_t size;  // number of elements of x
  const T* v;
  int64_t taps;  // number of elements of v
  int64_t left;
  T* out;
  int64_t sums;  // number of elements of out
};

// Calls slide(Sliding<T>) for dense operands and a dense result of one dtype.
template <class Slide>
void visit_sliding(const Tensor& input, const Tensor& other, int64_t left, const Tensor& out, Slide&& slide) {
  if (out.numel() == 0) return;
  auto run = [&]<class T>() {
    slide(Sliding<T>{reinterpret_cast<const T*>(input.address()), input.numel(),
                     reinterpret_cast<const T*>(other.address()), other.numel(), left,
                     reinterpret_cast<T*>(out.address()), out.numel()});
  };
  if (is_integral(out.dtype()))
    run.template operator()<uint64_t>();  // unsigned: wraps on overflow
  else
    visit<InexactTypes>(out.dtype(), run);
}

}  // namespace tnp
