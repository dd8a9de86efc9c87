// Checks and resizing of out= arguments.
#pragma once

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

// Fills the storage of `t` from element `begin` on, if programs asked for it (fill_new_memory.h): with
// NaN, the largest integer or True. Returns `t`.
TNP_API const Tensor& filled_if_asked(const Tensor& t, int64_t begin = 0);

// Gives the tensor this size and these dense strides. If its memory is too small, allocates new
// memory and copies the old elements. Raises Runtime if memory owned by foreign code is too small,
// since its owner would not see the new memory.
TNP_API void resize_memory(const Tensor& self, IntList size, IntList strides);

// Note [out= of another shape] NumPy raises. PyTorch resizes `out` to the shape of the result, and
// warns if `out` had elements. If `out` is also an operand, it must keep its shape while it is
// read. The result is then computed into a temporary, and `out` is resized afterwards.
enum class Resizing : uint8_t {
  Warned,
  Silent,  // for functions without tensor inputs, which recreate `out`, as in PyTorch
};

// Whether `out` would be resized to hold a result of this size.
inline bool takes_another_size(const Tensor& out, IntList size) {
  return dialect().face() == Face::Torch && out.sizes() != size;
}

// Resizes `out` if its size differs, to row-major or to these strides, which must be dense. On
// NumPy's face it does nothing. Raises Runtime if foreign memory is too small.
TNP_API void fit_out(const Tensor& out, IntList size, Resizing resizing = Resizing::Warned);
TNP_API void fit_out(const Tensor& out, IntList size, IntList strides, Resizing resizing = Resizing::Warned);

// Raises Casting if `out` does not follow this rule of PyTorch's. The rule SameKind is left to
// check_out_takes() and the iterator.
TNP_API void check_out_dtype(OutDtype rule, ScalarType result, ScalarType out);

// Raises ReadOnly, Casting (NumPy's rule 'same_kind') or Runtime if `out` cannot hold a result of
// this dtype and device, whatever its shape.
TNP_API void check_out_takes(const Tensor& out, ScalarType dtype, Device device);

// PyTorch's casting rule and message for in-place operators: raises Casting.
TNP_API void check_cast_in_place(ScalarType result, ScalarType self);

// check_out_takes(), then resizes `out` if allowed. Raises Shape if the shape still differs.
TNP_API void check_out(const Tensor& out, IntList sizes, ScalarType dtype, Device device);

}  // namespace tnp
