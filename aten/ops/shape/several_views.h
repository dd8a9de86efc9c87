// Marks the views that one call returns. PyTorch refuses to change them in place while it records.
#pragma once

#include <vector>

#include "aten/core/tensor.h"

namespace tnp {

// Sets the views' origin. aten/autograd defines the function.
TNP_API void mark_several_views(TensorList views);

inline std::vector<Tensor> several_views(std::vector<Tensor>&& views) {
  mark_several_views(views);
  return std::move(views);
}

}  // namespace tnp
