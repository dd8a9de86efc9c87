// Memory formats of batches of images, (N, C, H, W) and (N, C, D, H, W). In "channels last" the
// channels of a pixel are adjacent in memory.
#pragma once

#include <string_view>

#include "aten/core/tensor.h"

namespace tnp {

// The strides of a dense tensor of 3 to 5 axes whose second axis is the fastest.
TNP_API DimVector channels_last_strides(IntList sizes);
// Whether `t` (3 to 5 axes) is dense in channels-last format. Axes of size 1 may have any stride.
TNP_API bool is_channels_last(const Tensor& t);
// Whether the strides of `t` (4 or 5 axes) have channels-last order, dense or not, and are not
// row-major.
TNP_API bool prefers_channels_last(const Tensor& t);
// `t` in `dtype` and dense, channels last or row-major; `t` itself if it already is.
TNP_API Tensor to_format(const Tensor& t, ScalarType dtype, bool channels_last);

// The formats behind the Python objects torch_np.contiguous_format, ...; memory_format_of() parses
// their names.
enum class MemoryFormat { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
// Raises Type for unknown names, and Runtime if a channels-last format does not apply to `dims`
// axes.
TNP_API MemoryFormat memory_format_of(std::string_view name, int64_t dims);
// The strides of a new tensor in that format. Preserve follows the layout of `like`.
TNP_API DimVector strides_in_format(IntList sizes, MemoryFormat format, const Tensor& like);
// Whether `t` already has the format.
TNP_API bool has_format(const Tensor& t, MemoryFormat format);

}  // namespace tnp
