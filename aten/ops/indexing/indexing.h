// Indexing with masks: functions that aten/ops/indexing/indexing.cpp shares with x[key].
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "aten/core/tensor.h"
#include "aten/kernels/index_geometry.h"
#include "aten/kernels/index_mode.h"

namespace tnp {

// The indices where `mask` is true, one int64 tensor per axis, in row-major order.
TNP_API std::vector<Tensor> mask_indices(const Tensor& mask);
// Raises Index unless the shape of `mask` matches the axes of `input` from `first` on.
TNP_API void check_mask_shape(const Tensor& input, const Tensor& mask, int64_t first);
// 'raise' (also for None), 'wrap' or 'clip'. Raises Value for another text.
IndexMode parse_mode(std::optional<std::string_view> mode);
// Queues PyTorch's warning if elements of `changed` share memory. `op` is the operator that writes.
void warn_of_expanded(const Tensor& changed, const char* op);
// `value` as a 0-d tensor of the dtype and on the device of `t`. Raises if the dtype cannot hold it.
Tensor number_like(const Tensor& t, const Scalar& value);
// Selects along axis `dim` the elements at the positions `index`, as np.take_along_axis does. Both
// tensors have the same number of axes, at least one.
Tensor choose_along(const Tensor& input, const Tensor& index, int64_t dim, Counting counting);
}  // namespace tnp
