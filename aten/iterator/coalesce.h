// Coalescing: merges neighbouring axes that all operands traverse with one stride.
#pragma once

#include <cstdint>
#include <utility>

#include "aten/core/containers/dim_vector.h"

namespace tnp {

// Adds an axis of `size` elements to coalesced axes, which are ordered from the innermost outwards.
// `stride_of(k)` is the stride of operand k along the axis. `steps_of(k)` is the DimVector of the
// operand's strides along the coalesced axes. Axes of size one are dropped.
template <class Stride, class Steps>
void add_axis(DimVector& sizes, size_t num_operands, int64_t size, Stride&& stride_of, Steps&& steps_of) {
  if (size == 1) return;
  bool merges = !sizes.empty();
  for (size_t k = 0; merges && k < num_operands; ++k) merges = stride_of(k) == steps_of(k).back() * sizes.back();
  if (merges) {
    sizes.back() *= size;
    return;
  }
  sizes.push_back(size);
  for (size_t k = 0; k < num_operands; ++k) steps_of(k).push_back(stride_of(k));
}

// Coalesces the axes of one operand. Returns sizes and strides, from the innermost axis outwards.
inline std::pair<DimVector, DimVector> coalesced(IntList sizes, IntList strides) {
  std::pair<DimVector, DimVector> axes;
  for (size_t d = sizes.size(); d-- > 0;)
    add_axis(
        axes.first, 1, sizes[d], [&](size_t) { return strides[d]; }, [&](size_t) -> DimVector& { return axes.second; });
  return axes;
}

}  // namespace tnp
