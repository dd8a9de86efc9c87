// Indexing with masks: what the operators of aten/ops/indexing.cpp and x[key] share.
#pragma once

#include <vector>

#include "aten/core/tensor.h"
#include "aten/kernels/index_geometry.h"

namespace tnp {

// The places where `mask` is true, one int64 tensor per axis, in row-major order.
TNP_API std::vector<Tensor> mask_indices(const Tensor& mask);
// Whether a contiguous mask on the CPU is true everywhere.
TNP_API bool is_all_true(const Tensor& mask);
// x[index] of a few int64 numbers that count from the start, where all is on the CPU, contiguous and of one axis;
// undefined else: index() knows the rest.
TNP_API Tensor gather_few(const Tensor& input, const Tensor& index);
// Rows of `rows`, (n, ...), that `mask`, (n), names, and `values` for them: see kernels/cpu/indexing/mask_rows.h.
// Undefined, and false, where memory or dtypes are others: index() and put_indexed_() know the rest.
TNP_API Tensor select_rows(const Tensor& rows, const Tensor& mask);
TNP_API bool put_rows(const Tensor& rows, const Tensor& mask, const Tensor& values);
// Raises Index if `mask` is not as large as the axes of `input` from `first` on.
TNP_API void check_mask_shape(const Tensor& input, const Tensor& mask, int64_t first);
// The elements that `index` chooses in each line along `dim`; both have one number of axes, at least one.
Tensor choose_along(const Tensor& input, const Tensor& index, int64_t dim, Counting counting);
}  // namespace tnp
