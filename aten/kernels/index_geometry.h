// Geometry of indexing with arrays: which axes are indexed, and the shape of the result. All
// kernels and x[key] share it.
//
// Note [Index arrays] `indices` has one entry per axis of the input, starting with the first axis
// (trailing axes may be omitted): an integer tensor, or an undefined one for an axis that is kept
// whole. The integer tensors broadcast together to a shape B. The result has the axes of B at
// `position` among the kept axes. If `position` is -1, NumPy's and PyTorch's rule chooses it: the
// index of the first integer tensor if the integer tensors are adjacent, else the front. x[key]
// passes the position explicitly, because there integers and np.newaxis between the arrays count
// too.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// How an index array counts, and which error an index out of bounds raises. PyTorch's operators
// differ in both: x[i] and take() accept negative numbers, index_select() and gather() do not.
enum class Counting : int64_t {
  FromBothEnds,         // -1 is the last element; raises Index
  FromStart,            // negative numbers are errors; raises Index
  FromStartElseRuntime  // negative numbers are errors; raises Runtime
};
constexpr bool counts_from_start(Counting counting) { return counting != Counting::FromBothEnds; }
constexpr ErrorKind error_of(Counting counting) {
  return counting == Counting::FromStartElseRuntime ? ErrorKind::Runtime : ErrorKind::Index;
}

// The parts of which the shape of an indexed tensor is composed.
struct IndexGeometry {
  DimVector shape;       // B, the broadcast shape of the indices
  int64_t position = 0;  // where B is inserted among `kept`
  DimVector kept;        // the input's axes without an index
};
// Raises Index if the indices do not broadcast, are not integers, or if there are more of them than
// `sizes` has axes.
TNP_API IndexGeometry index_geometry(IntList sizes, TensorList indices, int64_t position);
// The shape of index(input, indices, position), where `input` has shape `sizes`.
TNP_API DimVector indexed_shape(IntList sizes, const IndexGeometry& geometry);
inline DimVector indexed_shape(const Tensor& input, TensorList indices, int64_t position) {
  return indexed_shape(input.sizes(), index_geometry(input.sizes(), indices, position));
}
// Like index_geometry(), for arguments that are already checked and an explicit `position`. `rows`
// has the shape of the result.
TNP_API IndexGeometry checked_geometry(const Tensor& table, TensorList indices, int64_t position, const Tensor& rows);

// The address of element `i` in row-major order.
inline char* element_address(const Tensor& t, int64_t i) {
  char* p = t.address();
  for (int64_t d = t.dim(); d-- > 0; i /= t.size(d)) p += i % t.size(d) * t.byte_stride(d);
  return p;
}
// Raises the calling face's error for more indices than dimensions.
[[noreturn]] TNP_API void raise_too_many_indices(int64_t ndim, int64_t given);
// Raises "index 5 is out of bounds for axis 0 with size 3". PyTorch's face writes "dimension".
[[noreturn]] TNP_API void raise_out_of_bounds(int64_t i, int64_t axis, int64_t size, ErrorKind kind);
// Returns the index `i` counted from the start.
inline int64_t wrap_index(int64_t i, int64_t axis, int64_t size, Counting counting = Counting::FromBothEnds) {
  if (TNP_UNLIKELY(i < (counts_from_start(counting) ? 0 : -size) || i >= size))
    raise_out_of_bounds(i, axis, size, error_of(counting));
  return i < 0 ? i + size : i;
}

}  // namespace tnp
