// Sparse tensors: layouts, and the parts of a tensor of such a layout.
//
// Note [Sparse tensors] A sparse tensor is a Tensor on the device Sparse: it has shape and dtype, and
// no memory of its own. Its storage owns the parts, which are dense tensors: indices and values. No
// operator has kernels for this device, so an operator that does not know of sparse tensors raises.
// The operators that do are Python functions of the parts (torch_np/sparse). Gradients belong to the
// values, so a sparse tensor itself is never part of a graph; but it may be the gradient of a dense
// tensor (aten/autograd/sparse_gradients.h).
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

enum class SparseLayout : uint8_t { Coo, Csr, Csc, Bsr, Bsc };

// The parts of a tensor whose first (COO), or last but `dense` (others), axes are sparse.
struct SparseParts {
  SparseLayout layout = SparseLayout::Coo;
  // COO: whether indices are sorted in row-major order, without repetitions.
  bool is_coalesced = false;
  // COO: indices (sparse axes, elements), and `plain` is undefined. Other layouts: `indices` are the
  // compressed pointers (..., rows + 1), and `plain` the indices of the other axis (..., elements).
  Tensor indices, plain;
  Tensor values;  // COO: (elements, dense axes...); others: (..., elements, block axes..., dense axes...)
};

// The caller has checked that parts and sizes fit.
TNP_API Tensor make_sparse(SparseParts parts, IntList sizes);
inline bool is_sparse(const Tensor& t) { return t.device().is_sparse(); }
// The parts of a sparse tensor.
TNP_API const SparseParts& sparse_parts(const Tensor& sparse);
// Replaces parts and sizes of a sparse tensor in place.
TNP_API void replace_sparse(const Tensor& sparse, SparseParts parts, IntList sizes);
// The device of the parts.
inline Device device_of_parts(const Tensor& sparse) { return sparse_parts(sparse).values.device(); }

}  // namespace tnp
