// Layouts of batches of images, (N, C, H, W) and (N, C, D, H, W): channels last means that the channels of a pixel lie
// side by side.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// The strides of a dense tensor of 3 to 5 axes whose second axis lies innermost.
TNP_API DimVector channels_last_strides(IntList sizes);
// Whether the elements of `t` (3 to 5 axes) lie so, without gaps. Axes of size 1 may have any stride.
TNP_API bool is_channels_last(const Tensor& t);
// Whether the strides of `t` (4 or 5 axes) say channels last, gaps or not, and not row-major.
TNP_API bool prefers_channels_last(const Tensor& t);
// `t` in `dtype` and dense, channels last or row-major: `t` itself where it is so.
TNP_API Tensor to_format(const Tensor& t, ScalarType dtype, bool channels_last);

}  // namespace tnp
