// Copies between tensors of any layout and dtype, on one device or between devices.
#pragma once

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"

namespace tnp {

// dst[...] = src with broadcasting and the casts that `casting` allows. The kernel of copy_, astype
// and setitem.
TNP_API void copy_into(const Tensor& dst, const Tensor& src, Casting casting = Casting::Unsafe);
// copy_into() between devices. With `non_blocking` it does not wait if the copy can be
// asynchronous.
TNP_API void copy_across(const Tensor& dst, const Tensor& src, bool non_blocking);
// dst[mask] = src[mask] with broadcasting of `src` and `mask`. Other elements are not written.
TNP_API void copy_where(const Tensor& dst, const Tensor& src, const Tensor& mask);
// dst[...] = 0 for a new tensor without gaps, in any order of axes.
void clear_new(const Tensor& dst);
// dst[...] = value
TNP_API void fill_with(const Tensor& dst, const Scalar& value);

}  // namespace tnp
