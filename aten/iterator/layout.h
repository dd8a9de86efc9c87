// Memory layouts: the strides of an Order, and those of a view in another shape.
#pragma once

#include <optional>

#include "aten/core/numbers/range.h"
#include "aten/iterator/iterator.h"

namespace tnp {

// Whether `order` makes the first axis the fastest, given a tensor with the layout of `like`. K
// counts as C.
bool is_fortran_order(Order order, const Tensor& like);

// The strides of a tensor of shape `sizes` in `order`; nullopt if row-major. A and K depend on the
// layout of `like`.
TNP_API std::optional<DimVector> strides_in_order(IntList sizes, Order order, const Tensor& like = {});
// A new, uninitialised tensor of shape `sizes` in `order`. A and K depend on the layout of `like`.
TNP_API Tensor empty_in_order(IntList sizes, ScalarType dtype, Device device, Order order, const Tensor& like = {});

// Whether `t` already has the layout of a copy in `order`, as in NumPy's astype(copy=False).
TNP_API bool has_order(const Tensor& t, Order order);

// Replaces the one -1 in `shape` (np: negative size), if any, so that the shape has `numel`
// elements. Raises Shape if that is impossible, or if a size is negative.
DimVector infer_shape(IntList shape, int64_t numel);

// The strides of a view of `t` in shape `sizes` (row-major order of elements), or nullopt if only a
// copy can have that shape.
std::optional<DimVector> view_strides(const Tensor& t, IntList sizes);

// A 0-d tensor as a line of one element. Other tensors are returned unchanged.
TNP_API Tensor at_least_one_axis(const Tensor& t);

// The axes of `t` by descending stride; axes of equal strides keep their order.
TNP_API DimVector axes_slowest_first(const Tensor& t);
// axes_slowest_first() for reading in memory order (NumPy's iterator): axes of stride 0 keep their
// position.
DimVector axes_in_memory_order(const Tensor& t);

// Strides of a dense tensor whose slowest axis is the first of `axes`.
TNP_API DimVector dense_strides(IntList sizes, IntList axes);

// A copy of a bool tensor in which every byte is 0 or 1, for kernels that read the bytes. Other
// tensors are returned unchanged.
Tensor with_plain_bools(const Tensor& t);

// check_fits() of a Python number; other tensors fit.
void check_fits(const Tensor& value, ScalarType dtype);
// As check_fits(); PyTorch also converts the element of another 0-d tensor, if it is on the CPU.
void check_number_fits(const Tensor& value, ScalarType dtype);

}  // namespace tnp
