// The dtypes in which the kernels of sparse matrices compute.
#pragma once

#include "aten/core/numbers/dtype.h"

namespace tnp {

using SparseComputeTypes = Join<TypeList<int64_t>, InexactTypes>;

// The one for values of `dtype`. Raises NotImplemented for uint64, which int64 does not hold.
inline ScalarType sparse_compute_type(ScalarType dtype) {
  TNP_CHECK(dtype != ScalarType::UInt64, ErrorKind::NotImplemented, "not implemented for ", dtype);
  return is_integral(dtype) ? ScalarType::Int64 : compute_type(dtype);
}

}  // namespace tnp
