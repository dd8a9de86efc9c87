// Layouts of batches of images, (N, C, H, W) and (N, C, D, H, W): channels last means that the channels of a pixel lie
// side by side.
#pragma once

#include <string_view>

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

// What the objects torch_np.contiguous_format, ... are called: the names of these, after "torch_np.".
enum class MemoryFormat { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
// Raises Type for other names, and Runtime unless channels last is for as many axes.
TNP_API MemoryFormat memory_format_of(std::string_view name, int64_t dims);
// The strides of a new tensor in that format; Preserve: as `like` prefers.
TNP_API DimVector strides_in_format(IntList sizes, MemoryFormat format, const Tensor& like);
// Whether the elements of `t` lie so already.
TNP_API bool has_format(const Tensor& t, MemoryFormat format);

}  // namespace tnp
