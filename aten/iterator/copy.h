// Copies: what the iterator does without an operator. Any layout, any dtype, within a device and between devices.
#pragma once

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"

namespace tnp {

// dst[...] = src, cast as `casting` allows, broadcast to dst's shape. The kernel of copy_, astype and setitem.
TNP_API void copy_into(const Tensor& dst, const Tensor& src, Casting casting = Casting::Unsafe);
// The same between devices, which `non_blocking` does not wait for if it can be helped.
TNP_API void copy_across(const Tensor& dst, const Tensor& src, bool non_blocking);
// dst[...] = value
TNP_API void fill_with(const Tensor& dst, const Scalar& value);

}  // namespace tnp
