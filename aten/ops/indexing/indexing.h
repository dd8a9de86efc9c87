// Indexing with masks: functions that aten/ops/indexing/indexing.cpp shares with x[key].
#pragma once

#include <vector>

#include "aten/core/tensor.h"
#include "aten/kernels/index_geometry.h"

namespace tnp {

// The indices where `mask` is true, one int64 tensor per axis, in row-major order.
TNP_API std::vector<Tensor> mask_indices(const Tensor& mask);
// Whether all elements of `mask`, which must be contiguous and on the CPU, are true.
TNP_API bool is_all_true(const Tensor& mask);
// Fast path of x[index] for a small number of non-negative int64 indices, if both tensors are on
// the CPU, contiguous and 1-d. In all other cases returns an undefined tensor; the caller then
// calls index().
TNP_API Tensor gather_few(const Tensor& input, const Tensor& index);
// Fast paths for a mask of shape (n): select_rows() returns the selected rows of `rows` (n, ...),
// put_rows() writes `values` to them. See kernels/cpu/indexing/mask_rows.h. They return an
// undefined tensor, or false, for other layouts or dtypes; the caller then calls index() or
// put_indexed_().
TNP_API Tensor select_rows(const Tensor& rows, const Tensor& mask);
TNP_API bool put_rows(const Tensor& rows, const Tensor& mask, const Tensor& values);
// Raises Index unless the shape of `mask` matches the axes of `input` from `first` on.
TNP_API void check_mask_shape(const Tensor& input, const Tensor& mask, int64_t first);
// Selects along axis `dim` the elements at the positions `index`, as np.take_along_axis does. Both
// tensors have the same number of axes, at least one.
Tensor choose_along(const Tensor& input, const Tensor& index, int64_t dim, Counting counting);
}  // namespace tnp
