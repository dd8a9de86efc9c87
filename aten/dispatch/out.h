// What is asked of out= wherever a result is copied or written there.
#pragma once

#include "aten/core/tensor.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

// Gives the tensor this size and these dense strides, and memory for it if it has less, into which the old elements are
// copied. Raises Runtime where its memory is somebody else's and too small: that owner would not see the new one.
TNP_API void resize_memory(const Tensor& self, IntList size, IntList strides);

// Note [out= of another shape] To NumPy it is an error. PyTorch gives `out` the shape of the result, and warns of it if
// `out` had elements. A tensor that is also an operand must keep its shape while that is read: then the result is
// computed into memory of its own, and `out` resized after that.
enum class Resizing : uint8_t {
  Warned,
  Silent,  // of functions that read no tensor, and so make `out` anew, as PyTorch's do
};

// Whether `out` would be resized to take a result of this size.
inline bool takes_another_size(const Tensor& out, IntList size) {
  return dialect().face() == Face::Torch && out.sizes() != size;
}

// Resizes `out` if it is of another size, row-major or with these strides, which must be dense; on NumPy's face it
// stays as it is. Raises Runtime where memory of others is too small.
TNP_API void fit_out(const Tensor& out, IntList size, Resizing resizing = Resizing::Warned);
TNP_API void fit_out(const Tensor& out, IntList size, IntList strides, Resizing resizing = Resizing::Warned);

// Raises ReadOnly, Casting (by NumPy's rule 'same_kind') or Runtime if `out` cannot receive a result of this dtype and
// device, whatever its shape.
TNP_API void check_out_takes(const Tensor& out, ScalarType dtype, Device device);

// PyTorch's rule for operators that write in place, and its words: raises Casting.
TNP_API void check_cast_in_place(ScalarType result, ScalarType self);

// As check_out_takes(), and fits `out`. Raises Shape where it is of another shape and stays so.
TNP_API void check_out(const Tensor& out, IntList sizes, ScalarType dtype, Device device);

}  // namespace tnp
