// New tensors on the device Wrapped.
//
// Note [New wrapped tensors] A composite operator may make a tensor on the device of a wrapped operand
// and write to it with other operators. Transformations that can represent such a tensor make it.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

using MakeNewWrapped = Tensor (*)(IntList sizes, IntList strides, ScalarType dtype);
// Makes a tensor without values. Null without transformations.
extern TNP_API MakeNewWrapped make_new_wrapped;

// The first part of a wrapped tensor, of that its first part, and so on; another tensor itself.
TNP_API Tensor innermost_part(const Tensor& t);

}  // namespace tnp
