// x.detach() and x.data for tensors of transformations.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::python {

// As detach(). Transformations are asked, as a dual loses its tangent.
Tensor detached(const Tensor& t);

}  // namespace tnp::python
