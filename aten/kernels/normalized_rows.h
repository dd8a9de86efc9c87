// A tensor as rows of elements that are normalised together: its last axes.
#pragma once

#include <algorithm>

#include "aten/core/tensor.h"

namespace tnp {

struct NormalizedRows {
  DimVector dims;   // the axes of a row
  DimVector sizes;  // shape of a tensor with one value per row: 1 along `dims`
  int64_t count = 1, length = 1;

  // Raises Shape if `normalized_shape` is not the end of the shape of `input`.
  NormalizedRows(const Tensor& input, IntList normalized_shape) : sizes(input.sizes()) {
    const size_t n = normalized_shape.size();
    TNP_CHECK(n > 0, ErrorKind::Shape, "{normalized_shape} is empty");
    TNP_CHECK(n <= sizes.size() && std::equal(normalized_shape.begin(), normalized_shape.end(), sizes.end() - n),
              ErrorKind::Shape, "{normalized_shape} ", normalized_shape, " is not the end of {input}'s shape ",
              input.sizes());
    for (size_t i = 0; i < sizes.size(); ++i) {
      (i + n < sizes.size() ? count : length) *= sizes[i];
      if (i + n < sizes.size()) continue;
      sizes[i] = 1;
      dims.push_back(static_cast<int64_t>(i));
    }
  }
};

}  // namespace tnp
