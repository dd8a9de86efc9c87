// Checks shared by the shape functions of linear algebra: the dtypes and shapes that LAPACK and
// cuSOLVER accept.
#pragma once

#include <algorithm>

#include "aten/core/numbers/promotion.h"
#include "aten/dispatch/outputs.h"

namespace tnp::meta {

// inv, svd, norm, ... of integers: NumPy computes in float64, PyTorch raises.
inline bool integers_are_factorised() { return dialect().errors_are_numpys(); }

// The dtype in which LAPACK computes: floats and complex numbers unchanged, integers as float64.
inline ScalarType linalg_dtype(const Tensor& t) {
  TNP_CHECK(!is_reduced_float(t.dtype()), dialect().errors_are_numpys() ? ErrorKind::Dtype : ErrorKind::NotImplemented,
            "array type ", t.dtype(), " is unsupported in linalg");
  TNP_CHECK(!is_integral(t.dtype()) || integers_are_factorised(), ErrorKind::NotImplemented,
            "Expected a floating point or complex tensor as input, got ", t.dtype());
  return is_integral(t.dtype()) ? floating_dtype_of_integers(PromotionRules::NumPy) : t.dtype();
}

// The dtype in which LAPACK computes with two operands. PyTorch requires them to have one dtype.
inline ScalarType linalg_dtype(const Tensor& a, const Tensor& b) {
  return promote_types(linalg_dtype(a), linalg_dtype(b), PromotionRules::NumPy);
}

// NumPy raises LinAlgError for wrong shapes, PyTorch only for wrong values.
inline ErrorKind wrong_shape() { return dialect().errors_are_numpys() ? ErrorKind::LinAlg : ErrorKind::Shape; }

inline void check_matrices(const Tensor& t) {
  TNP_CHECK(t.dim() >= 2 || dialect().errors_are_numpys(), wrong_shape(),
            "The input tensor must have at least 2 dimensions, got ", t.dim());
  TNP_CHECK(t.dim() >= 2, wrong_shape(), t.dim(), "-dimensional array given. Array must be at least two-dimensional");
}

inline void check_square(const Tensor& t) {
  check_matrices(t);
  TNP_CHECK(t.size(-1) == t.size(-2) || dialect().errors_are_numpys(), wrong_shape(),
            "A must be batches of square matrices, but they are ", t.size(-2), " by ", t.size(-1), " matrices");
  TNP_CHECK(t.size(-1) == t.size(-2), wrong_shape(), "Last 2 dimensions of the array must be square");
}

// The batch axes before those of the matrix; none for a vector.
inline IntList stack_of(const Tensor& t) {
  return t.sizes().first(static_cast<size_t>(std::max<int64_t>(t.dim() - 2, 0)));
}

// The batch sizes followed by `tail`.
inline DimVector stacked(IntList stack, IntList tail) {
  DimVector sizes(stack);
  sizes.append(tail);
  return sizes;
}
inline DimVector stacked(const Tensor& t, IntList tail) { return stacked(stack_of(t), tail); }

}  // namespace tnp::meta
