// Memory layouts that operators ask for: the strides behind an Order, and those of a view in another shape.
#pragma once

#include <optional>

#include "aten/iterator/iterator.h"

namespace tnp {

// Whether `order` puts the first axis fastest for a tensor laid out like `like`. K counts as C.
bool is_fortran_order(Order order, const Tensor& like);

// The strides of a tensor of shape `sizes` in `order`, unless it is row-major; A and K look at the layout of `like`.
TNP_API std::optional<DimVector> strides_in_order(IntList sizes, Order order, const Tensor& like = {});
// A new tensor of shape `sizes` in `order`; A and K look at the layout of `like`. Not initialised.
TNP_API Tensor empty_in_order(IntList sizes, ScalarType dtype, Device device, Order order, const Tensor& like = {});

// Whether `t` already is laid out as a copy in `order` would be, as NumPy's astype(copy=False) asks.
TNP_API bool has_order(const Tensor& t, Order order);

// `shape` with its one -1 (np: negative size) (there may be none) replaced by what remains of `numel` elements. Raises
// Shape if they do not fit, or if a size is negative.
DimVector infer_shape(IntList shape, int64_t numel);

// The strides with which the elements of `t`, in row-major order, have shape `sizes` without a copy, if there are any.
std::optional<DimVector> view_strides(const Tensor& t, IntList sizes);

// The axes of `t`, the one with the largest stride first; axes of equal strides keep their order.
TNP_API DimVector axes_slowest_first(const Tensor& t);
// The same for reading in the order of memory (NumPy's iterator): axes of stride 0 stay where they are.
DimVector axes_in_memory_order(const Tensor& t);

// The strides of elements that lie one after the other, those along the first of `axes` farthest apart.
TNP_API DimVector dense_strides(IntList sizes, IntList axes);

// A copy of a tensor of bools in which every byte is 0 or 1, for kernels that look at the bytes; other tensors as they
// are.
Tensor with_plain_bools(const Tensor& t);

// Raises Overflow if `value` stands for a Python integer that `dtype` cannot hold.
void check_fits(const Tensor& value, ScalarType dtype);
void check_fits(const Scalar& value, ScalarType dtype);

}  // namespace tnp
