// Wrapped tensors: the tensors that a transformation hands to a function.
//
// Note [Wrapped tensors] A transformation (vmap, forward-mode derivatives) runs a function on tensors
// that have shape and dtype, but no elements: they are on the device Wrapped, which has no kernels.
// Each has parts, which are tensors that the transformation computes with: a whole batch, or a primal
// and its tangent. Operators on such tensors go to the transformation (aten/compiler/interceptor.h);
// without one, they raise. Views of a wrapped tensor share its storage, and so its version counter.
// The storage owns the parts of all of them, and TensorImpl::data identifies those of one.
#pragma once

#include <cstdint>
#include <vector>

#include "aten/core/tensor.h"

namespace tnp {

struct WrappedParts {
  uint64_t level = 0;  // identifies the transformation
  std::vector<Tensor> parts;
  int64_t number = 0;  // of the transformation's own use, such as the axis of a batch
};

inline bool is_wrapped(const Tensor& t) { return t.device().is_wrapped(); }
// `base`: the wrapped tensor of which the result is a view, or undefined.
TNP_API Tensor make_wrapped(WrappedParts parts, ScalarType dtype, IntList sizes, IntList strides,
                            const Tensor& base = {});
// The parts of a wrapped tensor. Raises Runtime for other tensors.
TNP_API const WrappedParts& wrapped_parts(const Tensor& wrapped);
TNP_API void replace_wrapped(const Tensor& wrapped, WrappedParts parts);
// `t` becomes what `wrapped` is: the same parts and shape. The caller is the only user of both.
TNP_API void become_wrapped(const Tensor& t, const Tensor& wrapped);
// The device that users see: of the innermost part, if the tensor is wrapped.
TNP_API Device visible_device(const Tensor& t);
// The device of the innermost part.
TNP_API Device device_of_wrapped(const Tensor& wrapped);

}  // namespace tnp
