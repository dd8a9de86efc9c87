// What is asked of out= wherever a result is copied or written there.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Gives the tensor this size, row-major, and memory for it if it has less, into which the old elements are copied.
TNP_API void resize_memory(const Tensor& self, IntList size);

// Gives `out`, if it has no elements, the size of the result, as PyTorch does; to NumPy it is an error.
TNP_API void fit_empty_out(const Tensor& out, IntList size);

// Fits an empty `out`, too. Raises ReadOnly, Shape, Casting (by NumPy's rule 'same_kind') or Runtime if `out` cannot
// receive a result of this shape, dtype and device.
TNP_API void check_out(const Tensor& out, IntList sizes, ScalarType dtype, Device device);

}  // namespace tnp
