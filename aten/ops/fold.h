// ufunc.reduce, accumulate and reduceat for any binary operator: from left to right, or in whatever order suits the
// device.
#pragma once

#include "aten/kernels/pointwise.h"

namespace tnp {

// ufunc.reduce / accumulate for any binary operator: folds along `dim` with the loop itself. Operators that have a
// reduction of their own (add: sum, multiply: prod, maximum: amax, ...) go there instead; see native_functions.yaml,
// key `ufunc`.
TNP_API Tensor fold(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                    std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                    const Tensor& out);
TNP_API Tensor fold_running(const PointwiseOp& op, const Tensor& input, int64_t dim, std::optional<ScalarType> dtype,
                            const Tensor& out);

// How elements may be combined.
enum class FoldOrder : uint8_t {
  LeftToRight,
  Associative,  // neighbours first, if that is quicker; operands are never exchanged
};

// fold() and fold_running() for operators that are associative, if only up to rounding.
TNP_API Tensor fold_associative(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                                std::optional<ScalarType> dtype, const std::optional<Scalar>& initial,
                                const Tensor& where, const Tensor& out);
TNP_API Tensor fold_running_associative(const PointwiseOp& op, const Tensor& input, int64_t dim,
                                        std::optional<ScalarType> dtype, const Tensor& out);

// Folds, for each of `starts`, from there along `dim` to the next one, or a single element if that is not behind it.
TNP_API Tensor fold_segments(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts,
                             std::optional<ScalarType> dtype, FoldOrder order);

}  // namespace tnp
