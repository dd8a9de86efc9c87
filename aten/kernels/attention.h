// Offsets and strides of the matrices in a batch, as attention kernels read them.
#pragma once

#include "aten/core/containers/dim_vector.h"
#include "aten/core/tensor.h"

namespace tnp {

// Strides of `count` matrices that are stacked along the leading axes, in elements.
class AttentionPart {
 public:
  // `batch`: the leading sizes, to which the leading sizes of `t` broadcast. `matrix_axes`: the
  // number of axes of `t` that follow them.
  AttentionPart(const Tensor& t, IntList batch, int64_t matrix_axes) : sizes_(batch), strides_(batch.size(), 0) {
    const int64_t own = t.dim() - matrix_axes, lead = static_cast<int64_t>(batch.size()) - own;
    for (int64_t d = 0; d < own; ++d) strides_[static_cast<size_t>(lead + d)] = t.size(d) == 1 ? 0 : t.stride(d);
    row = t.size(-matrix_axes) == 1 && matrix_axes == 2 ? 0 : t.stride(-matrix_axes);
    step = matrix_axes == 2 ? (t.size(-1) == 1 ? 0 : t.stride(-1)) : 0;
  }
  int64_t offset(int64_t index) const {
    int64_t offset = 0;
    for (size_t d = sizes_.size(); d-- > 0; index /= sizes_[d]) offset += index % sizes_[d] * strides_[d];
    return offset;
  }
  int64_t row, step;  // strides between rows, and between columns

 private:
  DimVector sizes_, strides_;
};

}  // namespace tnp
