// The check of changes of views that autograd does not follow.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Raises Runtime while autograd records if the elements of `view`, which was made under no_grad, are those of a base
// that requires grad. aten/autograd defines the function.
void check_change_of_view(const Tensor& view);

}  // namespace tnp
