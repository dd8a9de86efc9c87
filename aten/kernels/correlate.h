// What correlate_padded does on every device: checks, types, the zeros around; the sums are the kernels'.
#pragma once

#include "aten/core/promotion.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"

namespace tnp {

// out[k] = sum over j of x[k + j] v[j], where x is `input` with `left` zeros before and `right` ones after it and v is
// `other`. slide<T>(x, v, out) computes that, of dense tensors of which `out` is not empty.
template <class Slide>
Tensor correlate_padded(const Tensor& input, const Tensor& other, int64_t left, int64_t right, Slide&& slide) {
  TNP_CHECK(input.dim() == 1 && other.dim() == 1, ErrorKind::Value, "object too deep for desired array");
  const int64_t size = input.numel(), m = other.numel(), n = size + left + right - m + 1;
  TNP_CHECK(m > 0 && left >= 0 && left < m && right >= 0 && right < m && n >= 0, ErrorKind::Value,
            "correlate: {other} of ", m, " elements does not fit ", size, " with ", left, " and ", right,
            " zeros around");
  const ScalarType type = promote_types(input.dtype(), other.dtype());
  const ScalarType compute = is_integral(type) ? ScalarType::Int64 : compute_type(type);
  const bool padded = left > 0 || right > 0;
  Tensor v = native::to_dense(other, compute);
  Tensor x = padded ? empty_tensor({size + left + right}, compute, input.device()) : native::to_dense(input, compute);
  if (padded) {
    auto piece = [&](int64_t start, int64_t length) {
      return view_of(x, IntList(&length, 1), x.strides(), x.address() + start * x.itemsize());
    };
    fill_with(piece(0, left), Scalar(0));
    copy_into(piece(left, size), input);
    fill_with(piece(left + size, right), Scalar(0));
  }
  Tensor out = empty_tensor(IntList(&n, 1), compute, input.device());
  if (n > 0) {
    if (compute == ScalarType::Int64)
      slide.template operator()<uint64_t>(x, v, out);  // unsigned: wraps on overflow
    else
      visit<InexactTypes>(compute, [&]<class T>() { slide.template operator()<T>(x, v, out); });
  }
  return native::to_dense(out, type);
}

}  // namespace tnp
