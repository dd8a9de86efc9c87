// Linear maps that the engine applies to gradients. Each map is recorded together with its adjoint,
// so that second derivatives can be computed.
#pragma once

#include <optional>

#include "aten/autograd/variable.h"

namespace tnp {

// Makes `result`, a linear map of x that was computed without recording, differentiable. `adjoint`
// maps a gradient of the result to a gradient of x and must consist of differentiable operators.
// Does nothing unless x is being recorded.
Tensor with_adjoint(const char* name, const Tensor& x, Tensor result, std::function<Tensor(const Tensor&)> adjoint);

// A copy in its own memory, row-major or with the given strides.
TNP_API Tensor identity_copy(const Tensor& x, const std::optional<DimVector>& strides = {});
TNP_API Tensor cast_gradient(const Tensor& x, ScalarType dtype);  // complex to real: the real part
TNP_API Tensor summed_to(const Tensor& x, IntList sizes);         // the adjoint of broadcasting `sizes` to x's shape
TNP_API Tensor zeros_for(const InputMeta& meta);                  // one zero, broadcast; read-only

// Sums and casts `grad`, the gradient that node `from` returned at position `index`, to the shape
// and dtype of the input described by `meta`. Raises Runtime if the shapes do not fit: "Function
// AddBackward returned an invalid gradient at index 0 - got (2, 3) but expected shape compatible
// with (3, 1)".
Tensor validated_gradient(const Tensor& grad, const InputMeta& meta, const Node& from, size_t index);

}  // namespace tnp
